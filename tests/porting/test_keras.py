"""Plain names of tf.keras, against TensorFlow's own and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.keras import activations as their_activations
from tensorflow.python.keras import constraints as their_constraints
from tensorflow.python.keras import initializers as their_initializers
from tensorflow.python.keras import regularizers as their_regularizers
from tensorflow.python.keras.layers import advanced_activations, merge
from tensorflow.python.keras.layers import core as their_core

import dataflow as tf
from dataflow.keras import (
    activations,
    backend,
    constraints,
    initializers,
    layers,
    regularizers,
)
from tests.porting.test_run import run

X = np.array([[-2.0, -0.5, 0.0], [0.3, 1.0, 7.0]], np.float32)


def _both(ours: Any, theirs: Any, *arrays: Any) -> None:
    """Two functions of tensors give the same."""
    with oracle.Graph().as_default(), oracle.Session() as session:
        wanted = session.run(theirs(*map(oracle.constant, arrays)))
    with tf.Graph().as_default(), tf.Session() as own:
        got = own.run(ours(*map(tf.constant, arrays)))
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "elu",
        "exponential",
        "hard_sigmoid",
        "linear",
        "relu",
        "selu",
        "sigmoid",
        "softmax",
        "softplus",
        "softsign",
        "tanh",
    ],
)
def test_activations(name: str) -> None:
    _both(activations.get(name), their_activations.get(name), X)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("relu", {"alpha": 0.1, "max_value": 3.0, "threshold": 0.5}),
        ("relu", {"max_value": 0.5}),
        ("relu", {"threshold": 0.5}),
        ("elu", {"alpha": 0.3}),
        ("softmax", {"axis": 0}),
    ],
)
def test_activations_with_arguments(name: str, more: dict[str, Any]) -> None:
    _both(
        lambda x: getattr(activations, name)(x, **more),
        lambda x: getattr(their_activations, name)(x, **more),
        X,
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("l1", (0.3,)), ("l2", (0.3,)), ("l1_l2", (0.3, 0.2)), ("l1", ()), ("l2", ()), ("L1L2", ())],
)
def test_regularizers(name: str, arguments: tuple[float, ...]) -> None:
    ours = getattr(regularizers, name)(*arguments)
    theirs = getattr(their_regularizers, name)(*arguments)
    _both(lambda x: ours(x) + 0 * x[0, 0], lambda x: theirs(x) + 0 * x[0, 0], X)
    assert regularizers.get({"class_name": "L1L2", "config": ours.get_config()}).l1 == ours.l1


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("non_neg", {}),
        ("max_norm", {"max_value": 1.5, "axis": 1}),
        ("max_norm", {}),
        ("unit_norm", {"axis": [0, 1]}),
        ("min_max_norm", {"min_value": 0.7, "max_value": 2.0, "rate": 0.5}),
    ],
)
def test_constraints(name: str, arguments: dict[str, Any]) -> None:
    given = {"class_name": name, "config": arguments}
    _both(constraints.get(given), getattr(their_constraints, name)(**arguments), X)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda: layers.Activation("tanh"), lambda: their_core.Activation("tanh")),
        (lambda: layers.Lambda(abs), lambda: their_core.Lambda(abs)),
        (lambda: layers.Reshape((3, 1)), lambda: their_core.Reshape((3, 1))),
        (lambda: layers.Reshape((1, -1)), lambda: their_core.Reshape((1, -1))),
        (
            lambda: layers.LeakyReLU(0.2),
            lambda: advanced_activations.LeakyReLU(0.2),
        ),
        (
            lambda: layers.ReLU(6.0, 0.1, 0.4),
            lambda: advanced_activations.ReLU(6.0, 0.1, 0.4),
        ),
    ],
)
def test_layers_of_one_tensor(ours: Any, theirs: Any) -> None:
    _both(lambda x: ours()(x), lambda x: theirs()(x), X)


@pytest.mark.parametrize(
    "name", ["Add", "Multiply", "Maximum", "Minimum", "Average", "Concatenate"]
)
def test_layers_of_several_tensors(name: str) -> None:
    _both(
        lambda *x: getattr(layers, name)()(list(x)),
        lambda *x: getattr(merge, name)()(list(x)),
        X,
        X[::-1].copy(),
        X * X,
    )


def test_differences_and_orders() -> None:
    _both(lambda a, b: layers.Subtract()([a, b]), lambda a, b: a - b, X, X * X)
    _both(
        lambda a: layers.Permute((2, 1))(a),
        lambda a: their_core.Permute((2, 1))(a),
        X.reshape(1, 2, 3),
    )


def test_rows_of_a_table() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        layer = layers.Embedding(5, 2, "ones", regularizers.l2(0.5), name="words")
        rows = layer(tf.constant([[1.0, 4.0, 1.0]]))
        assert layer.embeddings.name == "words/embeddings:0"
        session.run(tf.global_variables_initializer())
        assert session.run(rows).tolist() == [[[1.0, 1.0]] * 3]
        assert session.run(layer.losses) == [5.0]
        start = session.run(initializers.get("uniform")([50]))
        assert np.all(abs(start) <= 0.05) and np.ptp(start) > 0.03


def test_wrappers_build_what_is_inside() -> None:
    class Twice(layers.Wrapper):
        def call(self, inputs: Any) -> Any:
            return 2.0 * self.layer(inputs)

    with tf.Graph().as_default(), tf.Session() as session:
        twice = Twice(layers.Dense(1, kernel_initializer="ones"))
        result = twice(tf.constant(X))
        assert twice.layer.built
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(result)[:, 0], 2 * X.sum(1), rtol=1e-6)


@pytest.mark.parametrize("name", ["random_normal", "truncated_normal", "random_uniform"])
def test_initializers_have_keras_widths(name: str) -> None:
    ours = getattr(initializers, name)(seed=1)
    theirs = their_initializers.get({"class_name": name, "config": {"seed": 1}})
    kept = {key: value for key, value in ours.get_config().items() if key != "dtype"}
    assert kept.items() <= theirs.get_config().items()
    again = initializers.deserialize(initializers.serialize(ours))
    assert type(again) is type(ours) and again.get_config() == ours.get_config()


def test_what_there_is_not() -> None:
    for module in (activations, constraints, initializers, regularizers):
        with pytest.raises(ValueError, match="Unknown"):
            module.get("no such name")  # type: ignore[attr-defined]
        assert module.get(abs) is abs  # type: ignore[attr-defined]
    assert constraints.get(None) is None and regularizers.get(None) is None
    assert activations.get(None) is activations.linear
    assert activations.serialize(activations.relu) == "relu"


def test_settings() -> None:
    assert (backend.epsilon(), backend.floatx()) == (1e-7, "float32")
    assert backend.image_data_format() == "channels_last"
    try:
        backend.set_epsilon(1e-3)
        backend.set_floatx("float64")
        backend.set_image_data_format("channels_first")
        assert (backend.epsilon(), backend.floatx()) == (1e-3, "float64")
        assert backend.image_data_format() == "channels_first"
    finally:
        backend.set_epsilon(1e-7)
        backend.set_floatx("float32")
        backend.set_image_data_format("channels_last")
    with pytest.raises(ValueError, match="floatx"):
        backend.set_floatx("int32")
    with pytest.raises(ValueError, match="data_format"):
        backend.set_image_data_format("NHWC")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder("float32", [None, 3])
        assert backend.int_shape(x) == (None, 3) and backend.ndim(x) == 2
        assert backend.int_shape(tf.placeholder("int32")) is None
        assert backend.dtype(x) == "float32" and backend.get_session() is session
        repeated = backend.get_value(backend.repeat(tf.constant(X), 2))
    np.testing.assert_array_equal(repeated, np.repeat(X[:, None], 2, 1))


PROGRAM = """
import tensorflow.compat.v1 as tf
import tensorflow
import tensorflow.keras.backend as K
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.python.keras import initializers

