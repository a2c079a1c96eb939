"""What models refuse, and what they tell of calls, in the words and forms of TensorFlow 1.15."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras
layers = keras.layers
X, Y = np.ones((10, 3), "f"), np.ones((10, 1), "f")


def _row(**compiled: Any) -> Any:
    model = keras.Sequential([layers.Dense(1, input_shape=(3,))])
    if compiled:
        model.compile("sgd", **compiled)
    return model


class _Own(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = layers.Dense(4), layers.Dense(2)

    def call(self, x: Any) -> Any:
        return self.second(self.first(x))


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"loss": None}, ValueError, "cannot be compiled because it has no loss to optimize"),
        ({"loss": [None]}, ValueError, "cannot be compiled because it has no loss to optimize"),
        (
            {"loss": ["mse", "mae"]},
            ValueError,
            "it should have one entry per model outputs",
        ),
        (
            {"loss": "mse", "loss_weights": 3},
            TypeError,
            "loss_weights argument: 3 - expected",
        ),
    ],
)
def test_compile(given: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        _row(**given)


def test_fit_and_predict() -> None:
    model = _row(loss="mse")
    fit: dict[str, Any] = {"x": X, "y": Y, "verbose": 0}
    for more, text in (
        ({"validation_steps": 3}, "should not be specified if `validation_data` is None"),
        ({"validation_data": (X, Y), "validation_freq": 0}, "can not be less than 1"),
        ({"validation_data": (X, Y), "validation_freq": 1.5}, "must be an Integer or"),
        ({"x": None}, "When using data tensors as input .* specify the `steps_per_epoch` argument"),
        ({"x": tf.ones((2, 3)), "y": tf.ones((2, 1))}, "specify the `steps_per_epoch` argument"),
    ):
        with pytest.raises(ValueError, match=text):
            model.fit(**fit | more)
    with pytest.raises(ValueError, match="specify the `steps` argument"):
        model.evaluate(tf.ones((2, 3)), tf.ones((2, 1)))
    doubled = keras.Sequential([layers.Lambda(lambda x: tf.concat([x, x], 0), input_shape=(3,))])
    with pytest.raises(ValueError, match=r"\(20, 3\), expected output shape = shape \(10, 3\)"):
        doubled.predict(X)
    with pytest.raises(ValueError, match=r"Output shape = \(8, 3\), .* shape \(4, 3\)"):
        doubled.predict(X, batch_size=4)
    halved = keras.Sequential([layers.Lambda(lambda x: x[1:], input_shape=(3,))])
    with pytest.raises(ValueError, match=r"Output shape = \(9, 3\), .* shape \(10, 3\)"):
        halved.predict(X)
    steps = keras.Sequential([layers.LSTM(1, stateful=True, batch_input_shape=(4, 3, 2))])
    steps.compile("sgd", "mse")
    with pytest.raises(ValueError, match=r"can be divided by the batch size\. Found: 6 samples"):
        steps.fit(np.ones((6, 3, 2)), np.ones((6, 1)), batch_size=4)


@pytest.mark.parametrize(
    ("mode", "weights", "shape", "text"),
    [
        ("temporal", (10, 2), (10, 1), "restricted to outputs that are at least 3D"),
        ("temporal", None, (10, 1), "restricted to outputs that are at least 3D"),
        ("temporal", (10,), (10, 5, 1), "you should pass a 2D sample_weight array"),
        (
            "temporal",
            (10, 4),
            (10, 5, 1),
            r"\(10, 5, 1\)\. sample_weight cannot be broadcast",
        ),
        ("other", None, (10, 5, 1), 'should be None or "temporal". Found: other'),
    ],
)
def test_weights_of_samples(mode: str, weights: Any, shape: tuple[int, ...], text: str) -> None:
    model = keras.Sequential([layers.Dense(1, input_shape=(*shape[1:-1], 3))])
    model.compile("sgd", "mse", sample_weight_mode=mode)
    given = None if weights is None else np.ones(weights)
    with pytest.raises(ValueError, match=text):
        model.fit(np.ones((*shape[:-1], 3)), np.ones(shape), sample_weight=given, verbose=0)


def test_models_of_a_class_of_ones_own() -> None:
    class ReadOnly(keras.Model):
        @property
        def fixed(self) -> int:
            return 1

    with pytest.raises(AttributeError, match=r"Can't set the attribute \"fixed\", likely because"):
        ReadOnly().fixed = 2
    with pytest.raises(ValueError, match=r"not one of the valid types\..*: <class 'int'>"):
        _Own().build(3)
    for what in ("input_shape", "output_shape"):
        with pytest.raises(AttributeError, match="never been called and thus has no defined"):
            getattr(_Own(), what)
    with pytest.raises(AttributeError, match="is not connected, no input to return"):
        _ = _Own().input
    with pytest.raises(AttributeError, match="has no inbound nodes"):
        _ = _Own().output
    assert _Own().predict(tf.ones((4, 3)), steps=2).shape == (8, 2)
    model = _Own()
    model.compile("sgd", "mse")
    model.fit(tf.ones((4, 3)), tf.ones((4, 2)), steps_per_epoch=1, verbose=0)
    model = _Own()
    model.build((None, 3))
    lines: list[str] = []
    model.summary(print_fn=lines.append)
    assert "dense_2" not in lines[4]
    assert lines[4].split()[2:] == ["multiple", "16"]
    model(keras.Input((3,)))
    model.summary(print_fn=lines.append)
    assert "(None, 4)" in lines[len(lines) // 2 + 4]


def test_what_calls_are_told() -> None:
    start = keras.Input((3,))
    layer = layers.Dense(2)
    model = keras.Model(start, layer(start))
    first = model.layers[0]
    assert first.input_shape == first.output_shape == [(None, 3)]
    assert first.get_output_shape_at(0) == layer.input_shape == model.input_shape == (None, 3)
    first_output = layer.output
    layer(keras.Input((3,)))
    assert layer.output is first_output
    assert layer.output_shape == (None, 2)
    with pytest.raises(AttributeError, match='the notion of "layer input" is ill-defined'):
        _ = layer.input
    for dense in (layers.Dense(2), tf.layers.Dense(2)):
        with pytest.raises(AttributeError, match="is not connected, no input to return"):
            _ = dense.input
        with pytest.raises(AttributeError, match="has no inbound nodes"):
            _ = dense.output
        dense(tf.ones((4, 3)))
        assert (dense.input_shape, dense.output_shape) == ((4, 3), (4, 2))
    dense(tf.ones((5, 3)))
    with pytest.raises(AttributeError, match='notion of "output shape" is ill-defined'):
        _ = dense.output_shape
    row = keras.Sequential([layers.Dense(2)])
    row.build((None, 3))
    assert row.get_config()["build_input_shape"] == (None, 3)


def _value(metric: Any, *calls: Any) -> Any:
    """What a metric says after updates."""
    made = [metric.update_state(*each) for each in calls]
    told = metric.result()
    session = keras.backend.get_session()
    session.run([each.initializer for each in metric.variables])
    session.run(made)
    return session.run(told)


def test_metrics() -> None:
    metrics = keras.metrics
    mean = metrics.MeanTensor(name="x")
    mean.update_state([1.0, 2.0])
    assert [each.name for each in mean.variables] == ["total:0", "count:0"]
    with pytest.raises(ValueError, match=r"always have the same shape\..*: \(2,\)\. Got: \(3,\)"):
        mean.update_state([1.0, 2.0, 3.0])
    # Of equal predictions the first counts among the largest.
    tied = ([[0, 1, 1, 0, 0]], [[0.2, 0.1, 0.5, 0.0, 0.2]])
    assert _value(metrics.Precision(top_k=2), tied) == 0.5
    assert _value(metrics.Recall(top_k=3), tied) == 0.5
    for made, bound in ((2.0, "<= 1"), (-2.0, ">= 0")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"predictions must be {bound}"):
            _value(metrics.AUC(num_thresholds=3), ([1, 0], [made, 0.5]))
    with pytest.raises(ValueError, match=r"Invalid values: \[-1, 2\]$"):
        metrics.Precision(thresholds=[-1, 0.5, 2])
    with pytest.raises(ValueError, match="`specificity` must be in the range"):
        metrics.SensitivityAtSpecificity(-1)
    with pytest.raises(ValueError, match="`sensitivity` must be in the range"):
        metrics.SpecificityAtSensitivity(1.1)


def test_pieces() -> None:
    for found, error, what in (
        (keras.regularizers, ValueError, "regularizer"),
        (keras.constraints, ValueError, "constraint"),
        (keras.activations, TypeError, "activation function"),
    ):
        with pytest.raises(error, match=f"Could not interpret {what} identifier:(',)? 3"):
            found.get(3)
    with pytest.raises(ValueError, match="Cannot apply softmax to a tensor that is 1D"):
        keras.activations.softmax(tf.ones([2]))
