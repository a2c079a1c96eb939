"""LinearModel and WideDeepModel: losses and weights are those that TensorFlow 1.15 printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf

keras = tf.keras
premade = tf.keras.experimental
DRAWS = np.random.RandomState(0)
WIDE = DRAWS.rand(24, 3).astype(np.float32)
DEEP = DRAWS.rand(24, 2).astype(np.float32)
TRUE = (WIDE @ np.array([[1.0], [2.0], [-1.0]]) + 0.5).astype(np.float32)


def linear(**options: Any) -> Any:
    return premade.LinearModel(kernel_initializer="ones", **options)


def fitted(model: Any, x: Any, y: Any = TRUE) -> list[float]:
    made = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0)
    return [float(each) for each in made.history["loss"]]


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), atol=6e-5)


def test_a_linear_model() -> None:
    keras.backend.clear_session()
    model = linear()
    model.compile("sgd", "mse", ["mae"])
    close(fitted(model, WIDE), [0.4669, 0.4588])
    names = [each.name for each in model.weights]
    assert names == ["linear_model/dense/kernel:0", "linear_model/bias:0"]
    kernel, bias = model.get_weights()
    close(kernel.ravel(), [0.9913, 1.0108, 0.9746])
    close(bias, [-0.0114])


def test_several_inputs_with_regularizers() -> None:
    keras.backend.clear_session()
    model = linear(
        units=2,
        activation="relu",
        kernel_regularizer="l2",
        bias_regularizer="l1",
        bias_initializer="ones",
    )
    model.compile("adam", "mse")
    close(fitted(model, [WIDE, DEEP], np.concatenate([TRUE, TRUE], 1)), [4.9256, 4.8816])
    first, second, bias = model.get_weights()
    close(first, np.full((3, 2), 0.9941))
    close(second, [[0.9940, 0.9940], [0.9941, 0.9941]])
    close(bias, [0.9940, 0.9940])
    config = model.get_config()
    assert (config["units"], config["activation"], config["use_bias"]) == (2, "relu", True)
    again = premade.LinearModel.from_config({**config, "name": "again"})
    assert again.get_config() == {**config, "name": "again"}


def test_without_a_bias_inside_another_model() -> None:
    keras.backend.clear_session()
    first, second = keras.Input((3,)), keras.Input((2,))
    model = keras.Model([first, second], linear(use_bias=False)([first, second]))
    assert len(model.weights) == 2
    close(model.predict([WIDE[:2], DEEP[:2]]), [[3.4484], [2.3929]])


WIDE_DEEP: dict[str, tuple[Any, Any, bool, list[float], list[float], float, list[int]]] = {
    "two optimizers": (
        ["sgd", "adam"], None, True, [1.1015, 1.0562], [0.9802, 0.9892, 0.9698], 0.9942, [6, 6],
    ),
    "one optimizer for both": (
        "rmsprop", "sigmoid", False, [0.7829, 0.7816], [1.0096, 1.0112, 1.0070], 1.0108, [12],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", WIDE_DEEP)
def test_a_linear_model_beside_a_net(kind: str) -> None:
    optimizer, activation, is_pair, losses, weights, last, steps = WIDE_DEEP[kind]
    keras.backend.clear_session()
    hidden = keras.layers.Dense(4, kernel_initializer="ones", activation="tanh")
    net = keras.Sequential([hidden, keras.layers.Dense(1, kernel_initializer="ones")])
    model = premade.WideDeepModel(linear(), net, activation=activation)
    model.compile(optimizer, "mse")
    close(fitted(model, [WIDE, DEEP] if is_pair else WIDE), losses)
    found = model.get_weights()
    close(found[0].ravel(), weights)
    close(found[4], np.full((4, 1), last))
    assert model.weights[2].name == "wide_deep_model/sequential/dense/kernel:0"
    made = model.optimizer if isinstance(model.optimizer, list) else [model.optimizer]
    assert [int(each.get_weights()[0]) for each in made] == steps


def test_weights_that_are_not_trained_stay() -> None:
    keras.backend.clear_session()
    wide = linear()
    wide.trainable = False
    net = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones")])
    model = premade.WideDeepModel(wide, net)
    model.compile(["sgd", "sgd"], "mse")
    fitted(model, WIDE)
    close(wide.get_weights()[0], np.ones((3, 1)))
    assert abs(net.get_weights()[0] - 1.0).min() > 1e-3


def test_configurations() -> None:
    keras.backend.clear_session()
    net = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    model = premade.WideDeepModel(linear(), net, name="wd", activation="relu")
    again = premade.WideDeepModel.from_config(model.get_config())
    assert (again.name, again.activation.__name__) == ("wd", "relu")
    assert isinstance(again.linear_model, premade.LinearModel)
    assert isinstance(again.dnn_model, keras.Sequential)


def test_sparse_inputs() -> None:
    keras.backend.clear_session()
    rows = tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [2, 3])
    out = linear(bias_initializer="ones")(rows)
    session = keras.backend.get_session()
    session.run(tf.global_variables_initializer())
    assert session.run(out).tolist() == [[2.0], [3.0]]
    assert out.shape.as_list() == [2, 1]


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: premade.WideDeepModel(linear(), keras.Sequential()).compile(["sgd"], "mse"),
        "takes one optimizer, or one for the linear model and one for the net",
    ),
]


@pytest.mark.parametrize(("what", "message"), REFUSED)
def test_what_is_refused(what: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        what()


def test_inputs_beside_those_it_was_built_for() -> None:
    keras.backend.clear_session()
    model = linear()
    model([tf.constant(WIDE), tf.constant(DEEP)])
    with pytest.raises(ValueError, match="Expected 2 inputs, but got 1 inputs"):
        model([tf.constant(WIDE)])


def test_no_processes_are_left() -> None:
    assert premade.terminate_keras_multiprocessing_pools(0.01, use_sigkill=True) == []
