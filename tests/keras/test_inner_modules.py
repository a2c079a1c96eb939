"""Inner modules of tf.keras that programs import; values and texts are those of TensorFlow 1.15."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import keras
from dataflow.keras.layers.kernelized import RandomFourierFeatures
from dataflow.keras.layers.recurrent import wrapped
from dataflow.keras.layers.recurrent.masks import DropoutRNNCellMixin
from dataflow.keras.metrics import kinds
from dataflow.porting.spellings.keras import (
    clones,
    confusion,
    gradients_of_tests,
    kernels,
    saved,
    subclasses_of_tests,
)


def _value(*tensors: Any) -> Any:
    return keras.backend.get_session().run(list(tensors))


def test_kernels() -> None:
    x, y = tf.constant([[1.0, 2.0], [0.0, -1.0]]), tf.constant([0.5, 1.0])
    found = _value(
        kernels.inner_product(x, y),
        kernels.exact_gaussian_kernel(x, y, 2.0),
        kernels.exact_laplacian_kernel(x, y, 2.0),
    )
    np.testing.assert_allclose(found[0], [[2.5], [-1.0]])
    np.testing.assert_allclose(found[1], [[0.8553453], [0.58786964]], rtol=1e-6)
    np.testing.assert_allclose(found[2], [[0.47236654], [0.2865048]], rtol=1e-6)
    with pytest.raises(ValueError, match=r"should match\. Given: 3 vs 2\.$"):
        kernels.inner_product(x, y), kernels.exact_gaussian_kernel(x, tf.zeros([3]), 1.0)
    with pytest.raises(ValueError, match=r"should have rank 1 or 2\. Given rank: 3$"):
        kernels.inner_product(tf.zeros([1, 1, 1]), y)


def test_random_features() -> None:
    layer = RandomFourierFeatures(5, "laplacian", name="rff")
    model = keras.Sequential([keras.layers.InputLayer((4,)), layer])
    assert not model.trainable_weights
    assert [(each.name, each.shape.as_list()) for each in model.weights] == [
        ("rff/random_features_scale:0", [1]),
        ("rff/unscaled_random_features:0", [4, 5]),
        ("rff/random_features_bias:0", [5]),
    ]
    assert layer.get_config() == {
        "name": "rff",
        "trainable": False,
        "dtype": "float32",
        "output_dim": 5,
        "kernel_initializer": "laplacian",
        "scale": 1.0,
    }
    trained = RandomFourierFeatures(5, trainable=True)
    model = keras.Sequential([keras.layers.InputLayer((8,)), trained])
    assert len(model.trainable_weights) == 1 and trained.scale == 2.0
    scale, matrix, bias = model.get_weights()
    rows = np.random.RandomState(0).rand(3, 8).astype("f")
    np.testing.assert_allclose(
        model.predict(rows), np.cos(rows @ matrix / scale + bias), rtol=1e-4, atol=1e-5
    )
    for arguments, text in (
        ((0,), r"`output_dim` should be a positive integer\. Given: 0\."),
        ((2, "x"), r"Unsupported kernel type: 'x'\. .*: \['gaussian', 'laplacian'\]"),
        ((2, "gaussian", -1.0), r"`scale` should be a positive float\. Given: -1\.0"),
    ):
        with pytest.raises(ValueError, match=text):
            RandomFourierFeatures(*arguments)


def test_constraints_by_name() -> None:
    layer = keras.layers.Layer()
    weight = layer.add_weight("w", (2,), constraint="NonNeg")
    assert isinstance(weight.constraint, keras.constraints.NonNeg)
    for name in ("maxnorm", "unitnorm"):
        assert keras.constraints.get(name)


@pytest.mark.parametrize("name", ["ResidualWrapper", "DropoutWrapper", "DeviceWrapper"])
def test_wrapped_cells(name: str) -> None:
    cell = keras.layers.LSTMCell(4) if name == "DropoutWrapper" else keras.layers.SimpleRNNCell(4)
    options: Any = {
        "ResidualWrapper": {},
        "DropoutWrapper": {"input_keep_prob": 0.5, "state_keep_prob": 0.5, "seed": 3},
        "DeviceWrapper": {"device": "/cpu:0"},
    }[name]
    around = getattr(wrapped, name)(cell, **options)
    layer, inputs = keras.layers.RNN(around), keras.Input((5, 4))
    outputs = layer(inputs)
    names = ["rnn/kernel:0", "rnn/recurrent_kernel:0", "rnn/bias:0"]
    assert [each.name for each in layer.weights] == names
    assert (around.state_size, around.output_size) == (cell.state_size, 4)
    config = around.get_config()
    assert options.items() <= config.items() and config["dtype"] is None
    again = type(around).from_config(config)
    assert type(again.cell) is type(cell) and again.get_config() == config
    model = keras.Model(inputs, outputs)
    steps = np.random.RandomState(0).rand(2, 5, 4).astype("f")
    model.set_weights([np.full(each.shape.as_list(), 0.1, "f") for each in model.weights])
    found = model.predict(steps)
    assert np.isfinite(found).all()
    if name != "DropoutWrapper":
        state = np.zeros((2, 4), "f")
        for step in range(5):
            state = np.tanh(
                steps[:, step] @ np.full((4, 4), 0.1) + state @ np.full((4, 4), 0.1) + 0.1
            )
        added = steps[:, -1] if name == "ResidualWrapper" else 0.0
        np.testing.assert_allclose(found, state + added, rtol=1e-5)


def test_a_wrapped_cell_with_a_function() -> None:
    def both(inputs: Any, outputs: Any) -> Any:
        return inputs - outputs

    around = wrapped.ResidualWrapper(keras.layers.SimpleRNNCell(4), residual_fn=both)
    config = around.get_config()
    assert (config["residual_fn"], config["residual_fn_type"]) == ("both", "function")
    again = wrapped.ResidualWrapper.from_config(config, {"both": both})
    assert again.get_config() == config
    with pytest.raises(TypeError, match="is not an RNNCell"):
        wrapped.ResidualWrapper(3)


def test_cells_of_programs_may_drop() -> None:
    class Cell(DropoutRNNCellMixin, keras.layers.Layer):  # type: ignore[misc]
        state_size = output_size = 2
        dropout, recurrent_dropout = 0.5, 0.0

        def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
            mask = self.get_dropout_mask_for_cell(inputs, training)
            assert self.get_recurrent_dropout_mask_for_cell(states[0], training) is None
            return inputs * mask, [states[0] + inputs * mask]

    layer = keras.layers.RNN(Cell(), return_sequences=True, unroll=True)
    steps = np.ones((8, 6, 2), "f")
    found = _value(layer(tf.constant(steps), training=True))[0]
    assert (found == found[:, :1]).all() and set(found.ravel()) == {0.0, 2.0}


def test_films_with_dropout() -> None:
    layer = keras.layers.ConvLSTM2D(2, 3, padding="same", dropout=0.5, recurrent_dropout=0.5)
    made = layer(tf.ones([1, 3, 4, 4, 1]), training=True)
    keras.backend.get_session().run(tf.global_variables_initializer())
    assert np.isfinite(_value(made)[0]).all()


def test_decisions() -> None:
    kind = kinds.ConfusionMatrix
    right, missed = tf.Variable([0.0, 0.0]), tf.Variable([0.0, 0.0])
    update = confusion.update_confusion_matrix_variables(
        {kind.TRUE_POSITIVES: right, kind.FALSE_NEGATIVES: missed},
        tf.constant([1.0, 1.0, 0.0, 1.0]),
        tf.constant([0.9, 0.4, 0.8, 0.1]),
        [0.3, 0.5],
        sample_weight=tf.constant([1.0, 2.0, 3.0, 4.0]),
    )
    _value(right.initializer, missed.initializer)
    _value(update)
    assert [each.tolist() for each in _value(right, missed)] == [[3.0, 1.0], [4.0, 6.0]]
    one = tf.constant([1.0])
    for given, text in (
        ({}, "Please provide at least one valid confusion matrix variable"),
        ({kind.TRUE_POSITIVES: right, "b": right}, r"Invalid keys: \['b'\]\. Valid"),
    ):
        with pytest.raises(ValueError, match=text):
            confusion.update_confusion_matrix_variables(given, one, one, [0.5])
    assert confusion.update_confusion_matrix_variables(None, one, one, [0.5]) is None
    assert confusion.parse_init_thresholds(None, 0.3) == [0.3]
    with pytest.raises(ValueError, match=r"must be in \[0, 1\]\. Invalid values: \[2\]"):
        confusion.parse_init_thresholds([0.5, 2])


def test_curves() -> None:
    area = keras.metrics.AUC(curve=kinds.AUCCurve.PR, summation_method="Majoring")
    assert area.curve is kinds.AUCCurve.PR
    assert area.summation_method is kinds.AUCSummationMethod.MAJORING
    assert keras.metrics.AUC(curve="roc").get_config()["curve"] == "ROC"
    for text in ("AUC curve", "AUC summation method"):
        with pytest.raises(ValueError, match=f'Invalid {text} value "x"'):
            keras.metrics.AUC(**{text[4:].replace(" ", "_"): "x"})


def test_logits_are_not_checked() -> None:
    """What Keras' metrics check of predictions concerns those that they reshape."""
    inputs = keras.Input((2,))
    model = keras.Model(inputs, keras.layers.Lambda(lambda x: x - 3.0)(inputs))
    measures = keras.metrics
    model.compile(
        "sgd", "mse", [measures.AUC(), measures.Recall(), measures.SensitivityAtSpecificity(0.5)]
    )
    found = model.evaluate(np.ones((4, 2), "f"), np.ones((4, 2), "f"), verbose=0)
    assert found[2] == 0.0
    metric, told = measures.Precision(), tf.placeholder("float32", [4, 1])
    update = metric.update_state(np.ones((4,), "f"), told)
    session = keras.backend.get_session()
    session.run([each.initializer for each in metric.variables])
    with pytest.raises(tf.errors.InvalidArgumentError, match="predictions must be >= 0"):
        session.run(update, {told: np.full((4, 1), -2.0)})


