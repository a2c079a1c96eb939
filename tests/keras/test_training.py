"""What models are trained on, what training tells, and what it writes."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import dataflow as tf
from dataflow.values import logging

keras: Any = tf.keras
X = np.random.RandomState(0).rand(12, 3).astype("f")
Y = X.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def own_graph() -> Iterator[None]:
    keras.backend.clear_session()
    yield
    keras.backend.clear_session()


def _linear(optimizer: Any = None, **compile_args: Any) -> Any:
    model = keras.Sequential(
        [keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(3,))]
    )
    model.compile(optimizer or keras.optimizers.SGD(0.1), "mse", **compile_args)
    return model


def _step(kernel: Any, x: Any, y: Any, weights: Any, rate: float = 0.1) -> Any:
    """Gradient descent on the mean of weighted squares."""
    error = (x @ kernel - y) * weights[:, None]
    return kernel - rate * 2 * x.T @ error / len(x)


class _Batches(keras.utils.Sequence):  # type: ignore[misc]
    ended = 0

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        part = slice(index * 4, index * 4 + 4)
        return X[part], Y[part] * 2

    def on_epoch_end(self) -> None:
        self.ended += 1


def _generated() -> Iterator[Any]:
    while True:
        for index in range(3):
            yield _Batches()[index]


def _dataset() -> Any:
    return tf.data.Dataset.from_tensor_slices((X, Y * 2)).batch(4)


@pytest.mark.parametrize(
    ("source", "more"),
    [
        (lambda: (X, Y * 2), {"batch_size": 4}),
        (lambda: (_Batches(), None), {}),
        (lambda: (_generated(), None), {"steps_per_epoch": 3}),
        (lambda: (_dataset(), None), {}),
        (lambda: (_dataset().repeat(), None), {"steps_per_epoch": 3}),
    ],
    ids=["arrays", "sequence", "generator", "dataset", "repeated dataset"],
)
def test_sources(source: Any, more: dict[str, Any]) -> None:
    x, y = source()
    model = _linear()
    history = model.fit(x, y, epochs=2, shuffle=False, verbose=0, **more).history
    kernel, losses = np.ones((3, 1), np.float32), []
    for _ in range(2):
        batches = []
        for index in range(3):
            given, wanted = _Batches()[index]
            batches.append(np.mean((given @ kernel - wanted) ** 2))
            kernel = _step(kernel, given, wanted, np.ones(4))
        losses.append(np.mean(batches))
    np.testing.assert_allclose(history["loss"], losses, rtol=1e-5)
    np.testing.assert_allclose(model.get_weights()[0], kernel, rtol=1e-5)
    if isinstance(x, _Batches):
        assert x.ended == 2
        assert model.predict(x).shape == model.predict_generator(_generated(), 3).shape == (12, 1)
        wanted = np.mean((X @ kernel - Y * 2) ** 2)
        np.testing.assert_allclose(model.evaluate(x, verbose=0), wanted, rtol=1e-4)


def test_weights_of_samples_and_classes() -> None:
    classes = np.arange(12) % 3
    weights = np.linspace(0, 2, 12)
    model = _linear()
    model.train_on_batch(X, Y * 2, sample_weight=weights)
    wanted = _step(np.ones((3, 1)), X, Y * 2, weights)
    np.testing.assert_allclose(model.get_weights()[0], wanted, rtol=1e-5)
    model = _linear()
    model.fit(X, classes, batch_size=12, verbose=0, class_weight={0: 1.0, 1: 0.5, 2: 3.0})
    wanted = _step(np.ones((3, 1)), X, classes[:, None], np.array([1.0, 0.5, 3.0])[classes])
    np.testing.assert_allclose(model.get_weights()[0], wanted, rtol=1e-5)
    with pytest.raises(ValueError, match="class_weight"):
        model.fit(X, classes, verbose=0, class_weight={0: 1.0})


def test_what_is_held_out() -> None:
    model = _linear()
    model.fit(X, Y * 2, batch_size=9, verbose=0, validation_split=0.25)
    kernel = _step(np.ones((3, 1)), X[:9], Y[:9] * 2, np.ones(9))
    np.testing.assert_allclose(model.get_weights()[0], kernel, rtol=1e-5)
    wanted = np.mean((X[9:] @ kernel - Y[9:] * 2) ** 2)
    np.testing.assert_allclose(model.history.history["val_loss"], [wanted], rtol=1e-5)


def test_callbacks_control_training(tmp_path: Path) -> None:
    told: list[Any] = []
    model = _linear(metrics=["mae"])
    model.fit(
        X,
        Y,
        epochs=9,
        verbose=0,
        validation_data=(X, Y),
        callbacks=[
            keras.callbacks.LearningRateScheduler(lambda epoch: 0.5**epoch),
            keras.callbacks.EarlyStopping(patience=2),
            keras.callbacks.CSVLogger(str(tmp_path / "log.csv")),
            keras.callbacks.ModelCheckpoint(
                str(tmp_path / "{epoch}.h5"), save_weights_only=True, save_best_only=True
            ),
            keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: told.append(epoch)),
            keras.callbacks.TensorBoard(str(tmp_path / "events"), write_graph=False),
        ],
    )
    assert told == [0, 1, 2], "the sum is right from the start: nothing becomes better"
    assert model.history.history["lr"] == [1.0, 0.5, 0.25]
    with open(tmp_path / "log.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [each["epoch"] for each in rows] == ["0", "1", "2"]
    assert set(rows[0]) == {
        "epoch", "loss", "lr", "mean_absolute_error", "val_loss", "val_mean_absolute_error",
    }  # fmt: skip
    assert [each.name for each in tmp_path.glob("*.h5")] == ["1.h5"]
    (events,) = (tmp_path / "events").iterdir()
    steps = {
        value.tag: event.step
        for event in tf.train.summary_iterator(str(events))
        for value in event.summary.value
    }
    assert steps["epoch_loss"] == steps["epoch_val_loss"] == 2


def test_plateaus_lower_the_rate() -> None:
    model = _linear(keras.optimizers.SGD(1e-30))
    reduce = keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_lr=3e-31)
    model.fit(X, Y * 2, epochs=4, verbose=0, shuffle=False, callbacks=[reduce])
    rates = model.history.history["lr"]
    np.testing.assert_allclose(rates, [1e-30, 1e-30, 5e-31, 3e-31], rtol=1e-5)


def test_the_former_name_of_a_least_change(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(logging, "warning", said.append)
    assert keras.callbacks.ReduceLROnPlateau(min_delta=0.5).min_delta == 0.5
    assert said == []
    assert keras.callbacks.ReduceLROnPlateau(epsilon=0.25).min_delta == 0.25
    assert said == [
        "`epsilon` argument is deprecated and will be removed, use `min_delta` instead."
    ]


def test_tf_train_optimizers_and_user_parts() -> None:
    class Scaled(keras.layers.Layer):  # type: ignore[misc]
        def build(self, input_shape: Any) -> None:
            self.factor = self.add_weight("factor", [1], initializer="ones")
            super().build(input_shape)

        def call(self, inputs: Any) -> Any:
            self.add_loss(tf.reduce_sum(self.factor) * 0.5)
            return inputs * self.factor

    class Own(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name="own")
            self.blocks = [Scaled(), keras.layers.Dense(1, kernel_initializer="ones")]

        def call(self, inputs: Any, training: Any = None) -> Any:
            for each in self.blocks:
                inputs = each(inputs)
            return inputs

    model = Own()
    model.compile(tf.train.MomentumOptimizer(0.1, 0.9), "mse")
    first = model.train_on_batch(X, Y)
    np.testing.assert_allclose(first, 0.5, atol=1e-5)
    assert [each.name for each in model.weights] == [
        "own/scaled/factor:0", "own/dense/kernel:0", "own/dense/bias:0",
    ]  # fmt: skip
    assert model.train_on_batch(X, Y) < 0.5
    np.testing.assert_allclose(
        keras.backend.get_value(model.blocks[0].factor), [0.95 - 0.1], atol=0.1
    )
    with pytest.raises(NotImplementedError):
        model.get_config()


def test_mistakes_are_told() -> None:
    model = _linear()
    with pytest.raises(ValueError, match=r"expected dense_input to have shape \(3,\)"):
        model.predict(np.zeros((2, 4)))
    with pytest.raises(ValueError, match=r"This loss expects targets to have the same shape"):
        model.fit(X, np.zeros((12, 2)), verbose=0)
    with pytest.raises(ValueError, match="same number of samples"):
        model.fit(X, Y[:5], verbose=0)
    with pytest.raises(RuntimeError, match="must compile"):
        keras.Sequential([keras.layers.Dense(1, input_shape=(3,))]).fit(X, Y)
    with pytest.raises(ValueError, match="Unknown loss function"):
        _linear().compile("sgd", "no such loss")
    start = keras.layers.Input((3,))
    with pytest.raises(ValueError, match="Graph disconnected"):
        keras.Model(keras.layers.Input((3,)), keras.layers.Dense(1)(start))
    with pytest.raises(ImportError, match="pydot"):
        keras.utils.plot_model(model)


def _names(group: Any, name: str) -> list[str]:
    return [e.decode() if isinstance(e, bytes) else str(e) for e in group.attrs[name]]


@pytest.mark.parametrize("include_optimizer", [True, False])
def test_models_in_files(
    tmp_path: Path, include_optimizer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = keras.layers.Input((3,), name="start")
    x = keras.layers.Dense(4, activation="tanh", name="hidden")(start)
    x = keras.layers.BatchNormalization(name="norm")(x)
    model = keras.Model(start, keras.layers.Dense(1, name="end")(x))
    model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    model.fit(X, Y, verbose=0)
    path = str(tmp_path / "model.h5")
    model.save(path, include_optimizer=include_optimizer)
    with h5py.File(path) as file:
        weights = file["model_weights"]
        assert _names(weights, "layer_names") == [
            "start", "hidden", "norm", "end",
        ]  # fmt: skip
        assert _names(weights["norm"], "weight_names") == [
            f"norm/{each}:0" for each in ("gamma", "beta", "moving_mean", "moving_variance")
        ]
        assert weights["hidden"]["hidden"]["kernel:0"].shape == (3, 4)
        config = json.loads(file.attrs["model_config"])
        assert config["class_name"] == "Model"
        assert config["config"]["layers"][1]["inbound_nodes"] == [[["start", 0, 0, {}]]]
        assert ("training_config" in file.attrs) == include_optimizer
        if include_optimizer:
            names = _names(file["optimizer_weights"], "weight_names")
            assert names[:2] == ["training/Adam/iter:0", "training/Adam/hidden/kernel/m:0"]
    again = keras.models.load_model(path)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-6)
    if include_optimizer:
        model.reset_metrics()
        results = [each.train_on_batch(X, Y) for each in (model, again)]
        np.testing.assert_allclose(results[0], results[1], rtol=1e-6)
        np.testing.assert_allclose(model.predict(X), again.predict(X), rtol=1e-5)
    for answers, writes in (("no\nn\n", False), ("Y\n", True)):
        before = os.stat(path).st_mtime_ns
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        model.save(path, overwrite=False)
        assert (os.stat(path).st_mtime_ns != before) == writes
    with pytest.raises(OSError, match="does not exist"):
        keras.models.load_model(str(tmp_path / "nothing.h5"))


def test_weights_in_checkpoints(tmp_path: Path) -> None:
    model = _linear()
    model.train_on_batch(X, Y * 2)
    path = str(tmp_path / "weights")
    model.save_weights(path)
    reader = tf.train.NewCheckpointReader(path)
    key = "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE"
    np.testing.assert_array_equal(reader.get_tensor(key), model.get_weights()[0])
    other = _linear()
    other._make_train_function()
    other.load_weights(path).assert_consumed()
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])


def test_models_in_larger_graphs() -> None:
    model = keras.Sequential(
        [keras.layers.Dropout(0.5, input_shape=(3,)), keras.layers.BatchNormalization()]
    )
    with tf.Session() as session:
        result = model(tf.constant(X), training=False)
        trained = model(tf.constant(X), training=True)
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(result), X / np.sqrt(1.001), rtol=1e-5)
        values = session.run(trained)
        np.testing.assert_allclose(values.mean(0), np.zeros(3), atol=1e-5)
        assert len(model.get_updates_for(model.inputs)) == 2
        by_phase = session.run(model.output, {model.input: X, keras.backend.learning_phase(): 0})
        np.testing.assert_allclose(by_phase, X / np.sqrt(1.001), rtol=1e-5)


@pytest.mark.parametrize("kind", ["layer", "optimizer"])
def test_weights_that_do_not_fit_are_refused(kind: str) -> None:
    with tf.Graph().as_default(), tf.Session().as_default():
        model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(2,), name="dense")])
        model.compile("adam", "mse")
        model.train_on_batch(np.ones((1, 2)), np.ones((1, 3)))
        owner = model.layers[0] if kind == "layer" else model.optimizer
        weights = owner.get_weights()
        owner.set_weights([each + 1 for each in weights])
        for have, was in zip(owner.get_weights(), weights, strict=True):
            np.testing.assert_array_equal(have, was + 1)
        with pytest.raises(ValueError, match=rf"on {kind} .* weight list of length 1, but the"):
            owner.set_weights(weights[:1])
        bad = [*weights[:-1], np.ones(7)]
        with pytest.raises(ValueError, match=rf"^{kind.capitalize()} weight shape .* \(7,\)"):
            owner.set_weights(bad)


class _Watched(keras.Model):  # type: ignore[misc]
    """Tells what it lost, from a model within and its own training flag."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner
        self.kept = keras.metrics.Mean(name="never_called")

    def call(self, inputs: Any, training: Any = False) -> Any:
        made = self.inner(inputs)
        flag = tf.cond(tf.equal(training, True), lambda: 1.0, lambda: 0.0)
        self.add_metric(flag, name="flag", aggregation="mean")
        self.add_loss(flag)
        return made


