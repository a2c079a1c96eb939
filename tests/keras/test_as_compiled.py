"""What `compile` settles: what is frozen, updated, measured and compared; epochs of datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras
layers: Any = keras.layers
X = np.random.RandomState(0).rand(8, 3).astype("f")
Y = X.sum(1, keepdims=True)


def _linear(**options: Any) -> Any:
    return layers.Dense(1, kernel_initializer="ones", use_bias=False, **options)


def test_the_size_of_the_input_of_a_dense_layer() -> None:
    model = keras.Sequential([layers.Dense(2, input_dim=3)])
    assert model.input_shape == (None, 3)
    assert len(keras.Sequential(layers.Dense(1)).layers) == 1


@pytest.mark.parametrize("rows", [8, 4])
def test_every_epoch_of_a_dataset(rows: int) -> None:
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(rows)
    model = keras.Sequential([_linear(input_dim=3)])
    model.compile("sgd", "mse")
    history = model.fit(dataset, epochs=3, verbose=0, validation_data=dataset).history
    assert len(history["loss"]) == len(history["val_loss"]) == 3


def test_a_dataset_goes_on_over_epochs_until_it_runs_out() -> None:
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)
    model = keras.Sequential([_linear(input_dim=3)])
    model.compile("sgd", "mse")
    with pytest.warns(UserWarning, match="ran out of data"):
        history = model.fit(dataset, epochs=4, steps_per_epoch=3, verbose=0).history
    assert len(history["loss"]) == 2


def test_what_is_frozen_when_a_model_is_compiled_again() -> None:
    first = layers.Dense(3, input_dim=3)
    model = keras.Sequential([first, layers.Dense(1)])
    model.compile("sgd", "mse")
    model.train_on_batch(X, Y + 9)
    first.trainable = False
    before = first.get_weights()
    with pytest.warns(UserWarning, match="Discrepancy between trainable weights"):
        model._self_functions.clear()
        model.train_on_batch(X, Y + 9)
    assert not np.array_equal(first.get_weights()[0], before[0])
    model.compile("sgd", "mse")
    before = first.get_weights()
    model.train_on_batch(X, Y + 9)
    np.testing.assert_array_equal(first.get_weights()[0], before[0])


def test_updates_are_those_of_the_time_of_compilation() -> None:
    shared = layers.BatchNormalization()
    frozen, trained = (layers.Input((3,)) for _ in range(2))
    one = keras.Model(frozen, shared(frozen))
    shared.trainable = False
    one.compile("sgd", "mse")
    two = keras.Model(trained, shared(trained))
    shared.trainable = True
    two.compile("sgd", "mse")
    before = shared.get_weights()
    with pytest.warns(UserWarning, match="Discrepancy"):
        one.train_on_batch(X, X + 1)
    np.testing.assert_array_equal(shared.get_weights(), before)
    two.train_on_batch(X, X + 1)
    assert all(not np.array_equal(a, b) for a, b in zip(before, shared.get_weights(), strict=True))


def test_a_model_in_a_model_is_updated_and_regularized_at_each_call() -> None:
    start = layers.Input((3,))
    x = layers.BatchNormalization(momentum=0.0, name="norm")(start)
    inner = keras.Model(start, _linear(activity_regularizer=lambda y: tf.reduce_sum(y))(x))
    outer_start = layers.Input((3,))
    outer = keras.Model(outer_start, inner(outer_start))
    outer.compile(keras.optimizers.SGD(0.0), "mse")
    loss = outer.train_on_batch(X, Y)
    norm = inner.get_layer("norm")
    np.testing.assert_allclose(keras.backend.get_value(norm.moving_mean), X.mean(0), rtol=1e-5)
    scaled = ((X - X.mean(0)) / np.sqrt(X.var(0) + 1e-3)).sum(1, keepdims=True)
    wanted = ((scaled - Y) ** 2).mean() + scaled.sum() / len(X)
    np.testing.assert_allclose(loss, wanted, rtol=1e-4)
    assert len(outer.losses) == 2
    assert len(outer.updates) == 4
    assert len(outer.get_updates_for(outer_start)) == 2


class _Counting(keras.Model):  # type: ignore[misc, name-defined]
    """Adds metrics in its call: one held by an attribute, one without."""

    def __init__(self, **added: Any) -> None:
        super().__init__()
        self.dense, self.added = _linear(), added
        self.mean = keras.metrics.Mean(name="held")

    def call(self, inputs: Any) -> Any:
        self.add_metric(tf.reduce_sum(inputs), **self.added)
        self.add_metric(self.mean(inputs), name="held")
        return self.dense(inputs)


def test_metrics_go_by_their_names() -> None:
    model = _Counting(name="sum", aggregation="mean")
    model.compile("sgd", "mse", metrics=[keras.metrics.MeanAbsoluteError(name="mae")])
    model.train_on_batch(X, Y)
    names = [each.name for each in model.metrics]
    assert names == ["mae", "held", "sum"]
    values = dict(zip(["loss", *names], model.test_on_batch(X, Y), strict=True))
    np.testing.assert_allclose([values["held"], values["sum"]], [X.mean(), X.sum()], rtol=1e-5)


@pytest.mark.parametrize(
    ("added", "text"),
    [
        ({"aggregation": "mean"}, "Please provide a name"),
        ({"name": "sum"}, "not the output of a `tf.keras.metrics.Metric`"),
        ({"name": "sum", "aggregation": "max"}, "only `mean` sample-wise"),
    ],
)
def test_metrics_that_are_refused(added: dict[str, str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        _Counting(**added)(tf.constant(X))


def test_variables_of_metrics_have_plain_names() -> None:
    names = [each.name for kind in range(2) for each in keras.metrics.Mean().variables]
    assert names == ["total:0", "count:0", "total_1:0", "count_1:0"]


def test_two_metrics_of_one_name_are_refused() -> None:
    model = _Counting(name="sum", aggregation="mean")
    model.other = keras.metrics.Mean(name="held")
    with pytest.raises(ValueError, match='2 metrics with the name: "held"'):
        model(tf.constant(X))


def test_metrics_of_a_model_of_tensors_come_behind_those_of_its_layers() -> None:
    class Layer(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, inputs: Any) -> Any:
            self.add_metric(tf.reduce_sum(inputs), name="of_layer", aggregation="mean")
            return inputs

    start = layers.Input((3,))
    end = _linear()(Layer()(start))
    model = keras.Model(start, end)
    model.add_metric(tf.reduce_sum(end), name="of_model", aggregation="mean")
    with pytest.raises(ValueError, match="on a Functional Model is not supported"):
        model.add_metric(keras.metrics.Mean(name="m")(end))
    model.compile("sgd", "mse", metrics=[keras.metrics.MeanAbsoluteError(name="mae")])
    assert model.metrics_names == ["loss", "mae", "of_layer", "of_model"]
    assert [each.name for each in model.metrics] == ["mae", "of_layer", "of_model"]


def test_what_a_compiled_model_tells() -> None:
    start = layers.Input((3,))
    model = keras.Model(start, [_linear(name="a")(start), _linear(name="b")(start)])
    model.compile("sgd", {"a": "mae", "b": "mse"}, loss_weights={"a": 1.0, "b": 2.0})
    found = [each.fn for each in model.loss_functions]
    assert found == [keras.losses.mean_absolute_error, keras.losses.mean_squared_error]
    assert model._loss_weights_list == [1.0, 2.0]
    for what in ("sample_weight", "class_weight"):
        with pytest.raises(ValueError, match=rf"Unknown entries in {what} dictionary: \['c'\]"):
            model.fit(X, [Y, Y], verbose=0, **{what: {"c": {}}})
        with pytest.raises(TypeError, match=f"`{what}` should be either a list or a dict"):
            model.fit(X, [Y, Y], verbose=0, **{what: 3})


def test_targets_of_the_program_are_fed_if_they_are_placeholders() -> None:
    start = layers.Input((3,))
    model = keras.Model(start, _linear()(start))
    target = keras.backend.placeholder((None, 1))
    model.compile(keras.optimizers.SGD(0.0), "mse", target_tensors=target)
    assert model.targets == [target]
    np.testing.assert_allclose(model.train_on_batch(X, Y + 2), 4.0, rtol=1e-5)
    model.compile(keras.optimizers.SGD(0.0), "mse", target_tensors=keras.backend.variable(Y + 3))
    np.testing.assert_allclose(model.train_on_batch(X, None), 9.0, rtol=1e-5)


def test_lists_of_lists_and_vectors_as_inputs() -> None:
    start = layers.Input((3,))
    model = keras.Model(start, _linear()(start))
    np.testing.assert_allclose(model.predict([X.tolist()]), Y, rtol=1e-6)
    scalar = layers.Input(())
    np.testing.assert_allclose(keras.Model(scalar, scalar * 2.0).predict(X[:, 0]), X[:, 0] * 2)


def test_what_symbolic_data_must_come_with() -> None:
    model = keras.Sequential([_linear(input_dim=3)])
    model.compile("sgd", "mse")
    x, y = tf.constant(X), tf.constant(Y)
    with pytest.raises(ValueError, match="should specify the `steps_per_epoch` argument"):
        model.fit(x, y, verbose=0)
    with pytest.raises(ValueError, match="you cannot use `validation_split`"):
        model.fit(x, y, steps_per_epoch=1, validation_split=0.5, verbose=0)


def test_models_that_need_eager_execution_are_not_compiled() -> None:
    model = keras.Sequential([layers.Dense(1, input_dim=3)])
    model.add(layers.Layer(dynamic=True))
    assert model.dynamic
    assert model.layers[1].get_config()["dynamic"] is True
    with pytest.raises(ValueError, match="You must enable eager execution"):
        model.compile("sgd", "mse")


def test_layers_without_own_arguments_tell_their_configuration() -> None:
    class Plain(layers.Layer):  # type: ignore[misc, name-defined]
        pass

    config = Plain(name="plain").get_config()
    assert config == {"name": "plain", "trainable": True, "dtype": None}


def test_optimizers_of_few_variables_and_of_their_own_ones() -> None:
    start = layers.Input((3,))
    for optimizer in ("sgd", tf.train.GradientDescentOptimizer(0.1)):
        model = keras.Model(start, layers.ReLU()(start))
        model.compile(optimizer, "mse")
        np.testing.assert_allclose(model.train_on_batch(X, X), 0.0)
    optimizer = keras.optimizers.Adam(0.1)
    used, other = keras.backend.variable([1.0]), keras.backend.variable([1.0])
    with pytest.warns(UserWarning, match="Gradients do not exist for variables"):
        optimizer.minimize(used * 2.0, [used, other])
    assert optimizer.get_slot_names() == ["m", "v"]
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, other)])
    own = optimizer.add_weight("own", [2], initializer="ones", trainable=False)
    assert keras.backend.get_value(own).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="ON_READ only for non-trainable"):
        optimizer.add_weight(
            "bad", [], trainable=True, synchronization=tf.VariableSynchronization.ON_READ
        )
    decay = keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
    assert keras.backend.eval(decay(step=1)) == 0.25


def test_variables_are_those_that_attributes_hold() -> None:
    layer = layers.Layer()
    layer.a = tf.Variable(1.0)
    layer.b = layer.a
    layer.written = layer.a.assign_add(1.0)
    assert layer.weights == [layer.a]
    layer.a = tf.Variable(2.0)
    assert layer.weights == [layer.b, layer.a]
    del layer.b
    layer.a = layers.Dense(1)
    assert layer.weights == []
    assert layer._layers == [layer.a]


def test_callbacks_hear_of_validation() -> None:
    heard: list[str] = []

    class Listener(keras.callbacks.Callback):  # type: ignore[misc, name-defined]
        def on_test_begin(self, logs: Any = None) -> None:
            heard.append("begin")

        def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
            heard.append("batch")

        def on_test_end(self, logs: Any = None) -> None:
            heard.append("end")

    model = keras.Sequential([_linear(input_dim=3)])
    model.compile("sgd", "mse")
    model.fit(X, Y, 4, epochs=2, verbose=0, validation_data=(X, Y), callbacks=[Listener()])
    assert heard == ["begin", "batch", "batch", "end"] * 2


def test_a_bar_of_training_is_not_that_of_its_validation(capsys: Any) -> None:
    model = keras.Sequential([_linear(input_dim=3)])
    model.compile("sgd", "mse")
    model.fit(X, Y, 4, epochs=2, verbose=1, validation_data=(X[:2], Y[:2]))
    assert "2/2" not in capsys.readouterr().out.replace("Epoch 2/2", "")


def test_layers_added_to_a_model_that_was_called() -> None:
    model = keras.Sequential([layers.Dense(3)])
    assert model.compute_output_shape((None, 7)).as_list() == [None, 3]
    for count in (1, 2):
        model.compile("sgd", "mse")
        model.fit(X, X, verbose=0)
        assert (len(model.layers), len(model.weights)) == (count, 2 * count)
        model.add(layers.Dense(3))
        assert model.built and model.inputs and model.outputs
    for first, error in ((True, ValueError), (False, TypeError)):
        pair = layers.Lambda(lambda x: [x, x], input_shape=(3,))
        with pytest.raises(error, match="should have a single output tensor"):
            keras.Sequential([pair] if first else [layers.Dense(1, input_dim=3), pair])


def test_a_model_without_a_shape_is_called_on_variables() -> None:
    model = keras.Sequential([layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = keras.backend.variable(X), keras.backend.variable(Y)
    assert np.isfinite(model.fit(x, y, steps_per_epoch=2, verbose=0).history["loss"][0])


@pytest.mark.parametrize(
    ("weights", "total", "count"),
    [
        (0.5, 0.5 * 12.5, 3.0),
        ([0.5], 0.5 * 12.5 / 6, 0.5),
        ([[1.0, 0.0, 2.0]], 3.0 + 9.0, 6.0),
        ([[[1.0], [0.0], [2.0]]], 3.0 + 9.0, 6.0),
    ],
)
def test_weights_of_values(weights: Any, total: float, count: float) -> None:
    """One weight for all that lies behind it; sums take the sum of that, means the mean."""
    values = [[[1.0, 2.0], [3.0, 2.0], [0.5, 4.0]]]
    mean, summed = keras.metrics.Mean(), keras.metrics.Sum()
    with tf.Session() as session:
        results = [each(values, sample_weight=weights) for each in (mean, summed)]
        session.run([each.initializer for each in (*mean.variables, *summed.variables)])
        session.run(results)
        np.testing.assert_allclose(session.run([mean.total, mean.count]), [total, count], rtol=1e-5)
        wanted = total if weights != [0.5] else 0.5 * 12.5
        np.testing.assert_allclose(session.run(summed.total), wanted, rtol=1e-5)


def test_a_rate_becomes_a_schedule_and_what_is_updated_is_a_variable() -> None:
    optimizer = keras.optimizers.SGD(1.0)
    variable = keras.backend.variable([1.0])
    optimizer.minimize(variable * 2.0, [variable])
    schedule = keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
    optimizer.learning_rate = schedule
    assert optimizer.learning_rate is schedule
    tensor = tf.constant(3.0)
    pairs = optimizer._compute_gradients(lambda: tensor * tensor, [tensor])
    assert keras.backend.eval(pairs[0][0]) == 6.0
    with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
        optimizer.apply_gradients(pairs)


@pytest.mark.parametrize("shaped", ["called", "built", "trained"])
def test_a_model_that_is_compiled_before_it_has_inputs(shaped: str) -> None:
    model = keras.Sequential([layers.Lambda(lambda x: x), _linear()])
    model.compile("sgd", "mse", metrics=["mae"])
    if shaped == "called":
        model(layers.Input((3,)))
    elif shaped == "built":
        model.build((None, 3))
    np.testing.assert_allclose(model.test_on_batch(X, Y + 2), [4.0, 2.0], rtol=1e-5)
    history = model.fit(X, Y + 2, epochs=2, verbose=0).history
    assert history["loss"][1] < history["loss"][0]


class _First(layers.Layer):  # type: ignore[misc]
    """Hands out the first of two things, as layers of distributions do."""

    def __call__(self, inputs: Any) -> Any:
        return super().__call__(inputs)[0]

    def call(self, inputs: Any) -> Any:
        return inputs * 2.0, inputs * 3.0


def test_a_layer_that_hands_out_less_than_it_made() -> None:
    inner = keras.Sequential([layers.InputLayer((3,)), _First()])
    start = layers.Input((3,))
    model = keras.Model(start, layers.Lambda(lambda x: x + 1.0)(inner(start)))
    np.testing.assert_allclose(model.predict(X), X * 2 + 1, rtol=1e-6)
