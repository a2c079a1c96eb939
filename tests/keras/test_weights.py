"""Weights in checkpoints of objects, as TensorFlow 1.15 writes them, and what they are given to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.keras.saving.converted import preprocess_weights_for_loading
from dataflow.proto.trackable_object_graph_pb2 import TrackableObjectGraph

keras: Any = tf.keras
layers: Any = keras.layers
X, Y = np.random.RandomState(0).rand(5, 2), np.ones((5, 1))


class _Own(keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.first = layers.Dense(3)
        self.rest = [layers.Dense(2), layers.Dense(1)]

    def call(self, inputs: Any) -> Any:
        return self.rest[1](self.rest[0](self.first(inputs)))


def _row() -> Any:
    return keras.Sequential([layers.Dense(3, input_shape=(2,)), layers.ReLU(), layers.Dense(1)])


def _deferred() -> Any:
    return keras.Sequential([layers.Dense(3), layers.ReLU(), layers.Dense(1)])


def _nested() -> Any:
    start = keras.Input((2,))
    steps = layers.Reshape((2, 1))(start)
    return keras.Model(start, _inner()(layers.Bidirectional(layers.SimpleRNN(1))(steps)))


def _inner() -> Any:
    return keras.Sequential([layers.Dense(1, use_bias=False, input_shape=(2,))])


def _trained(make: Any, optimizer: Any) -> Any:
    model = make()
    model.compile(optimizer, "mse")
    model.train_on_batch(X, Y)
    return model


def _momentum() -> Any:
    return keras.optimizers.SGD(0.1, momentum=0.9)


_CELL = ("kernel", "recurrent_kernel", "bias")
_AS_115 = {
    # Layer -> its variables; slots; the optimizer's own.
    _row: (
        {f"layer_with_weights-{n}/{w}" for n in (0, 1) for w in ("kernel", "bias")},
        keras.optimizers.Adam,
        ("m", "v"),
        {"beta_1", "beta_2", "decay", "iter", "learning_rate"},
    ),
    _deferred: (
        {f"layer-{n}/{w}" for n in (0, 2) for w in ("kernel", "bias")},
        _momentum,
        ("momentum",),
        {"momentum", "decay", "iter", "learning_rate"},
    ),
    _Own: (
        {f"{layer}/{w}" for layer in ("first", "rest/0", "rest/1") for w in ("kernel", "bias")},
        keras.optimizers.Nadam,
        ("m", "v"),
        {"beta_1", "beta_2", "decay", "iter", "learning_rate", "momentum_cache"},
    ),
    _nested: (
        {"layer_with_weights-1/layer_with_weights-0/kernel"}
        | {f"layer_with_weights-0/forward_layer/cell/{w}" for w in _CELL}
        | {f"layer_with_weights-0/backward_layer/cell/{w}" for w in _CELL},
        lambda: tf.train.MomentumOptimizer(0.1, 0.9),
        ("momentum",),
        {"global_step"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("make", _AS_115)
def test_files_are_those_of_1_15(make: Any, tmp_path: Path) -> None:
    """All keys are, and what was trained goes on with the state of its optimizer."""
    weights, optimizer, slots, own = _AS_115[make]
    model = _trained(make, optimizer())
    path = str(tmp_path / "weights")
    model.save_weights(path)
    state = "optimizer/optimizer" if make is _nested else "optimizer"
    keys = {
        *weights,
        *(f"optimizer/{each}" for each in own),
        *(f"{each}/.OPTIMIZER_SLOT/{state}/{slot}" for each in weights for slot in slots),
    }
    found = {name for name, _ in tf.train.list_variables(path)}
    assert found == {f"{key}/.ATTRIBUTES/VARIABLE_VALUE" for key in keys} | {
        "_CHECKPOINTABLE_OBJECT_GRAPH"
    }
    model.train_on_batch(X, Y)
    other = _trained(make, optimizer())
    other.load_weights(path).assert_consumed()
    other.train_on_batch(X, Y)
    for have, wanted in zip(other.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_allclose(have, wanted, rtol=1e-5)


def test_names_of_parts() -> None:
    class Own(layers.Layer):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.w = self.add_weight("kernel", (int(shape[-1]), 2))
            self.v = tf.Variable(1.0, name="vee")
            self.parts: dict[str, Any] = {"a": [layers.Dense(2)], "b": 3}
            self.mean = keras.metrics.Mean("mm")
            super().build(shape)

        def call(self, inputs: Any) -> Any:
            return self.parts["a"][0](tf.matmul(inputs, self.w)) * self.v

    start = keras.Input((3,))
    model = keras.Model(start, Own()(start))
    saved = tf.train.Checkpoint(model=model).save
    with tf.Session().as_default() as session:
        session.run([each.initializer for each in model.weights])
        path = saved(str(Path(tf.test.get_temp_dir()) / "parts"))
    graph: Any = TrackableObjectGraph.FromString(
        tf.train.load_variable(path, "_CHECKPOINTABLE_OBJECT_GRAPH")
    )
    root = {each.local_name: each.node_id for each in graph.nodes[0].children}
    network = [each.local_name for each in graph.nodes[root["model"]].children]
    assert network == ["layer-0", "layer_with_weights-0", "layer-1"]
    own = graph.nodes[graph.nodes[root["model"]].children[1].node_id]
    assert [each.local_name for each in own.children] == ["kernel", "w", "v", "parts", "mean"]
    assert own.children[0].node_id == own.children[1].node_id


@pytest.mark.parametrize("make", [_Own, _deferred])
def test_values_wait_for_variables(make: Any, tmp_path: Path) -> None:
    model, path = _trained(make, _momentum()), str(tmp_path / "weights")
    model.save_weights(path)
    before = model.predict(X)
    model.train_on_batch(X, Y)
    other = make()
    status = other.load_weights(path)
    assert not other.built
    np.testing.assert_array_equal(other.predict(X), before)
    other.compile(_momentum(), "mse")
    other.train_on_batch(X, Y)
    status.assert_consumed()
    np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-5)
    other.train_on_batch(X, Y)
    keras.backend.variable(1.0)
    count = keras.backend.get_value(other.optimizer.iterations)
    assert count == 3, "what was trained since is not restored once more"


def test_a_second_time_makes_no_operations(tmp_path: Path) -> None:
    model, path = _trained(_row, "adam"), str(tmp_path / "sub" / "weights")
    for step in (model.save_weights, model.load_weights):
        step(path)
        count = len(tf.get_default_graph().get_operations())
        step(path)
        assert len(tf.get_default_graph().get_operations()) == count
    assert tf.train.latest_checkpoint(str(tmp_path / "sub")) == path


def test_checkpoints_of_something_else(tmp_path: Path) -> None:
    model = keras.Model()
    with tf.Session().as_default():
        path = tf.train.Checkpoint().save(str(tmp_path / "none"))
        with pytest.raises(AssertionError, match="Nothing to load"):
            model.load_weights(path)
        model.dense = layers.Dense(2)
        model.dense(tf.constant([[1.0]]))
        with pytest.raises(AssertionError, match="Nothing except the root object matched"):
            model.load_weights(path)
    with pytest.raises(NotImplementedError, match="based on topology"):
        model.load_weights(path, by_name=True)
    with pytest.raises(ValueError, match="looks like an HDF5 file"):
        _row().save_weights("x.h5", save_format="tf")
    with pytest.raises(ValueError, match=r"Weights for model .* have not yet been created"):
        _deferred().save_weights(path)


def test_a_saver_s_checkpoint_is_read_by_names(tmp_path: Path) -> None:
    model = _row()
    with tf.Session().as_default() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "named"))
        values = model.get_weights()
        model.set_weights([np.zeros_like(each) for each in values])
        model.load_weights(path)
        for have, wanted in zip(model.get_weights(), values, strict=True):
            np.testing.assert_array_equal(have, wanted)


_FIRST = {"data_format": "channels_first"}


@pytest.mark.parametrize(
    ("kind", "options", "shape", "old", "order"),
    [
        ("Conv1D", {}, (None, 4, 3), (2, 3, 2, 1), (2, 3, 1, 0)),
        ("Conv1D", {}, (None, 4, 3), (2, 1, 3, 2), None),
        ("Conv2D", _FIRST, (None, 3, 4, 4), (2, 3, 2, 2), (2, 3, 1, 0)),
        ("Conv2DTranspose", {}, (None, 4, 4, 3), (2, 2, 3, 2), (0, 1, 3, 2)),
        ("Conv2DTranspose", _FIRST, (None, 3, 4, 4), (2, 3, 2, 2), (2, 3, 0, 1)),
        ("Conv3D", _FIRST, (None, 3, 4, 4, 4), (2, 3, 2, 2, 2), (2, 3, 4, 1, 0)),
    ],
)
def test_filters_of_keras_1(kind: str, options: Any, shape: Any, old: Any, order: Any) -> None:
    layer = getattr(layers, kind)(2, 2, **options)
    layer.build(shape)
    kernel = np.random.RandomState(0).rand(*old)
    made, bias = preprocess_weights_for_loading(layer, [kernel, Y], "1")
    wanted = kernel if order is None else np.transpose(kernel, order)
    if wanted.ndim == 4 and len(shape) == 3:
        wanted = wanted[:, 0]
    np.testing.assert_array_equal(made, wanted)
    assert bias is Y
    (kept, _) = preprocess_weights_for_loading(layer, [made, Y], "2.2.4-tf")
    np.testing.assert_array_equal(kept, made)
    turned, _ = preprocess_weights_for_loading(layer, [made, Y], "2.2.4-tf", "theano")
    np.testing.assert_array_equal(turned, np.flip(made, tuple(range(made.ndim - 2))))


@pytest.mark.parametrize(("kind", "gates"), [("GRU", (0, 1, 2)), ("LSTM", (0, 2, 1, 3))])
def test_gates_of_keras_1(kind: str, gates: Any) -> None:
    """Each had arrays of its own, in another order."""
    random = np.random.RandomState(0)
    old = [random.rand(*size) for _ in range(2 * len(gates)) for size in ((3, 2), (2, 2), (2,))]
    made = preprocess_weights_for_loading(layers.Bidirectional(getattr(layers, kind)(2)), old, "1")
    half = len(old) // 2
    for place, values in ((0, old[:half]), (3, old[half:])):
        for part in range(3):
            wanted = np.concatenate([values[3 * gate + part] for gate in gates], axis=-1)
            np.testing.assert_array_equal(made[place + part], wanted)


def test_losses_and_metrics_of_a_model_are_layers_of_it(tmp_path: Path) -> None:
    start = keras.Input((2,))
    inner = layers.Dense(3)(start)
    model = keras.Model(start, layers.Dense(1)(inner))
    model.add_loss(tf.reduce_mean(inner**2) * 3.0)
    model.add_metric(tf.reduce_sum(inner), aggregation="mean", name="total")
    assert [type(each).__name__ for each in model.layers[-2:]] == [
        "TensorFlowOpLayer",
        "AddMetric",
    ]
    model.compile("sgd", "mse")
    model.train_on_batch(X, Y)
    wanted = model.evaluate(X, Y, verbose=0)
    path = str(tmp_path / "model.h5")
    model.save(path)
    again = keras.models.load_model(path)
    clone = keras.models.clone_model(model)
    clone.compile("sgd", "mse")
    clone.set_weights(model.get_weights())
    for other in (again, clone):
        assert other.metrics_names == ["loss", "total"]
        np.testing.assert_allclose(other.evaluate(X, Y, verbose=0), wanted, rtol=1e-5)
    loss = np.mean((model.predict(X) - Y) ** 2)
    values = keras.backend.function([start], [inner])([X])[0]
    np.testing.assert_allclose(wanted, [loss + 3 * np.mean(values**2), values.sum()], rtol=1e-5)


def test_there_are_no_weights_before_they_are_made() -> None:
    class Own(keras.Model):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.w = self.add_weight("w", shape[-1:], initializer="ones")

        def call(self, inputs: Any) -> Any:
            return inputs * self.w

    for model in (_deferred(), Own()):
        for name in ("weights", "trainable_weights", "non_trainable_weights"):
            with pytest.raises(ValueError, match=r"Weights for model .* have not yet been created"):
                getattr(model, name)
        model(keras.Input((10,)))
        assert model.weights == model.trainable_weights != []


def test_models_that_are_made_wrongly() -> None:
    start = keras.Input((2,), name="start")
    end = layers.Dense(2)(start)
    with pytest.raises(TypeError, match=r"Got an unexpected argument: dtype"):
        keras.Model(start, end, dtype="int64")
    with pytest.raises(ValueError, match=r"passed to the model is redundant"):
        keras.Model([start, start], end)

    class Own(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            self.parts = [layers.Dense(1)]

    with pytest.raises(RuntimeError, match=r"you forgot to call `super\(YourClass, self\)"):
        Own()
    node = start._keras_history.layer._inbound_nodes[0]
    assert node.inbound_layers == []
    assert end._keras_history.layer._inbound_nodes[0].input_shapes == (None, 2)
    assert end._keras_history.layer._inbound_nodes[0].output_shapes == (None, 2)


def test_structures_of_inputs_and_outputs() -> None:
    """Their configuration keeps dictionaries, also where models are within models."""
    given = {"x": keras.Input((1,)), "y": keras.Input((1,))}
    ends = {
        "sum": layers.Add()([given["x"], given["y"]]),
        "product": layers.Multiply()([given["x"], given["y"]]),
    }
    inner = keras.Model(given, ends)
    starts = [keras.Input((1,)), keras.Input((1,))]
    between = inner({"x": starts[0], "y": starts[1]})
    model = keras.Model(starts, layers.Add()([between["sum"], between["product"]]))
    inner, model = (type(each).from_config(each.get_config()) for each in (inner, model))
    made = inner({"x": tf.constant([[2.0]]), "y": tf.constant([[3.0]])})
    with tf.Session() as session:
        assert {name: v.item() for name, v in session.run(made).items()} == {"sum": 5, "product": 6}
    shapes = inner.compute_output_shape({"x": (4, 1), "y": (4, 1)})
    assert {name: each.as_list() for name, each in shapes.items()} == {
        "sum": [4, 1],
        "product": [4, 1],
    }
    assert model.compute_output_shape([(4, 1), (4, 1)]).as_list() == [4, 1]
    np.testing.assert_allclose(model.predict([[[2.0]], [[3.0]]]), [[11.0]])


def test_values_that_wait_are_not_given_inside_of_a_loop(tmp_path: Any) -> None:
    path = str(tmp_path / "w")
    with tf.Graph().as_default(), tf.Session() as session:
        saved = tf.keras.Sequential([tf.keras.layers.Dense(2)])
        saved.build((None, 3))
        saved.save_weights(path, save_format="tf")
        waiting = tf.keras.Sequential([tf.keras.layers.Dense(2)])
        waiting.load_weights(path)
        cell = tf.keras.layers.SimpleRNNCell(1)
        output, _ = tf.nn.dynamic_rnn(cell, np.ones([1, 2, 1], np.float32), dtype=tf.float32)
        cell.set_weights([np.zeros(each.shape.as_list(), np.float32) for each in cell.weights])
        assert session.run(output).tolist() == [[[0.0], [0.0]]]
        waiting(tf.ones([1, 3]))
        np.testing.assert_array_equal(waiting.get_weights()[0], saved.get_weights()[0])
