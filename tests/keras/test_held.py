"""What models of a program's own hold: metrics, lists of layers; orders are TensorFlow 1.15's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import dataflow as tf
from dataflow.library.layers.untracked import NoDependency

keras: Any = tf.keras


def _names(variables: list[Any]) -> list[str]:
    return [each.name.removesuffix(":0") for each in variables]


def _text(name: Any) -> str:
    return name if isinstance(name, str) else name.decode()


class _Measured(keras.Model):
    def __init__(self) -> None:
        super().__init__(name="m")
        self.first = keras.layers.Dense(2, name="a")
        self.mean = keras.metrics.Mean(name="mean")
        self.second = keras.layers.Dense(1, name="b")
        self.listed = [keras.metrics.Accuracy(name="acc"), keras.layers.Dense(1, name="c")]
        self.own = tf.Variable(1.0, trainable=False, name="own")
        self.scale = tf.Variable(1.0, name="scale")

    def call(self, x: Any) -> Any:
        x = self.first(x)
        self.add_metric(self.mean(x))
        return self.listed[1](self.second(x)) * self.scale


def test_metrics_are_layers_of_a_model_of_ones_own(tmp_path: Path) -> None:
    model = _Measured()
    trained = ["m/a/kernel", "m/a/bias", "m/b/kernel", "m/b/bias", "m/c/kernel", "m/c/bias"]
    assert _names(model.non_trainable_weights) == ["total", "count", "total_1", "count_1", "own"]
    model.compile("sgd", "mse", metrics=["mae"])
    # The number of samples need be no multiple of the batch's, though metrics keep states.
    model.fit(np.ones((5, 3)), np.ones((5, 1)), batch_size=2, verbose=0)
    assert [each.name for each in model.layers] == ["a", "mean", "b", "acc", "c"]
    assert [each.name for each in model.metrics] == ["mean_absolute_error", "mean"]
    assert _names(model.trainable_weights) == [*trained, "scale"]
    # Of the list those that are trained come first.
    order = [*trained[:2], "total", "count", *trained[2:], "total_1", "count_1", "scale", "own"]
    assert _names(model.weights) == _names(model.variables) == order
    assert len(model.get_weights()) == len(order)
    path = str(tmp_path / "weights.h5")
    model.save_weights(path)
    with h5py.File(path, "r") as file:
        assert [_text(each) for each in file.attrs["layer_names"]] == ["a", "mean", "b", "acc", "c"]
        of_metric = [_text(each) for each in file["acc"].attrs["weight_names"]]
        assert of_metric == ["total_1:0", "count_1:0"]
    model.trainable = False
    assert _names(model.weights) == order
    assert model.trainable_weights == []
    frozen = _names(model.non_trainable_weights)
    assert frozen[:3] == ["scale", *trained[:2]]
    assert frozen[-1] == "own"
    assert sorted(frozen) == sorted(order)


def test_weights_of_structures_and_of_models_in_them() -> None:
    class Model(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            normed = keras.layers.BatchNormalization
            self.nets = [keras.Sequential([keras.layers.Dense(2, name="d"), normed(name="n")])]
            self.net = keras.Sequential([normed(name="o"), keras.layers.Dense(2, name="e")])
            self.named = {"x": [normed(name="p"), keras.layers.Dense(1, name="f")]}

        def call(self, x: Any) -> Any:
            x = self.net(self.nets[0](x))
            for each in self.named["x"]:
                x = each(x)
            return x

    model = Model()
    # Layers have no scope of the model around them when only the shape is told.
    model.build((None, 3))
    moving = ["moving_mean", "moving_variance"]
    inner = ["sequential/d/kernel", "sequential/d/bias", "sequential/n/gamma", "sequential/n/beta"]
    inner += [f"sequential/n/{each}" for each in moving]
    inner += [f"sequential_1/o/{each}" for each in ("gamma", "beta", *moving)]
    inner += ["sequential_1/e/kernel", "sequential_1/e/bias"]
    last = ["p/gamma", "p/beta", "f/kernel", "f/bias", *(f"p/{each}" for each in moving)]
    assert _names(model.weights) == [*inner, *last]
    model.named["x"][1].trainable = False
    assert _names(model.weights)[-6:] == [*last[:2], *last[4:], *last[2:4]]


def test_metrics_of_other_models_and_layers() -> None:
    """A layer tells only those that it added; models of tensors have none among their weights."""

    class Layer(keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__(name="own")
            self.told, self.silent = keras.metrics.Mean(name="told"), keras.metrics.Sum(name="no")

        def call(self, x: Any) -> Any:
            self.add_metric(self.told(x))
            return x

    start = keras.Input((3,))
    layer = Layer()
    model = keras.Model(start, layer(start))
    assert _names(layer.weights) == _names(model.weights) == ["total", "count", "total_1"]
    assert layer.metrics == model.metrics == [layer.told]
    model.late = keras.metrics.Mean(name="late")
    assert len(model.weights) == 3
    assert [each.name for each in model.metrics] == ["late", "told"]
    assert [each.name for each in model.layers][1:] == ["own"]
    row = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    row.held = keras.metrics.Mean(name="held")
    assert len(row.weights) == 2
    assert row.metrics == [row.held]


def test_what_build_cannot_call() -> None:
    class Model(keras.Model):
        def __init__(self, call: Any) -> None:
            super().__init__()
            self.told = call

    def model(function: Any) -> Any:
        return type("Own", (Model,), {"call": function})(None)

    modes: list[Any] = []
    model(lambda self, x, training: modes.append(training)).build((2, 3))
    model(lambda self, x, training=None, *, more=0: modes.append(training)).build([(2, 3)])
    assert modes == [False, None]
    with pytest.raises(ValueError, match=r"accepts an `inputs` argument"):
        model(lambda self: None).build((2, 3))
    with pytest.raises(ValueError, match=r"all expected call arguments\. `call` requires: other$"):
        model(lambda self, x, other, training: None).build((2, 3))
    with pytest.raises(ValueError, match=r"if your layers do not support float type inputs"):
        model(lambda self, x: tf.bitwise.invert(x)).build((2, 3))


@pytest.mark.parametrize("base", [keras.Model, keras.layers.Layer])
def test_what_is_set_apart(base: Any) -> None:
    """Layers and variables set apart from checkpoints are the layer's all the same, as in 1.15."""

    class Holder(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = keras.layers.Dense(1)
            self.other = NoDependency(keras.layers.Dense(2))
            self.number = NoDependency(tf.Variable(1.0, name="v", use_resource=True))
            self.listed = NoDependency([keras.layers.Dense(3)])
            self.named = NoDependency({"a": tf.Variable(2.0, name="w", use_resource=True)})

        def call(self, inputs: Any) -> Any:
            return self.other(self.inner(inputs))

    holder = Holder()
    assert [each.units for each in holder._layers] == [1, 2]
    assert [each.op.name for each in holder.weights] == ["v", "w"]
    assert type(holder.listed) is list and holder.other.units == 2
    assert list(holder._checkpoint_children()) == ["inner"]
    holder(tf.ones([1, 2]))
    assert len(holder.weights) == 6
    del holder.other
    assert [each.units for each in holder._layers] == [1]
