"""Policies, cast variables and scaled losses; numbers and texts are TensorFlow 1.15's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.session import defaults

keras = tf.keras
layers = tf.keras.layers
mixed = tf.keras.mixed_precision.experimental
graph_rewrite = tf.train.experimental.enable_mixed_precision_graph_rewrite
ROWS = np.random.RandomState(0).rand(16, 3).astype(np.float32)
TRUE = (ROWS @ np.array([[1.0], [2.0], [-1.0]]) + 0.5).astype(np.float32)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    keras.backend.clear_session()
    yield
    defaults.DEFAULTS.graph_options.rewrite_options.ClearField("auto_mixed_precision")
    mixed.set_policy(None)


def values(*tensors: Any) -> list[Any]:
    session = keras.backend.get_session()
    session.run(tf.global_variables_initializer())
    return [session.run(each).tolist() for each in tensors]


@pytest.mark.parametrize(
    ("name", "told", "computes", "keeps", "scales"),
    [
        ("float16", "float16", "float16", "float16", False),
        ("mixed_float16", "mixed_float16", "float16", "float32", True),
        ("mixed_bfloat16", "mixed_bfloat16", "bfloat16", "float32", False),
        ("float16_with_float32_vars", "float16_with_float32_vars", "float16", "float32", False),
        ("float64_with_float32_vars", "float64_with_float32_vars", "float64", "float32", False),
        ("float32_with_float32_vars", "float32", "float32", "float32", False),
        ("infer", "infer", None, None, False),
        ("infer_float32_vars", "infer_with_float32_vars", None, "float32", False),
    ],
)
def test_policies(
    name: str, told: str, computes: str | None, keeps: str | None, scales: bool
) -> None:
    policy = mixed.Policy(name)
    assert (policy.name, policy.compute_dtype, policy.variable_dtype) == (told, computes, keeps)
    assert policy.should_cast_variables == (computes != keeps)
    assert (policy.loss_scale is not None) == scales


def test_what_a_policy_shows() -> None:
    text = '<Policy "float16", loss_scale=FixedLossScale(8.0)>'
    assert repr(mixed.Policy("float16", loss_scale=8)) == text
    assert mixed.Policy("mixed_float16", loss_scale=None).loss_scale is None


def test_the_global_policy() -> None:
    assert mixed.global_policy().name == "infer"
    mixed.set_policy("infer_float32_vars")
    assert mixed.global_policy().name == "infer_with_float32_vars"
    layer = layers.Dense(1, kernel_initializer="ones")
    out = layer(tf.constant(ROWS[:2].astype(np.float16)))
    assert (out.dtype, layer.dtype, layer.kernel.true_dtype) == (tf.float16, "float32", tf.float32)
    with pytest.raises(ValueError, match=r"has been set\. At most, one of the following"):
        graph_rewrite(keras.optimizers.SGD())
    mixed.set_policy(None)
    assert mixed.global_policy().name == "infer"
    wrapped = graph_rewrite(keras.optimizers.SGD())
    assert isinstance(wrapped, mixed.LossScaleOptimizer)
    with pytest.raises(ValueError, match="must not already be an instance of a LossScaleOptimizer"):
        graph_rewrite(wrapped)
    with pytest.raises(ValueError, match="graph rewrite has already been enabled"):
        mixed.set_policy("infer")


class Own(layers.Layer):
    """Looks at its variables while it is called."""

    def build(self, input_shape: Any) -> None:
        self.cast = self.add_weight("cast", (), initializer="ones")
        self.kept = self.add_weight("kept", (), initializer="ones", experimental_autocast=False)

    def call(self, x: Any) -> Any:
        self.seen = [each.dtype.name for each in (x, self.cast, self.kept)]
        reads = (tf.identity(self.cast), self.cast.read_value(), self.cast + 1.0)
        self.seen += [each.dtype.name for each in reads]
        self.shown = repr(self.cast)
        self.rows = self.cast.assign_add(1.0)
        return x * self.cast


def test_variables_are_cast_inside_calls_only() -> None:
    layer = Own(dtype=mixed.Policy("mixed_float16"), autocast=True)
    out = layer(tf.constant(ROWS[:2]))
    assert layer.seen == ["float16", "float16", "float32", "float16", "float16", "float16"]
    assert "dtype=float16 true_dtype=float32>" in layer.shown
    assert layer.cast.dtype == layer.cast.true_dtype == tf.float32
    assert tf.identity(layer.cast).dtype == tf.float32
    assert out.dtype == tf.float16
    assert tf.gradients(out, layer.cast)[0].dtype == tf.float32
    assert layer.weights[0] is layer.cast
    assert values(layer.rows)[0] == 2.0


def test_inputs_stay_without_autocast() -> None:
    layer = Own(dtype=mixed.Policy("float64_with_float32_vars"))
    with pytest.raises((TypeError, ValueError), match="float"):
        layer(tf.constant(ROWS[:2]))
    assert layer.seen[0] == "float32"
    several = Own(dtype=mixed.Policy("float64"), autocast=True)
    assert several(tf.constant(ROWS[:2])).dtype == tf.float64


LAYERS: dict[str, tuple[Callable[..., Any], Any, int]] = {
    "dense": (lambda **k: layers.Dense(2, **k), ROWS[:2], 2),
    "convolution": (lambda **k: layers.Conv1D(1, 2, **k), ROWS[None, :3], 2),
    "fused normalization": (layers.BatchNormalization, ROWS.reshape(2, 2, 4, 3), 4),
    "normalization": (layers.BatchNormalization, ROWS[:2], 4),
    "steps": (lambda **k: layers.LSTM(2, **k), ROWS[None, :3], 3),
    "lookup": (lambda **k: layers.Embedding(5, 2, **k), np.array([[1, 2]]), 1),
}


@pytest.mark.parametrize("kind", LAYERS)
def test_layers_compute_in_float16_and_keep_float32(kind: str) -> None:
    """Nearly what they compute in float32."""
    make, inputs, count = LAYERS[kind]
    layer = make(dtype=mixed.Policy("mixed_float16"), autocast=True)
    exact = make(dtype="float32")
    outputs = [layer(tf.constant(inputs)), exact(tf.constant(inputs))]
    assert (layer.dtype, layer.get_config()["dtype"]) == ("float32", "float32")
    assert [each.dtype for each in layer.weights] == [tf.float32] * count
    if kind != "lookup":
        assert outputs[0].dtype == tf.float16
    values(*outputs)
    exact.set_weights(layer.get_weights())
    session = keras.backend.get_session()
    found, expected = (session.run(each) for each in outputs)
    np.testing.assert_allclose(found.astype(np.float32), expected, atol=3e-3)


def test_a_layer_takes_the_type_of_its_first_variable() -> None:
    class Early(layers.Layer):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.early = self.add_weight("early", ())

    assert Early().dtype == "float32"
    assert Early(dtype="float64").dtype == "float64"
    assert Early(dtype=mixed.Policy("infer_float32_vars"))._dtype_policy.compute_dtype is None


def fitted(optimizer: Any, inputs: Any = ROWS) -> Any:
    ends = keras.Input((3,))
    policy = mixed.Policy("mixed_float16", loss_scale=None)
    hidden = layers.Dense(4, "tanh", kernel_initializer="ones", dtype=policy, autocast=True)(ends)
    wide = layers.Activation("linear", dtype="float32", autocast=True)(hidden)
    out = layers.Dense(1, kernel_initializer="ones", dtype="float32")(wide)
    model = keras.Model(ends, out)
    model.compile(optimizer, "mse")
    model.told = model.fit(inputs, TRUE, epochs=3, batch_size=8, shuffle=False, verbose=0)
    return model


@pytest.mark.parametrize("scale", [None, 128.0, "dynamic"])
def test_training(scale: Any) -> None:
    optimizer = keras.optimizers.SGD(0.1)
    if scale is not None:
        optimizer = mixed.LossScaleOptimizer(optimizer, scale)
    model = fitted(optimizer)
    np.testing.assert_allclose(model.told.history["loss"], [2.553, 0.380, 0.377], atol=2e-3)
    kernel, bias = model.get_weights()[:2]
    np.testing.assert_allclose(kernel[:, 0], [0.971, 0.998, 0.922], atol=2e-3)
    np.testing.assert_allclose(bias, [-0.084] * 4, atol=2e-3)
    assert kernel.dtype == np.float32
    session = keras.backend.get_session()
    assert session.run(optimizer.iterations) == 6
    if scale is not None:
        assert session.run(optimizer.loss_scale()) == (2.0**15 if scale == "dynamic" else scale)
    keras.backend.set_value(optimizer.lr, 0.05)
    assert keras.backend.get_value(model.optimizer.lr) == np.float32(0.05)


def test_steps_with_infinite_gradients_are_left_out() -> None:
    inputs = ROWS.copy()
    inputs[0, 0] = np.inf
    scale = tf.train.experimental.DynamicLossScale(1024, increment_period=2)
    model = fitted(mixed.LossScaleOptimizer(keras.optimizers.Adam(0.1), scale), inputs)
    session = keras.backend.get_session()
    assert session.run([model.optimizer.iterations, scale()]) == [3, 128.0]
    assert np.isfinite(model.get_weights()[0]).all()


def test_a_model_s_policy_scales_its_loss() -> None:
    class Net(keras.Model):
        def __init__(self, scale: Any) -> None:
            super().__init__(dtype=mixed.Policy("mixed_float16", loss_scale=scale))
            self.last = layers.Dense(1, dtype="float32")

        def call(self, inputs: Any) -> Any:
            return self.last(inputs)

    model = Net(16.0)
    model.compile("sgd", "mse")
    assert isinstance(model.optimizer, mixed.LossScaleOptimizer)
    model.fit(ROWS, TRUE, verbose=0)
    assert values(model.optimizer.loss_scale()) == [16.0]
    with pytest.raises(ValueError, match=r"instance of tf\.keras\.optimizers\.Optimizer when"):
        model.compile(tf.train.AdamOptimizer(), "mse")
    wrapped = mixed.LossScaleOptimizer(keras.optimizers.SGD(), 4.0)
    model.compile(wrapped, "mse")
    assert model.optimizer is wrapped
    plain = Net(None)
    plain.compile("sgd", "mse")
    assert not isinstance(plain.optimizer, mixed.LossScaleOptimizer)


def test_losses_and_gradients_by_hand() -> None:
    weights = tf.Variable([1.0, 2.0], use_resource=True)
    optimizer = mixed.LossScaleOptimizer(keras.optimizers.SGD(1.0, momentum=0.5), 4.0)
    loss = tf.reduce_sum(weights * [1.0, 3.0])
    halves = optimizer.get_unscaled_gradients(
        [tf.constant([8.0]), None, tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([1]))]
    )
    assert halves[1] is None
    step = optimizer.minimize(lambda: loss, [weights])
    found = values(
        optimizer.get_gradients(loss, [weights])[0],
        optimizer.get_scaled_loss(loss),
        optimizer.get_scaled_loss(lambda: loss)(),
        halves[0],
        halves[2].values,
    )
    assert found == [[1.0, 3.0], 28.0, 28.0, [2.0], [[0.5]]]
    session = keras.backend.get_session()
    session.run(step)
    assert session.run(weights).tolist() == [0.0, -1.0]
    assert optimizer.get_slot_names() == ["momentum"]
    assert optimizer.get_slot(weights, "momentum") in optimizer.weights


def scaled(optimizer: Any, scale: Any = 2) -> Any:
    return mixed.LossScaleOptimizer(optimizer, scale)


class Whole(layers.Layer):
    def build(self, input_shape: Any) -> None:
        self.add_weight("whole", (), dtype="int32", initializer="ones")


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: mixed.Policy(tf.float32), TypeError, "not a DType. .*Got: float32"),
    (lambda: mixed.Policy(5), TypeError, "must be a string, but got: 5"),
    (lambda: mixed.Policy("abc"), ValueError, 'abc to a mixed precision .*"<dtype>"'),
    (lambda: mixed.Policy("abc_with_float32_vars"), ValueError, "but abc cannot be converted"),
    (lambda: mixed.Policy("float16", loss_scale="x"), ValueError, "loss scale identifier: x"),
    (lambda: mixed.set_policy("mixed_float16"), ValueError, "to a non-infer policy in TensorFl"),
    (lambda: scaled(tf.train.AdamOptimizer()), ValueError, "must be an instance of OptimizerV2"),
    (lambda: scaled(keras.optimizers.SGD(clipnorm=1.0)), ValueError, "with a clipnorm. Optimizer"),
    (lambda: scaled(keras.optimizers.SGD(clipvalue=1.0)), ValueError, "has clipvalue 1.0"),
    (lambda: scaled(keras.optimizers.SGD(), None), ValueError, "needs a loss_scale"),
    (lambda: scaled(keras.optimizers.SGD()).get_config(), NotImplementedError, "not yet implem"),
    (lambda: mixed.LossScaleOptimizer.from_config({}), NotImplementedError, "not yet implemented"),
    (
        lambda: Whole(dtype=mixed.Policy("mixed_float16"))(tf.constant(ROWS)),
        ValueError,
        "must be a floating point variable but has type: int32",
    ),
]


@pytest.mark.parametrize(("what", "error", "message"), REFUSED)
def test_what_is_refused(what: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        what()
