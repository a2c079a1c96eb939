"""Estimator: training, evaluation and prediction against numpy; files; refusals."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.estimation.models import RATE, X, Y, batches, estimator, model_fn, trained


def _events(folder: Path) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for path in sorted(glob.glob(f"{folder}/events*")):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                found.setdefault(value.tag, []).append((event.step, value.simple_value))
    return found


def test_trains_in_pieces(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    assert est.train(batches(), steps=2) is est
    est.train(batches(), max_steps=2)
    np.testing.assert_allclose(est.get_variable_value("weights"), trained(2)[0], rtol=1e-5)
    est.train(batches(), max_steps=5)
    assert est.get_variable_value("global_step") == 5
    assert est.latest_checkpoint() == str(tmp_path / "model.ckpt-5")
    assert est.get_variable_names() == ["bias", "global_step", "weights"]
    # The queue begins anew, with the first rows.
    est.train(batches(1), steps=100)
    assert est.get_variable_value("global_step") == 8


def test_another_process_goes_on(tmp_path: Path) -> None:
    estimator(tmp_path).train(batches(), steps=3)
    est = estimator(tmp_path)
    found = est.evaluate(batches(1))
    weights, bias = trained(3)
    error = X @ weights + bias - Y
    assert found["global_step"] == 3
    np.testing.assert_allclose(found["loss"], (error**2).mean(), rtol=1e-4)
    np.testing.assert_allclose(found["error"], np.abs(error).mean(), rtol=1e-4)
    assert set(found) == {"loss", "error", "global_step"}


def test_evaluation_of_some_steps_and_of_a_checkpoint(tmp_path: Path) -> None:
    est = estimator(tmp_path, save_checkpoints_steps=1)
    est.train(batches(), steps=3)
    found = est.evaluate(
        batches(), steps=1, checkpoint_path=str(tmp_path / "model.ckpt-1"), name="one"
    )
    weights, bias = trained(1)
    assert found["global_step"] == 1
    np.testing.assert_allclose(
        found["loss"], ((X[:8] @ weights + bias - Y[:8]) ** 2).mean(), rtol=1e-4
    )
    events = _events(tmp_path / "eval_one")
    assert events["loss"] == [(1, pytest.approx(found["loss"]))]
    assert events["error"] == [(1, pytest.approx(found["error"]))]
    assert events["checkpoint_path"] == [(1, 0.0)]


def test_summaries_of_training(tmp_path: Path) -> None:
    est = estimator(tmp_path, save_summary_steps=2, log_step_count_steps=2)
    est.train(batches(), steps=5)
    events = _events(tmp_path)
    assert [step for step, _ in events["loss"]] == [1, 3, 5]
    assert "global_step/sec" in events
    assert (tmp_path / "graph.pbtxt").exists()


def test_logs_are_tensorflows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    level = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.INFO)
    try:
        est = estimator(tmp_path)
        est.train(batches(), steps=1)
        est.train(batches(), max_steps=1)
        est.evaluate(batches(1), steps=2)
    finally:
        tf.logging.set_verbosity(level)
    lines = capsys.readouterr().err
    for text in (
        "Using config: {'_model_dir': ",
        "Calling model_fn.",
        "Done calling model_fn.",
        "Loss for final step: ",
        "Skipping training since max_steps has already saved.",
        "Starting evaluation at 20",
        "Evaluation [1/2]",
        "Evaluation [2/2]",
        "Finished evaluation at 20",
        "Saving dict for global step 1: error = ",
        f"Saving 'checkpoint_path' summary for global step 1: {tmp_path}/model.ckpt-1",
    ):
        assert text in lines, text
    error = lines.partition("Saving dict for global step 1: error = ")[2].partition(",")[0]
    assert error == str(np.float32(error)), error


def test_predictions(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    est.train(batches(), steps=3)
    weights, bias = trained(3)
    expected = X @ weights + bias
    rows = list(est.predict(batches(1)))
    np.testing.assert_allclose([row["y"] for row in rows], expected, rtol=1e-3, atol=1e-5)
    assert set(rows[0]) == {"y", "double"}
    rows = list(est.predict(batches(1), predict_keys=["double"], yield_single_examples=False))
    assert [row["double"].shape for row in rows] == [(8,)] * 3
    np.testing.assert_allclose(rows[2]["double"], 2 * expected[16:], rtol=1e-3, atol=1e-5)
    with pytest.raises(ValueError, match="Expected to run at least one output from"):
        next(est.predict(batches(1), predict_keys=["z"]))


def test_predictions_without_training_and_that_are_no_dictionary(tmp_path: Path) -> None:
    def plain(features: Any, mode: str) -> Any:
        factor = tf.get_variable("factor", [], initializer=tf.constant_initializer(2.0))
        return tf.estimator.EstimatorSpec(mode, predictions=factor * features["x"])

    est = tf.estimator.Estimator(plain, tmp_path)
    inputs = tf.estimator.inputs.numpy_input_fn({"x": X}, batch_size=7, shuffle=False)
    np.testing.assert_allclose(list(est.predict(inputs)), 2 * X)
    with pytest.raises(ValueError, match="not valid in case of non-dict"):
        next(est.predict(inputs, predict_keys="x"))


def test_predictions_of_different_lengths(tmp_path: Path) -> None:
    def uneven(features: Any, mode: str) -> Any:
        tf.get_variable("unused", [])
        return tf.estimator.EstimatorSpec(mode, predictions={"a": features, "b": features[:1]})

    est = tf.estimator.Estimator(uneven, tmp_path)
    inputs = tf.estimator.inputs.numpy_input_fn(X, shuffle=False)
    with pytest.raises(ValueError, match=r"Batch length of predictions should be same. b has"):
        list(est.predict(inputs))


def _of_iterator() -> Any:
    dataset = tf.data.Dataset.from_tensor_slices({"x": X}).batch(8)
    return tf.data.make_one_shot_iterator(dataset).get_next()


@pytest.mark.parametrize(
    ("inputs", "may_end"),
    [
        (lambda: tf.data.Dataset.from_tensor_slices({"x": X}).batch(8), True),
        (_of_iterator, True),
        (tf.estimator.inputs.numpy_input_fn({"x": X}, shuffle=False), True),
        (lambda: {"x": tf.constant(X)}, False),
    ],
    ids=["dataset", "iterator", "queue", "constant"],
)
def test_predictions_that_do_not_end_are_warned_of(
    inputs: Any, may_end: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def model(features: Any, mode: str) -> Any:
        tf.get_variable("unused", [])
        return tf.estimator.EstimatorSpec(mode, predictions=2.0 * features["x"])

    found = next(tf.estimator.Estimator(model, tmp_path).predict(inputs))
    np.testing.assert_allclose(found, 2 * X[0])
    assert ("predict yields forever" in caplog.text) is not may_end


def test_hooks_and_listeners(tmp_path: Path) -> None:
    told: list[Any] = []

    class Hook(tf.estimator.SessionRunHook):  # type: ignore[misc]
        def after_run(self, run_context: Any, run_values: Any) -> None:
            told.append("step")

    class Listener(tf.estimator.CheckpointSaverListener):  # type: ignore[misc]
        def after_save(self, session: Any, global_step_value: Any) -> None:
            told.append(int(global_step_value))

    def with_hooks(features: Any, labels: Any, mode: str, params: Any) -> Any:
        spec = model_fn(features, labels, mode, params)
        return spec._replace(training_hooks=[Hook()], evaluation_hooks=[Hook()])

    est = tf.estimator.Estimator(with_hooks, tmp_path, params={"rate": RATE})
    est.train(batches(), steps=2, saving_listeners=[Listener()])
    assert told == [0, "step", "step", 2]
    est.evaluate(batches(1), hooks=[Hook()])
    assert told[4:] == ["step"] * 6
    with pytest.raises(TypeError, match="Hooks must be a SessionRunHook, given: 3"):
        est.train(batches(), hooks=[3])
    with pytest.raises(TypeError, match="must be a list of CheckpointSaverListener"):
        est.train(batches(), saving_listeners=[3])


def test_a_scaffold_of_the_model(tmp_path: Path) -> None:
    def scaffolded(features: Any, labels: Any, mode: str, params: Any) -> Any:
        spec = model_fn(features, labels, mode, params)
        if mode == tf.estimator.ModeKeys.TRAIN:
            return spec
        counter = tf.get_local_variable("counter", initializer=7)
        scaffold = tf.train.Scaffold(local_init_op=tf.variables_initializer([counter]))
        return spec._replace(scaffold=scaffold)

    est = tf.estimator.Estimator(scaffolded, tmp_path, params={"rate": RATE})
    est.train(batches(), steps=1)
    # Metrics are initialised besides what the model initialises.
    assert est.evaluate(batches(1))["error"] > 0


def test_warm_start(tmp_path: Path) -> None:
    estimator(tmp_path / "first").train(batches(), steps=4)
    weights, bias = trained(4)
    for start in (
        str(tmp_path / "first"),
        tf.estimator.WarmStartSettings(str(tmp_path / "first"), vars_to_warm_start="weights"),
    ):
        folder = tmp_path / type(start).__name__
        est = tf.estimator.Estimator(model_fn, folder, params={"rate": 0.0}, warm_start_from=start)
        est.train(batches(), steps=1)
        np.testing.assert_allclose(est.get_variable_value("weights"), weights, rtol=1e-4)
        only_weights = not isinstance(start, str)
        np.testing.assert_allclose(
            est.get_variable_value("bias"), 0.0 if only_weights else bias, rtol=1e-4
        )
        assert est.get_variable_value("global_step") == 1


def test_inputs_of_tensors(tmp_path: Path) -> None:
    def inputs(mode: str, params: Any) -> Any:
        assert params == {"rate": RATE}
        assert mode == "train"
        return {"x": tf.constant(X[:8])}, tf.constant(Y[:8])

    est = estimator(tmp_path)
    est.train(inputs, steps=1)
    np.testing.assert_allclose(est.get_variable_value("weights"), trained(1)[0], rtol=1e-4)
    with pytest.raises(ValueError, match=r"should return .features, labels. as a len 2 tuple"):
        est.train(lambda: (1, 2, 3), steps=1)


def test_an_input_that_must_be_initialised(tmp_path: Path) -> None:
    class Iterator:
        """What an initializable iterator of a dataset is."""

        def __init__(self) -> None:
            self.position = tf.get_local_variable("position", initializer=100)
            self.initializer = tf.group(self.position.assign(1))

        def get_next(self) -> Any:
            at = self.position.assign_add(1)
            row = tf.reshape(tf.gather(X, at), [1, 3])
            return {"x": row}, tf.reshape(tf.gather(Y, at), [1])

    class Dataset:
        def make_initializable_iterator(self) -> Iterator:
            return Iterator()

    est = estimator(tmp_path)
    est.train(Dataset, steps=1)
    gradient = -2 * Y[2] * X[2]
    np.testing.assert_allclose(est.get_variable_value("weights"), -RATE * gradient, rtol=1e-4)


def test_refusals(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    for arguments, text in (
        ({"steps": 1, "max_steps": 1}, "Can not provide both steps and max_steps."),
        ({"steps": 0}, "Must specify steps > 0, given: 0"),
        ({"max_steps": -1}, "Must specify max_steps > 0, given: -1"),
    ):
        with pytest.raises(ValueError, match=text):
            est.train(batches(), **arguments)
    with pytest.raises(ValueError, match="Must specify steps > 0, given: 0"):
        est.evaluate(batches(), steps=0)
    with pytest.raises(ValueError, match="Couldn't find trained model at"):
        est.get_variable_names()
    with pytest.raises(ValueError, match="must include features argument"):
        tf.estimator.Estimator(lambda x: x, tmp_path)
    with pytest.raises(ValueError, match=r"has following not expected args: .'extra'"):
        tf.estimator.Estimator(lambda features, extra: extra, tmp_path)
    with pytest.raises(ValueError, match="does not include params argument, but params"):
        tf.estimator.Estimator(lambda features: features, tmp_path, params={"a": 1})
    with pytest.raises(ValueError, match=r"model_fn must be provided to Estimator."):
        tf.estimator.Estimator(None, tmp_path)
    with pytest.raises(ValueError, match=r"model_fn should return an EstimatorSpec."):
        tf.estimator.Estimator(lambda features: 1, tmp_path).train(dict, steps=1)
    with pytest.raises(ValueError, match="model_fn does not take labels, but input_fn returns"):
        tf.estimator.Estimator(lambda features: 1, tmp_path).train(lambda: ({}, 1), steps=1)
    with pytest.raises(ValueError, match="`model_dir` are set both in constructor and"):
        tf.estimator.Estimator(
            model_fn, "a", params={}, config=tf.estimator.RunConfig(model_dir="b")
        )
    with pytest.raises(ValueError, match="config must be an instance of `RunConfig`"):
        tf.estimator.Estimator(model_fn, "a", params={}, config=3)

    class Child(tf.estimator.Estimator):  # type: ignore[misc]
        def train(self) -> None:
            pass

    with pytest.raises(ValueError, match="Subclasses of Estimator cannot override members"):
        Child(model_fn, "a", params={})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            tf.estimator.Estimator,
            "_assert_members_are_not_overridden",
            staticmethod(lambda estimator: None),
        )
        assert Child(model_fn, str(tmp_path), params={}).model_dir == str(tmp_path)


def test_a_metric_named_loss(tmp_path: Path) -> None:
    def named(features: Any, labels: Any, mode: str, params: Any) -> Any:
        spec = model_fn(features, labels, mode, params)
        return spec._replace(eval_metric_ops={params["name"]: tf.metrics.mean(spec.loss)})

    for name in ("loss", "global_step"):
        est = tf.estimator.Estimator(named, tmp_path, params={"rate": RATE, "name": name})
        with pytest.raises(ValueError, match=f"Metric with name `{name}` is not allowed"):
            est.evaluate(batches(1))


def test_params_and_config_are_copies(tmp_path: Path) -> None:
    params = {"rate": RATE, "sizes": [1]}
    est = tf.estimator.Estimator(model_fn, tmp_path, params=params)
    params["sizes"].append(2)
    est.params["sizes"].append(3)
    assert est.params == {"rate": RATE, "sizes": [1]}
    assert est.config is not est.config
    assert est.config.model_dir == est.model_dir == str(tmp_path)
    assert est.eval_dir() == str(tmp_path / "eval")


def test_on_both_targets(tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if target:
        monkeypatch.setenv(
            "TF_CONFIG", f'{{"session_master": "{target}", "eval_session_master": "{target}"}}'
        )
    est = estimator(tmp_path)
    est.train(batches(), steps=2)
    weights, bias = trained(2)
    np.testing.assert_allclose(est.get_variable_value("weights"), weights, rtol=1e-5)
    loss = ((X @ weights + bias - Y) ** 2).mean()
    assert est.evaluate(batches(1))["loss"] == pytest.approx(loss, rel=1e-4)