def test_subclasses_see_the_phase_and_tell_their_own_metrics() -> None:
    inner = _linear(metrics=["mae"])
    model = _Watched(inner)
    model.compile(keras.optimizers.SGD(0.1), "mse")
    batches = tf.data.Dataset.from_tensors(({"dense_input": X, "more": X}, Y)).repeat()
    told = model.fit(batches, epochs=1, steps_per_epoch=1, verbose=0).history
    loss = ((X.sum(1, keepdims=True) - Y) ** 2).mean()
    assert sorted(told) == ["flag", "loss"] and told["flag"] == [1.0]
    np.testing.assert_allclose(told["loss"], [loss + 1], rtol=1e-5)
    assert model.metrics_names == ["loss", "flag"]
    np.testing.assert_allclose(
        model.evaluate({"dense_input": X, "more": X}, Y, verbose=0)[1:], [0.0]
    )
    assert [each.name for each in inner.metrics] == ["mean_absolute_error"]


def test_inputs_of_a_call() -> None:
    first = keras.Input(shape=(2,), name="first")
    model = keras.Sequential()
    model.add(first)
    model.add(keras.layers.Dense(1, kernel_initializer="ones"))
    assert model.input is first and model.layers[0].built
    two = keras.Model([first, keras.Input(shape=(2,), name="a")], first * 3.0)
    x = tf.constant([[1.0, 2.0]])
    named = [two({"first": x, "a": x * 5, "b": x}), two({"x": x, "y": x}), two([x, x * 5])]
    alone = model({"by_any_name": x})
    with keras.backend.get_session() as session:
        session.run(tf.global_variables_initializer())
        for made in named:
            np.testing.assert_allclose(session.run(made), [[3.0, 6.0]])
        np.testing.assert_allclose(session.run(alone), [[3.0]])
    with pytest.raises(AssertionError, match="Could not compute output"):
        two(x)


