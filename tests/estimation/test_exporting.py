"""Exported models: signatures, files, exporters between evaluations, receivers of examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.estimation.models import X, Y, batches, estimator, trained

EXPORT = tf.estimator.export


def raw() -> Any:
    x = tf.placeholder(tf.float32, [None, 3], name="fed")
    return EXPORT.ServingInputReceiver({"x": x}, {"x": x})


def asked(path: bytes, values: Any, tags: Any = ("serve",), name: str = "serving_default") -> Any:
    """What a loaded model shows for what its only input is fed, and its signature."""
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, list(tags), path.decode())
        signature = meta.signature_def[name]
        (fed,) = signature.inputs.values()
        names = {key: each.name for key, each in signature.outputs.items()}
        return session.run(names, {fed.name: values}), signature


def test_a_model(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    with pytest.raises(ValueError, match="Couldn't find trained model at"):
        est.export_saved_model(str(tmp_path / "out"), raw)
    est.train(batches(), steps=3)
    more = tmp_path / "more.txt"
    more.write_text("words")
    path = est.export_saved_model(
        str(tmp_path / "out"), raw, assets_extra={"folder/more.txt": str(more)}
    )
    assert isinstance(path, bytes)
    folder = Path(path.decode())
    assert folder.parent == tmp_path / "out"
    assert folder.name.isdigit()
    assert (folder / "assets.extra" / "folder" / "more.txt").read_text() == "words"
    found, signature = asked(path, X)
    weights, bias = trained(3)
    np.testing.assert_allclose(found["y"], X @ weights + bias, rtol=1e-3, atol=1e-5)
    assert set(found) == {"y", "double"}
    assert signature.method_name == "tensorflow/serving/predict"
    # A second one stands beside it.
    other = est.export_savedmodel(str(tmp_path / "out"), raw, as_text=True)
    assert other != path
    assert (Path(other.decode()) / "saved_model.pbtxt").exists()


def test_all_modes(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    est.train(batches(), steps=1)
    supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
        {"x": tf.constant(X)}, tf.constant(Y, name="wanted")
    )
    path = est.experimental_export_all_saved_models(
        str(tmp_path / "all"), {"train": supervised, "eval": supervised, "infer": raw}
    )
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["eval"], path.decode())
        signature = meta.signature_def["eval"]
        assert signature.method_name == "tensorflow/supervised/eval"
        assert {"loss", "predictions/y", "metrics/error/value", "metrics/error/update_op"} <= set(
            signature.outputs
        )
        loss = session.run(
            signature.outputs["loss"].name,
            {signature.inputs["x"].name: X, signature.inputs["label"].name: Y},
        )
    weights, bias = trained(1)
    assert loss == pytest.approx(((X @ weights + bias - Y) ** 2).mean(), rel=1e-4)
    assert asked(path, X)[1].method_name == "tensorflow/serving/predict"
    with pytest.raises(ValueError, match="No valid modes for exporting found"):
        est.experimental_export_all_saved_models(str(tmp_path / "none"), {})


def test_exporters(tmp_path: Path) -> None:
    def is_better(best_eval_result: Any, current_eval_result: Any) -> bool:
        return bool(current_eval_result["global_step"] == 4)

    est = estimator(tmp_path, save_checkpoints_steps=2)
    exporters = [
        tf.estimator.LatestExporter("latest", raw, exports_to_keep=1),
        tf.estimator.BestExporter("best", raw, compare_fn=is_better, exports_to_keep=None),
        tf.estimator.FinalExporter("final", raw),
    ]
    _, exports = tf.estimator.train_and_evaluate(
        est,
        tf.estimator.TrainSpec(batches(), max_steps=6),
        tf.estimator.EvalSpec(batches(1), throttle_secs=0, exporters=exporters),
    )
    assert exports[0] is not None
    assert exports[1] is None
    weights, bias = trained(6)
    for name, count in (("latest", 1), ("best", 2), ("final", 1)):
        folders = sorted((tmp_path / "export" / name).iterdir())
        assert len(folders) == count, name
        if name != "best":
            found, _ = asked(str(folders[-1]).encode(), X)
            np.testing.assert_allclose(found["y"], X @ weights + bias, rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="must be a positive number"):
        tf.estimator.LatestExporter("a", raw, exports_to_keep=0)
    with pytest.raises(ValueError, match="must include best_eval_result argument"):
        tf.estimator.BestExporter("a", raw, compare_fn=lambda x: True)


def test_the_best_of_earlier_runs(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    est.train(batches(), steps=2)
    better = est.evaluate(batches(1))

    def export(result: dict[str, Any]) -> Any:
        exporter = tf.estimator.BestExporter(
            serving_input_receiver_fn=raw, event_file_pattern="eval/*.tfevents.*"
        )
        path = est.latest_checkpoint()
        return exporter.export(est, str(tmp_path / "best"), path, result, False)

    assert export({"loss": better["loss"] + 1}) is None
    assert export({"loss": better["loss"] / 2}) is not None
    with pytest.raises(ValueError, match="no loss is found in it"):
        export({"other": 1})


def test_examples_are_parsed(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    est.train(batches(), steps=3)
    receiver = EXPORT.build_parsing_serving_input_receiver_fn(
        {"x": tf.FixedLenFeature([3], tf.float32)}
    )
    path = est.export_saved_model(str(tmp_path / "out"), receiver)
    examples = [
        tf.train.Example(
            features=tf.train.Features(
                feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=row))}
            )
        ).SerializeToString()
        for row in X
    ]
    found, signature = asked(path, examples)
    weights, bias = trained(3)
    np.testing.assert_allclose(found["y"], X @ weights + bias, rtol=1e-3, atol=1e-5)
    assert signature.inputs["examples"].name == "input_example_tensor:0"


def test_a_dataset_as_input(tmp_path: Path) -> None:
    def inputs(mode: str) -> Any:
        data = tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(8)
        return data.repeat() if mode == "train" else data

    est = estimator(tmp_path)
    est.train(inputs, steps=4)
    weights, bias = trained(4)
    np.testing.assert_allclose(est.get_variable_value("weights"), weights, rtol=1e-4)
    loss = ((X @ weights + bias - Y) ** 2).mean()
    assert est.evaluate(inputs)["loss"] == pytest.approx(loss, rel=1e-4)
    assert len(list(est.predict(inputs))) == len(X)


def test_outputs_and_their_signatures() -> None:
    with tf.Graph().as_default():
        scores, classes = tf.constant([[1.0]]), tf.constant([["a"]])
        text, number = tf.placeholder(tf.string, name="t"), tf.placeholder(tf.float32, name="n")
        both = EXPORT.ClassificationOutput(scores, classes)
        signature = both.as_signature_def({"x": text})
        assert signature.method_name == "tensorflow/serving/classify"
        assert signature.inputs["inputs"].name == "t:0"
        assert {key: each.name for key, each in signature.outputs.items()} == {
            "scores": scores.name,
            "classes": classes.name,
        }
        regression = EXPORT.RegressionOutput(scores)
        assert regression.as_signature_def({"x": text}).method_name.endswith("/regress")
        assert EXPORT.PredictOutput(scores).outputs == {"output": scores}
        for output in (both, regression):
            with pytest.raises(ValueError, match="input must be a single string Tensor; got"):
                output.as_signature_def({"x": number})
        for text_of, make in (
            ("scores must be a float32 Tensor", lambda: EXPORT.ClassificationOutput(classes)),
            ("classes must be a string Tensor", lambda: EXPORT.ClassificationOutput(None, scores)),
            ("At least one of scores and classes", EXPORT.ClassificationOutput),
            ("value must be a float32 Tensor", lambda: EXPORT.RegressionOutput(classes)),
            ("key must be a string", lambda: EXPORT.PredictOutput({1: scores})),
            ("value must be a Tensor", lambda: EXPORT.PredictOutput({"a": 1})),
        ):
            with pytest.raises(ValueError, match=text_of):
                make()


def test_receivers() -> None:
    receiver = EXPORT.ServingInputReceiver
    with tf.Graph().as_default():
        fed, other = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.string)
        single = receiver(fed, other)
        assert single.features == {"feature": fed}
        assert single.receiver_tensors == {"input": other}
        several = receiver({"a": fed}, {"b": other}, {"way": {"c": other}})
        assert several.receiver_tensors_alternatives == {"way": {"c": other}}
        assert EXPORT.TensorServingInputReceiver(fed, other).features is fed
        made = EXPORT.build_raw_serving_input_receiver_fn({"f": fed}, default_batch_size=7)()
        assert made.features["f"].shape.as_list() == [7, 3]
        plain = EXPORT.build_raw_serving_input_receiver_fn(fed)()
        assert plain.features.shape.as_list() == [None, 3]
        scalar = tf.placeholder(tf.int64, [], name="one")
        features = {"__no node's name__": fed, "one": scalar, "two": other}
        with tf.Graph().as_default():
            made = EXPORT.build_raw_serving_input_receiver_fn(features)()
        named = {each.op.name: each.shape for each in made.features.values()}
        assert list(named) == ["Placeholder", "one", "Placeholder_1"]
        assert named["one"].as_list() == [None]
        assert named["Placeholder_1"].rank is None
        for text, make in (
            ("features must be defined", lambda: receiver(None, other)),
            ("receiver_tensors must be defined", lambda: receiver(fed, None)),
            ("feature a must be a Tensor", lambda: receiver({"a": 1}, other)),
            ("keys must be strings", lambda: receiver({1: fed}, other)),
            ("receiver_tensor a must be a Tensor", lambda: receiver(fed, {"a": 1})),
            ("alternatives must be a dict", lambda: receiver(fed, other, 1)),
            ("must be a Tensor", lambda: EXPORT.TensorServingInputReceiver({"a": fed}, other)),
        ):
            with pytest.raises(ValueError, match=text):
                make()
