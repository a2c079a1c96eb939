"""Layers that TensorFlow has no CPU kernel for, states that are kept, texts and sequences."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.keras.backend import tensors
from tests.oracle import oracle

keras: Any = tf.keras
STEPS = np.random.RandomState(0).rand(3, 5, 2).astype("f")


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_units_of_cudnn(kind: str) -> None:
    """They are the plain ones with sigmoids and two biases."""
    layers, gates = keras.layers, {"LSTM": 4, "GRU": 3}[kind]
    random = np.random.RandomState(1)
    kernel, recurrent, bias = (
        random.rand(*shape).astype("f") - 0.5
        for shape in ((2, 4 * gates), (4, 4 * gates), (2, 4 * gates))
    )
    fast = keras.Sequential([getattr(layers, f"CuDNN{kind}")(4, input_shape=(5, 2))])
    fast.set_weights([kernel, recurrent, bias.reshape(-1)])
    more, plain_bias = ({"reset_after": True}, bias) if kind == "GRU" else ({}, bias.sum(0))
    plain = keras.Sequential(
        [getattr(layers, kind)(4, recurrent_activation="sigmoid", input_shape=(5, 2), **more)]
    )
    plain.set_weights([kernel, recurrent, plain_bias])
    np.testing.assert_allclose(fast.predict(STEPS), plain.predict(STEPS), atol=1e-6)


def test_states_that_are_kept() -> None:
    model = keras.Sequential(
        [keras.layers.LSTM(3, stateful=True, batch_input_shape=(3, 5, 2), return_sequences=True)]
    )
    whole = model.predict(np.concatenate([STEPS, STEPS], 0)[:3], batch_size=3)
    second = model.predict(STEPS, batch_size=3)
    assert not np.allclose(whole, second)
    model.reset_states()
    np.testing.assert_allclose(model.predict(STEPS, batch_size=3), whole, rtol=1e-6)


def test_texts_and_sequences() -> None:
    text, sequence = keras.preprocessing.text, keras.preprocessing.sequence
    tokenizer = text.Tokenizer(num_words=4, oov_token="?")
    tokenizer.fit_on_texts(["The cat, the dog!", "the end"])
    assert tokenizer.word_index == {"?": 1, "the": 2, "cat": 3, "dog": 4, "end": 5}
    numbers = tokenizer.texts_to_sequences(["the cat sat", "dog"])
    assert numbers == [[2, 3, 1], [1]]
    assert tokenizer.sequences_to_texts([[2, 3]]) == ["the cat"]
    assert text.tokenizer_from_json(tokenizer.to_json()).word_index == tokenizer.word_index
    assert tokenizer.sequences_to_matrix([[2, 2, 3]], "count").tolist() == [[0, 0, 2, 1]]
    padded = sequence.pad_sequences([[1, 2, 3], [4]], maxlen=2)
    assert padded.tolist() == [[2, 3], [0, 4]]
    behind = sequence.pad_sequences([[1, 2, 3], [4]], 2, padding="post", truncating="post", value=9)
    assert behind.tolist() == [[1, 2], [4, 9]]
    assert keras.utils.to_categorical([0, 2]).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_lambdas_are_not_read_from_files() -> None:
    model = keras.Sequential([keras.layers.Lambda(lambda x: x * 2, input_shape=(2,))])
    with pytest.raises(ValueError, match="nothing that is loaded may run code"):
        keras.models.model_from_json(model.to_json())
    named = keras.Sequential([keras.layers.Lambda(abs, input_shape=(2,))])
    again = keras.models.model_from_json(named.to_json(), {"abs": abs})
    assert again.predict(np.array([[-1.0, 2.0]])).tolist() == [[1.0, 2.0]]


def _centred(x: Any) -> Any:
    return x - tf.reduce_mean(x, 1, keepdims=True)


def _doubled(x: Any, mask: Any = None) -> Any:
    return x * 2


@pytest.mark.parametrize("name", ["named", "lambda"])
def test_functions_of_configurations_in_the_same_process(name: str) -> None:
    function = _centred if name == "named" else lambda x: _centred(x)
    start = keras.layers.Input((2,))
    layer = keras.layers.Lambda(function, output_shape=lambda shape: shape, mask=_doubled)
    model = keras.Model(start, layer(start))
    config = model.get_config()
    again = [
        keras.models.clone_model(model),
        keras.Model.from_config(copy.deepcopy(config)),
        keras.layers.Lambda.from_config(copy.copy(layer.get_config())),
    ]
    for each in again[:2]:
        assert each.predict(np.array([[1.0, 2.0]])).tolist() == [[-0.5, 0.5]]
    for each in (again[0].layers[1], again[1].layers[1], again[2]):
        assert (each.function, each.mask) == (function, _doubled)
    assert b"_Function" not in pickle.dumps(config)
    with pytest.raises(ValueError, match=r"may run code|Unknown function in Lambda layer"):
        keras.Model.from_config(json.loads(json.dumps(config)))


def test_checkpoints_take_the_session_of_models(tmp_path: Path) -> None:
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    before = model.get_weights()
    checkpoint = tf.train.Checkpoint(model=model)
    path = checkpoint.save(tmp_path / "c")
    model.set_weights([np.zeros_like(weight) for weight in before])
    checkpoint.restore(path).assert_consumed().run_restore_ops()
    np.testing.assert_array_equal(model.get_weights()[0], before[0])


def test_a_layer_that_is_trained_as_its_parts_are() -> None:
    class Parts(keras.layers.Layer):
        def __init__(self, parts: list[Any], **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.parts = parts

        @property
        def trainable(self) -> bool:
            return all(each.trainable for each in self.parts)

        @trainable.setter
        def trainable(self, value: bool) -> None:
            for each in self.parts:
                each.trainable = value

    inner = keras.layers.Dense(2)
    layer = Parts([inner])
    assert layer.trainable
    layer.trainable = False
    assert not inner.trainable


def test_classes_of_a_program_count_as_tensors() -> None:
    class Drawn:
        """Stands for a tensor that is drawn when it is asked for."""

    with pytest.raises(ValueError, match="Unexpectedly found an instance of type"):
        tensors.is_keras_tensor(Drawn())
    tensors.register_symbolic_tensor_type(Drawn)
    assert not tensors.is_keras_tensor(Drawn())


def _turned(images: Any) -> Any:
    """Channels first."""
    return np.moveaxis(images, -1, 1)


def test_dilated_transposed_convolutions() -> None:
    random = np.random.RandomState(2)
    x, kernel = random.rand(2, 6, 5, 2).astype("f"), random.rand(3, 3, 4, 2).astype("f")
    with oracle.Graph().as_default(), oracle.Session() as session:
        wanted = session.run(
            oracle.nn.atrous_conv2d_transpose(x, kernel, [2, 10, 9, 4], 2, "VALID")
        )
    made, K = [], keras.backend
    for form, images, sizes in (
        ("channels_last", x, (None, 10, 9, 4)),
        ("channels_first", _turned(x), (None, 4, 10, 9)),
    ):
        layer = keras.layers.Conv2DTranspose(
            4, 3, data_format=form, dilation_rate=2, use_bias=False
        )
        given = tf.constant(images)
        made += [
            K.conv2d_transpose(given, kernel, sizes, data_format=form, dilation_rate=(2, 2)),
            layer(given),
        ]
        K.set_value(layer.kernel, kernel)
    plain, layered, plain_first, layered_first = K.batch_get_value(made)
    for found in (plain, layered):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    for found in (plain_first, layered_first):
        np.testing.assert_allclose(found, _turned(wanted), rtol=1e-5)
    with pytest.raises(ValueError, match=r"are one: \(2, 3\)"):
        K.conv2d_transpose(tf.constant(x), kernel, (2, 10, 9, 4), dilation_rate=(2, 3))


@pytest.mark.parametrize("kind", [keras.optimizers.SGD, keras.optimizers.RMSprop])
def test_momentum_is_a_share(kind: Any) -> None:
    for wrong in (-0.1, 1.5):
        with pytest.raises(ValueError, match=rf"between \[0, 1\], not {wrong}"):
            kind(momentum=wrong)
    assert "momentum" not in kind(momentum=0)._slots and "momentum" in kind(momentum=1)._slots


@pytest.mark.parametrize("rank", [2, 3])
def test_pools(rank: int) -> None:
    x = np.random.RandomState(3).rand(1, *[2] * rank, 2).astype("f")
    pool = getattr(keras.backend, f"pool{rank}d")
    window, axes = (2,) * rank, tuple(range(1, rank + 1))
    made = [pool(tf.constant(x), window, window, pool_mode=mode) for mode in ("max", "avg")]
    greatest, mean = (each.reshape(1, 2) for each in keras.backend.batch_get_value(made))
    np.testing.assert_allclose(greatest, x.max(axes), rtol=1e-6)
    np.testing.assert_allclose(mean, x.mean(axes), rtol=1e-6)


@pytest.mark.parametrize("pool", [keras.backend.pool2d, keras.backend.pool3d])
def test_only_two_ways_to_pool(pool: Any) -> None:
    with pytest.raises(ValueError, match="Invalid pooling mode: sum"):
        pool(tf.ones([1, 2, 2, 2, 1]), (1, 1, 1), pool_mode="sum")


def test_what_cannot_be_kept_says_so() -> None:
    class Own(keras.Model):
        """Says in code what it does."""

        def call(self, inputs: Any) -> Any:
            return inputs

    with pytest.raises(NotImplementedError, match=r"Own has a `call` of its own.*save_weights"):
        Own().get_config()
    optimizer = keras.optimizers.get(tf.train.AdamOptimizer())
    for attempt in (optimizer.get_config, lambda: optimizer.weights):
        with pytest.raises(NotImplementedError, match=r"one of tf\.keras\.optimizers"):
            attempt()


def test_what_layers_of_programs_ask_of_tensors() -> None:
    from dataflow.keras.backend import questions

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        variable = tf.Variable(1.0)
        product = x * variable
        other = tf.constant(2.0)
        with tf.control_dependencies([product]):
            last = tf.identity(other)
        found = questions.get_reachable_from_inputs([x])
        assert {x, product, product.op, last} <= found and other not in found
        assert product in questions.get_reachable_from_inputs(variable, [product])
        assert last not in questions.get_reachable_from_inputs(x, [x])
        with pytest.raises(TypeError, match="Expected Operation, Variable, or Tensor"):
            questions.get_reachable_from_inputs(3)
        assert questions.is_symbolic_tensor(x) and not questions.is_symbolic_tensor(1)
        assert questions.constant_value(tf.constant(True)) and questions.constant_value(x) is None

    @questions.shape_type_conversion
    def doubled(self: object, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
        assert shape == (None, 3)
        return [shape, (*shape, 2)]

    first, second = doubled(None, tf.TensorShape([None, 3]))
    assert first.as_list() == [None, 3] and second.as_list() == [None, 3, 2]
    assert questions.convert_shapes({"a": [1, None]}) == {"a": (1, None)}


def test_initializers_by_the_names_of_functions() -> None:
    for name, scale in (("he_normal", 2.0), ("lecun_uniform", 1.0)):
        layer = tf.keras.layers.Dense(2, kernel_initializer=name)
        assert layer.get_config()["kernel_initializer"]["config"]["scale"] == scale
