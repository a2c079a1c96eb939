"""tf.contrib.predictor and tf.contrib.saved_model, against what the graph computes itself."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dataflow as tf

X = np.array([1.0, 2.0], np.float32)


@pytest.fixture
def model(tmp_path: Path) -> str:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        w = tf.get_variable("w", initializer=3.0)
        session.run(w.initializer)
        tf.saved_model.simple_save(session, tmp_path / "m", {"x": x}, {"y": x * w})
    return str(tmp_path / "m")


def test_predicts(model: str) -> None:
    predict = tf.contrib.predictor.from_saved_model(model)
    np.testing.assert_array_equal(predict({"x": X})["y"], 3 * X)
    assert predict.graph is predict.session.graph
    assert list(predict.feed_tensors) == ["x"] and list(predict.fetch_tensors) == ["y"]
    with pytest.raises(ValueError, match="Got unexpected keys in input_dict"):
        predict({"z": X})


def test_by_names_and_by_a_signature(model: str) -> None:
    by_name = tf.contrib.predictor.from_saved_model(
        model, input_names={"a": "x:0"}, output_names={"b": "w/read:0", "c": "mul:0"}
    )
    found = by_name({"a": X})
    assert found["b"] == 3 and list(found["c"]) == [3, 6]
    predict = tf.contrib.predictor.from_saved_model(model, tags="serve", graph=tf.Graph())
    with predict.graph.as_default():
        x = predict.feed_tensors["x"]
        signature = tf.saved_model.predict_signature_def({"in": x}, {"out": x + 1.0})
    assert tf.contrib.saved_model.get_saved_model_tag_sets(model) == [["serve"]]
    assert tf.contrib.saved_model.save_keras_model is tf.keras.experimental.export_saved_model
    assert tf.contrib.saved_model.load_keras_model is tf.keras.experimental.load_from_saved_model
    with pytest.raises(KeyError, match="add:0"):
        tf.contrib.predictor.from_saved_model(model, signature_def=signature)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"signature_def_key": "no"}, "No SignatureDef with key 'no' found in MetaGraphDef."),
        ({"input_names": {}}, "must both be specified or both be unspecified"),
        ({"output_names": {}}, "must both be specified or both be unspecified"),
        (
            {"signature_def_key": "a", "signature_def": "b"},
            "You must specify at most one of signature_def_key",
        ),
    ],
)
def test_wrong_arguments(model: str, arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        tf.contrib.predictor.from_saved_model(model, **arguments)


def test_of_an_estimator(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        assert labels is None and mode == "infer" and config == "config"
        y = features * tf.get_variable("w", initializer=3.0)
        signature = SimpleNamespace(
            as_signature_def=lambda given: tf.saved_model.predict_signature_def(given, {"y": y})
        )
        tf.train.get_or_create_global_step()
        return SimpleNamespace(export_outputs={"serving_default": signature})

    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        model_fn(tf.constant(0.0), None, "infer", "config")
        session.run(tf.global_variables_initializer())
        session.run(graph.get_collection("variables")[0].assign(5.0))
        tf.train.Saver().save(session, str(tmp_path / "model"))

    def receive() -> Any:
        x = tf.placeholder(tf.float32, [None])
        return SimpleNamespace(features=x, receiver_tensors={"x": x})

    estimator = SimpleNamespace(model_fn=model_fn, config="config", model_dir=str(tmp_path))
    predict = tf.contrib.predictor.from_estimator(estimator, receive)
    np.testing.assert_array_equal(predict({"x": X})["y"], 5 * X)
    with pytest.raises(KeyError, match="output_key must be one of"):
        tf.contrib.predictor.from_estimator(estimator, receive, output_key="other")


def test_models_of_learn(tmp_path: Path) -> None:
    learn = tf.contrib.learn
    x = np.linspace(-1, 1, 8, dtype=np.float32)[:, None]
    head = learn.multi_head(
        [
            learn.regression_head("number", head_name="number"),
            learn.multi_class_head(2, "sign", head_name="sign"),
        ]
    )
    columns = [tf.contrib.layers.real_valued_column("x")]
    made = learn.LinearEstimator(columns, head, str(tmp_path))
    labels = {"number": 3 * x, "sign": (x > 0).astype(np.int64)}
    made.fit(
        input_fn=lambda: (
            {"x": tf.constant(x)},
            {name: tf.constant(value) for name, value in labels.items()},
        ),
        steps=1,
    )

    def inputs() -> Any:
        fed = tf.placeholder(tf.float32, [None, 1], name="x")
        return learn.InputFnOps({"x": fed}, None, {"x": fed})

    make = tf.contrib.predictor.from_contrib_estimator
    found = make(made, inputs, output_alternative_key="sign")({"x": x})
    assert set(found) == {"probabilities", "classes"}
    assert found["classes"].tolist() == [[b"0", b"1"]] * 8
    assert set(make(made, inputs, output_alternative_key="number")({"x": x})) == {"scores"}
    with pytest.raises(ValueError, match=r"Available keys are: \['number', 'sign'\]; got None"):
        make(made, inputs)
    with pytest.raises(ValueError, match="input_alternative_key must be default_input_alternative"):
        make(made, inputs, "other")
    with pytest.raises(TypeError, match="You likely want to call from_contrib_estimator"):
        tf.contrib.predictor.from_estimator(made, inputs)
    with pytest.raises(TypeError, match=r"got type tf\.python\.estimator\.Estimator\. You likely"):
        make(tf.estimator.Estimator(lambda features: features, str(tmp_path)), inputs)