class Scale(keras.layers.Layer):
    def build(self, input_shape):
        self.factor = self.add_weight("factor", [1], initializer=initializers.get("ones"))
        super(Scale, self).build(input_shape)

    def call(self, inputs):
        return inputs * self.factor * K.epsilon()

print(layers.Dense is tf.keras.layers.Dense is tensorflow.contrib.keras.layers.Dense)
y = Scale(name="scale")(tf.ones([2]))
print([v.name for v in tf.trainable_variables()], tensorflow.compat.v1.nn is tf.nn)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y))
try:
    keras.NoSuchName
except AttributeError as error:
    print(error)
import sys
sys.modules["keras"] = sys.modules["json.keras"] = tf.keras
from keras.layers import *
from keras.applications import vgg16
import json.keras.utils
print(Dense is layers.Dense, sys.modules["keras.layers"] is tf.keras.layers)
print(vgg16.VGG16 is tf.keras.applications.VGG16, sys.modules["json.keras.utils"] is tf.keras.utils)
try:
    import keras.nothing
except ImportError as error:
    print(error)
from tensorflow.compat.v1 import *
constant(1).eval(session=Session())
"""


def test_programs_that_touch_keras(tmp_path: Any) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = run("run", str(tmp_path / "program.py"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "True",
        "['scale/factor:0'] True",
        "[1.e-07 1.e-07]",
        "dataflow has no tensorflow.keras.NoSuchName.",
        "True True",
        "True True",
        "No module named 'keras.nothing'",
    ]
