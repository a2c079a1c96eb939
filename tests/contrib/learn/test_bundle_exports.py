"""Session bundles that estimators and monitors write, as TensorFlow 1.15 writes them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import layers, learn
from dataflow.contrib.learn import bundle_exports as export
from dataflow.contrib.session_bundle import session_bundle
from dataflow.proto.session_bundle_manifest_pb2 import Signatures

X = np.random.RandomState(0).rand(8, 3).astype(np.float32)
Y = (X.sum(1) > 1.5).astype(np.int32)[:, None]


def inputs() -> Any:
    return {"x": tf.constant(X)}, tf.constant(Y)


def served() -> Any:
    examples = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(examples, {"x": tf.FixedLenFeature([3], tf.float32)})
    return {"ex": examples, "x": parsed["x"]}, None


def linear(folder: Path, **kwargs: Any) -> Any:
    return learn.LinearClassifier([layers.real_valued_column("x", 3)], str(folder), **kwargs)


def products(features: Any, labels: Any, mode: str) -> Any:
    weights = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
    found = tf.matmul(features["x"], weights)
    loss = tf.reduce_mean(found)
    step = tf.train.GradientDescentOptimizer(0.0).minimize(loss, tf.train.get_global_step())
    return {"p": found}, loss, step


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Any:
    model = learn.Estimator(products, str(tmp_path_factory.mktemp("model")))
    model.fit(input_fn=inputs, steps=3)
    return model


def signatures(folder: Any) -> tuple[Any, Signatures]:
    tf.reset_default_graph()
    session, meta_graph = session_bundle.load_session_bundle_from_path(os.fsdecode(folder))
    found = Signatures()
    packed = meta_graph.collection_def["serving_signatures"].any_list.value[0]
    assert packed.Unpack(found) or found.ParseFromString(packed.value)
    return session, found


def example(row: Any) -> bytes:
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=row))
    made = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
    return bytes(made.SerializeToString())


def test_a_monitor_exports_what_training_saves(tmp_path: Path) -> None:
    base = tmp_path / "exports"
    monitor = learn.monitors.ExportMonitor(2, str(base), exports_to_keep=2)
    linear(tmp_path / "model").fit(input_fn=inputs, steps=5, monitors=[monitor])
    assert sorted(os.listdir(base)) == ["00000000", "00000005"]
    assert monitor.last_export_dir == os.fsencode(base / "00000005")
    assert (monitor.export_dir, monitor.exports_to_keep) == (str(base), 2)
    assert monitor.signature_fn is None
    session, found = signatures(base / "00000005")
    signature = found.default_signature.classification_signature
    assert signature.input.tensor_name == "input_example_tensor:0"
    scores = "linear/binary_logistic_head/predictions/probabilities:0"
    assert signature.scores.tensor_name == scores
    with session:
        chances = session.run(scores, {"input_example_tensor:0": [example(X[0])]})
    plain = next(iter(linear(tmp_path / "model").predict_proba(input_fn=inputs)))
    np.testing.assert_allclose(chances[0], plain, rtol=1e-6)


def test_a_generic_export(trained: Any, tmp_path: Path) -> None:
    path = trained.export(str(tmp_path), default_batch_size=None)
    assert path == os.fsencode(tmp_path / "00000003")
    session, found = signatures(path)
    named = found.default_signature.generic_signature.map
    assert {key: each.tensor_name for key, each in named.items()} == {
        "inputs": "input_example_tensor:0",
        "p": "MatMul:0",
    }
    with session:
        assert session.graph.get_operation_by_name("init_all_tables_1").type == "NoOp"
        given = {"input_example_tensor:0": [example(row) for row in X]}
        np.testing.assert_allclose(session.run("MatMul:0", given)[:, 0], X.sum(1), rtol=1e-6)
    with pytest.raises(RuntimeError, match="Overwriting exports can cause corruption"):
        trained.export(str(tmp_path))


def test_inputs_of_a_function(trained: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {"input_fn": served, "use_deprecated_input_fn": False}
    path = trained.export(
        str(tmp_path / "a"), input_feature_key="ex", prediction_key="p", **options
    )
    named = signatures(path)[1].default_signature.generic_signature.map
    assert named["inputs"].tensor_name == "Placeholder:0"
    assert named["outputs"].tensor_name == "MatMul:0"

    def sign(examples: Any, features: Any, predictions: Any) -> Any:
        assert examples is None and sorted(features) == ["ex", "x"]
        return export.exporter.generic_signature(predictions), {
            "mine": export.exporter.generic_signature({"x": features["x"]})
        }

    path = trained.export(str(tmp_path / "b"), signature_fn=sign, **options)
    assert list(signatures(path)[1].named_signatures) == ["mine"]


def test_how_many_stay(trained: Any, tmp_path: Path) -> None:
    for name in ("00000001", "00000002"):
        (tmp_path / name).mkdir()
    learn.utils.export_estimator(trained, str(tmp_path), exports_to_keep=2)
    assert sorted(os.listdir(tmp_path)) == ["00000002", "00000003"]


def test_signatures() -> None:
    with tf.Graph().as_default():
        examples = tf.placeholder(tf.string, [None], name="examples")
        named = {
            "classes": tf.placeholder(tf.string, [None], name="classes"),
            "probabilities": tf.placeholder(tf.float32, [None, 2], name="chances"),
        }
        number = tf.placeholder(tf.float32, [None], name="number")
        classes, others = export.classification_signature_fn(examples, {}, named)
        assert others == {}
        assert classes.classification_signature.classes.tensor_name == "classes:0"
        alone, _ = export.classification_signature_fn(examples, {}, named["classes"])
        assert alone == classes
        chances, _ = export.classification_signature_fn_with_prob(examples, {}, named)
        assert chances.classification_signature.scores.tensor_name == "chances:0"
        told, _ = export.regression_signature_fn(examples, {}, number)
        assert told.regression_signature.output.tensor_name == "number:0"
        second, _ = export.logistic_regression_signature_fn(examples, {}, named)
        assert second.regression_signature.output.tensor_name == "strided_slice:0"
        for wrong in (number, tf.zeros([4, 3])):
            with pytest.raises(ValueError, match=r"needs probabilities of shape \[batch_size, 2\]"):
                export.logistic_regression_signature_fn(examples, {}, wrong)
        for make in (
            export.generic_signature_fn,
            export.classification_signature_fn,
            export.classification_signature_fn_with_prob,
            export.regression_signature_fn,
            export.logistic_regression_signature_fn,
        ):
            with pytest.raises(ValueError, match="examples cannot be None"):
                make(None, {}, named)


def test_what_is_refused(trained: Any, tmp_path: Path) -> None:
    def missing() -> Any:
        learn.Estimator(products, str(tmp_path / "none")).export(str(tmp_path))

    def unread() -> Any:
        learn.Estimator(products, trained.model_dir).export(str(tmp_path))

    def core() -> Any:
        monitor = learn.monitors.ExportMonitor(1, str(tmp_path))
        monitor.set_estimator(tf.estimator.Estimator(products, str(tmp_path)))
        monitor.begin()
        monitor.step_begin(1)
        monitor.step_end(1, {})

    refused: list[tuple[Callable[[], Any], str]] = [
        (missing, "Couldn't find trained model at"),
        (unread, "Features information missing, was fit"),
        (core, "ExportMonitor does not support `tf.estimator.Estimator"),
        (
            lambda: trained.export(str(tmp_path), use_deprecated_input_fn=False),
            "input_fn must be defined.",
        ),
        (
            lambda: trained.export(
                str(tmp_path), served, input_feature_key="no", use_deprecated_input_fn=False
            ),
            "input_fn gives no feature 'no'",
        ),
        (
            lambda: trained.export(str(tmp_path), lambda: ({}, None), None, False),
            "Either features or examples must be defined.",
        ),
        (
            lambda: trained.evaluate(
                input_fn=lambda: ({"x": tf.constant(X[:, :2])}, tf.constant(Y)), steps=1
            ),
            "Features are incompatible with given information. Given features",
        ),
        (
            lambda: trained.evaluate(
                input_fn=lambda: ({"x": tf.constant(X)}, tf.constant(Y.astype(np.float32))),
                steps=1,
            ),
            "Labels are incompatible with given information. Given labels",
        ),
    ]
    for make, text in refused:
        with pytest.raises(ValueError, match=text):
            make()