def test_a_subclass_is_built_on_tensors_of_the_default_float() -> None:
    class Model(keras.Model):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            return inputs["x"] * tf.constant([2.0])

    made = Model().predict({"x": tf.constant([[1.0], [3.0]], tf.float64)}, steps=1)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, [[2.0], [6.0]])


def _endless(count: int) -> Iterator[Any]:
    while True:
        yield (X[:4], Y[:4], np.ones(4), 0)[:count]


def test_what_does_not_go_with_batches() -> None:
    model = _linear()
    endless = tf.data.Dataset.from_tensors((X, Y)).repeat()
    for call, name in (
        (model.fit, "steps_per_epoch"),
        (model.evaluate, "steps"),
        (model.predict, "steps"),
    ):
        with pytest.raises(ValueError, match=rf"infinitely .* you must specify the `{name}` arg"):
            call(endless)
        with pytest.raises(ValueError, match=rf"the number of steps via the `{name}` argument"):
            call(_endless(2))
        for x in (endless, _endless(2)):
            with pytest.raises(ValueError, match=r"`batch_size` argument must not be specified"):
                call(x, batch_size=2, **{name: 2})
        with pytest.raises(ValueError, match=r"should be a tuple of 1 or 2 or 3 elements"):
            call(_endless(4), **{name: 1})
    for x, targets, weights, split in (
        (endless, r"should not specify a target", r"is not supported when input", r"is not supp"),
        (_endless(2), r"pass targets as the second", r"pass sample weights as", r"Python generat"),
    ):
        with pytest.raises(ValueError, match=targets):
            model.fit(x, Y, steps_per_epoch=1)
        with pytest.raises(ValueError, match=weights):
            model.fit(x, sample_weight=Y[:, 0], steps_per_epoch=1)
        with pytest.raises(ValueError, match=split):
            model.fit(x, validation_split=0.5, steps_per_epoch=1)
    known = model.fit(tf.data.Dataset.from_tensor_slices((X, Y)).batch(4), verbose=0)
    assert known.params["steps"] == 3