def test_saving_utilities() -> None:
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), name="d")])
    assert saved.extract_model_metrics(model) is None
    model.compile("sgd", "mse", ["mae"])
    assert list(saved.extract_model_metrics(model) or ()) == ["mean_absolute_error"]
    (spec,) = saved.model_input_signature(model) or ()
    assert (spec.shape.as_list(), spec.dtype, spec.name) == ([None, 3], tf.float32, "d_input")
    told = saved.model_metadata(model)
    assert told["model_config"]["class_name"] == "Sequential"
    assert told["training_config"]["loss"] == "mse"
    assert "training_config" not in saved.model_metadata(model, include_optimizer=False)
    other = subclasses_of_tests.SimpleTestModel()
    assert saved.model_metadata(other, False, False)["model_config"] == {
        "class_name": "SimpleTestModel"
    }
    with pytest.raises(NotImplementedError):
        saved.model_metadata(other)
    assert saved.model_input_signature(other) is None
    with pytest.raises(ValueError, match="cannot be saved because the input shapes"):
        saved.raise_model_input_error(other)
    assert saved.should_overwrite("/nowhere/at/all", False)


def test_copies() -> None:
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    with pytest.raises(ValueError, match="the original model has not been compiled"):
        clones.clone_and_build_model(model)
    model.compile(keras.optimizers.SGD(0.25), "mse", ["mae"])
    counter = tf.Variable(0, dtype=tf.int64, trainable=False)
    copy = clones.clone_and_build_model(model, optimizer_iterations=counter)
    assert copy.optimizer.get_config()["learning_rate"] == 0.25
    assert copy.metrics_names == ["loss", "mean_absolute_error"]
    keras.backend.get_session().run(counter.initializer)
    copy.train_on_batch(np.ones((2, 3)), np.ones((2, 2)))
    assert _value(counter) == [1]
    assert copy.weights[0] is not model.weights[0] and clones.share_weights(copy) is copy
    with pytest.raises(ValueError, match="This model is a subclassed model"):
        clones.clone_and_build_model(subclasses_of_tests.CustomCallModel(), compile_clone=False)
    given = {"a": ["acc", keras.metrics.Mean(name="q")]}
    made = clones.clone_metrics(given)
    assert made["a"][0] == "acc" and made["a"][1].name == "q"
    assert made["a"][1] is not given["a"][1]


def test_models_of_tests() -> None:
    for model in (
        subclasses_of_tests.NestedTestModel1(),
        subclasses_of_tests.NestedTestModel2(),
        subclasses_of_tests.get_nested_model_3(32, 2),
    ):
        model.compile("sgd", "mse")
        model.fit(np.ones((4, 32)), np.ones((4, 2)), verbose=0)
        assert (len(model.weights), len(model.trainable_weights)) == (16, 12)
    several = subclasses_of_tests.MultiIOTestModel(use_bn=True, use_dp=True)
    several.compile("sgd", "mse")
    several.fit([np.ones((4, 3))] * 2, [np.ones((4, 2)), np.ones((4, 3))], verbose=0)
    images = subclasses_of_tests.SimpleConvTestModel(3)
    assert images.predict(np.ones((2, 4, 4, 1), "f")).shape == (2, 3)


def test_identities() -> None:
    x = tf.constant(3.0)
    right = gradients_of_tests.create_identity_with_grad_check_fn(2.0, tf.float32)
    wrong = gradients_of_tests.create_identity_with_grad_check_fn(5.0)
    broken = gradients_of_tests.create_identity_with_nan_gradients_fn(tf.constant(True))
    found = _value(tf.gradients(right(x) * 2.0, x)[0], tf.gradients(broken(x) * 2.0, x)[0])
    assert found[0] == 2.0 and np.isnan(found[1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        _value(tf.gradients(wrong(x) * 2.0, x)[0])


def test_begin_of_a_model() -> None:
    tensor = keras.Input((3,))
    layer, index, _ = tensor._keras_history
    node = layer._inbound_nodes[index]
    assert node.input_tensors == [tensor] and node.output_tensors == [tensor]
    assert node.input_shapes == [(None, 3)] and node.inbound_layers == []
    assert layer.input is tensor and layer.input_shape == [(None, 3)]


def test_layers_of_another_kind_are_refused() -> None:
    first, second = tf.layers.Dense(1, name="first"), tf.layers.Dense(1, name="second")
    told = "The following are legacy tf.layers.Layers:\n  {}"
    with pytest.raises(TypeError, match=re.escape(told.format(first))):
        keras.Sequential([keras.layers.Dense(2, input_shape=(2,)), first])
    tensor = keras.Input((2,))
    # Only a model of theirs is refused, not what is made of their outputs before.
    made = second(keras.layers.Dense(3)(first(tensor)))
    with pytest.raises(TypeError, match=re.escape(f"{told.format(first)}\n  {second}\nTo use")):
        keras.Model(tensor, made * 2.0)
    with pytest.raises(TypeError, match=r"legacy tf\.layers\.Layers"):
        keras.Model(tensor, tf.layers.dense(tensor, 2))
    model = keras.Model(tensor, tensor)
    with pytest.raises(TypeError, match=re.escape(told.format(first))):
        model._insert_layers([first])
    further = keras.layers.Dense(1)
    further(tensor)
    model._insert_layers([further])
    assert model.layers[1] is further and len(model.weights) == 2


def test_eager_execution_is_refused() -> None:
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
    model.run_eagerly = False
    assert model.run_eagerly is False
    with pytest.raises(ValueError, match="only set `run_eagerly=True` if eager execution is"):
        model.compile("sgd", "mse", run_eagerly=True)
    model.compile("sgd", "mse")
    assert model.run_eagerly is False