def test_targets_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"shape \(12, 2\) was passed for an output of shape \(No"):
        _linear().fit(X, np.ones((12, 2)), verbose=0)
    model = keras.Sequential([keras.layers.Dense(3, activation="softmax", input_shape=(3,))])
    model.compile("sgd", "categorical_crossentropy")
    with pytest.raises(ValueError, match=r"expects targets to be binary matrices"):
        model.fit(X, np.zeros((12, 1)), verbose=0)


def test_names_and_order_of_metrics() -> None:
    """As TensorFlow 1.15: output by output, weighted ones behind the others, each name once."""
    start = keras.Input((3,))
    ends = [keras.layers.Dense(1, "sigmoid", name=each)(start) for each in "pq"]
    model = keras.Model(start, ends)
    model.compile(
        "sgd", "mse", metrics=["mae", "mae", keras.metrics.CategoricalAccuracy()],
        weighted_metrics={"p": "mse", "q": ["mse", keras.metrics.AUC(name="auc")]},
    )  # fmt: skip
    wanted = [
        *("p_mean_absolute_error", "p_categorical_accuracy", "p_weighted_mean_squared_error"),
        *("q_mean_absolute_error", "q_categorical_accuracy", "q_weighted_mean_squared_error"),
        "q_weighted_auc",
    ]
    assert model.metrics_names == ["loss", "p_loss", "q_loss", *wanted]
    assert [each.name for each in model.metrics] == wanted
    assert {each.name.rpartition("_")[0] or each.name for each in model.metrics[0].variables} == {
        "total",
        "count",
    }
    weights = np.array([0.0] * 11 + [1.0])
    model.fit(X, [Y, Y], sample_weight=[weights, weights], epochs=2, verbose=0, batch_size=12)
    found = dict(
        zip(
            model.metrics_names,
            model.evaluate(X, [Y, Y], sample_weight=[weights] * 2, verbose=0),
            strict=True,
        )
    )
    for name, made in zip("pq", model.predict(X), strict=True):
        error = made - Y
        np.testing.assert_allclose(
            found[f"{name}_mean_absolute_error"], abs(error).mean(), rtol=1e-5
        )
        square = found[f"{name}_weighted_mean_squared_error"]
        np.testing.assert_allclose(square, error[-1] ** 2, rtol=1e-4)
        np.testing.assert_allclose(found[f"{name}_loss"], error[-1] ** 2 / 12, rtol=1e-4)
    model = _linear(metrics=["mse"], weighted_metrics=["mse", "mse"])
    model.add_metric(model.output, name="mean_squared_error", aggregation="mean")
    assert model.metrics_names[1:3] == ["mean_squared_error", "weighted_mean_squared_error"]


def test_losses_check_what_they_are_given() -> None:
    loss = keras.losses.MeanSquaredError()
    with pytest.raises(ValueError, match=r"weights can not be broadcast to values"):
        loss(tf.ones([2, 3, 1]), tf.ones([2, 3, 1]), sample_weight=tf.ones([2, 2]))
    loss.reduction = "Bar"
    with pytest.raises(ValueError, match=r"Invalid Reduction Key Bar"):
        loss(tf.ones([2]), tf.ones([2]))
    smoothed = keras.losses.CategoricalCrossentropy(label_smoothing=tf.constant(0.25))
    assert smoothed.get_config()["label_smoothing"] == 0.25
    classes, likely = (keras.backend.placeholder() for _ in range(2))
    made = keras.losses.sparse_categorical_crossentropy(classes, likely)
    values = np.array([[[0.9, 0.1], [0.2, 0.8]]])
    found = keras.backend.function([classes, likely], [made])([np.array([[0, 1]]), values])[0]
    np.testing.assert_allclose(found, -np.log([[0.9, 0.8]]), rtol=1e-5)


def test_training_goes_on_from_the_newest_file(tmp_path: Path) -> None:
    """Of those that a name with the number of the epoch matches."""
    pattern = str(tmp_path / "at{epoch:02d}-{loss:.1f}.h5")
    writes = keras.callbacks.ModelCheckpoint
    model = _linear()
    options = {"epochs": 2, "verbose": 0, "shuffle": False}
    model.fit(X, Y * 2, callbacks=[writes(pattern, save_weights_only=True)], **options)
    kept = model.get_weights()
    model.fit(X, Y * 2, **options)
    wanted = model.get_weights()
    model.set_weights([np.zeros((3, 1))])
    again = writes(pattern, save_weights_only=True, load_weights_on_restart=True)
    found = again._get_most_recently_modified_file_matching_pattern(pattern)
    assert Path(found).name.startswith("at02-")
    assert again._get_most_recently_modified_file_matching_pattern(str(tmp_path / "b{x}")) is None
    model.fit(X, Y * 2, callbacks=[again], **options)
    np.testing.assert_allclose(model.get_weights()[0], wanted[0], rtol=1e-6)
    assert not np.allclose(wanted[0], kept[0])


def test_a_summary_is_laid_out_as_theirs() -> None:
    start = keras.Input((3,))
    inner = keras.layers.Dense(3, name="a_dense_layer_with_a_name")(start)
    model = keras.Model(start, keras.layers.add([start, inner]))
    lines: list[str] = []
    model.summary(print_fn=lines.append)
    assert lines[2] == (
        "Layer (type)                    Output Shape         Param #     Connected to"
    ).ljust(98)
    assert lines[6] == (
        "a_dense_layer_with_a_name (Dens (None, 3)            12          input_1[0][0]"
    ).ljust(98)
