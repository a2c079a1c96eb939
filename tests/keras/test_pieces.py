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
from dataflow.keras.backend import questions, tensors
from dataflow.keras.saving.converted import preprocess_weights_for_loading
from tests.oracle import oracle

keras: Any = tf.keras
STEPS = np.random.RandomState(0).rand(3, 5, 2).astype("f")


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_units_of_cudnn(kind: str) -> None:
    """They are the plain ones with sigmoids and two biases, and take kernels as rows in memory."""
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
    turned = [
        np.hstack([each.reshape(4, -1).T for each in np.hsplit(matrix, gates)])
        for matrix in (kernel, recurrent)
    ]
    plain.set_weights([*turned, plain_bias])
    np.testing.assert_allclose(fast.predict(STEPS), plain.predict(STEPS), atol=1e-6)
    convert = preprocess_weights_for_loading
    for one, other in ((fast, plain), (plain, fast)):
        other.set_weights([np.zeros_like(each) for each in other.get_weights()])
        other.layers[0].set_weights(convert(other.layers[0], one.get_weights()))
        np.testing.assert_allclose(fast.predict(STEPS), plain.predict(STEPS), atol=1e-6)
    with pytest.raises(ValueError, match=r"Invalid bias shape: \(3,\)"):
        convert(plain.layers[0], [kernel, recurrent, np.zeros(3)])
    if kind == "GRU":
        with pytest.raises(ValueError, match=r"GRU\(reset_after=False\) is not compatible with"):
            convert(fast.layers[0], [kernel, recurrent, np.zeros(12)])


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
    assert not questions.is_symbolic_tensor(Drawn())
    questions.register_symbolic_tensor_type(Drawn)
    assert not tensors.is_keras_tensor(Drawn())
    assert questions.is_symbolic_tensor(Drawn())
    assert questions.is_symbolic_tensor(tf.ragged.constant([[1], []]))


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
    assert (
        "momentum" not in kind(momentum=0)._self_slots
        and "momentum" in kind(momentum=1)._self_slots
    )


@pytest.mark.parametrize("rank", [2, 3])
def test_pools(rank: int) -> None:
    x = np.random.RandomState(3).rand(1, *[2] * rank, 2).astype("f")
    pool = getattr(keras.backend, f"pool{rank}d")
    window, axes = (2,) * rank, tuple(range(1, rank + 1))
    made = [pool(tf.constant(x), window, window, pool_mode=mode) for mode in ("max", "avg")]
    greatest, mean = (each.reshape(1, 2) for each in keras.backend.batch_get_value(made))
    np.testing.assert_allclose(greatest, x.max(axes), rtol=1e-6)
    np.testing.assert_allclose(mean, x.mean(axes), rtol=1e-6)


@pytest.mark.parametrize(("rank", "pool"), [(2, keras.backend.pool2d), (3, keras.backend.pool3d)])
def test_only_two_ways_to_pool(rank: int, pool: Any) -> None:
    with pytest.raises(ValueError, match="Invalid pooling mode: sum"):
        pool(tf.ones([1, *[2] * rank, 1]), (1,) * rank, pool_mode="sum")


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


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("first", [False, True])
def test_locally_connected_layers_in_all_ways(rank: int, padding: str, first: bool) -> None:
    """Each window's places, one by one; the ways differ in how the kernel is kept."""
    lengths, filters, channels = (6, 5)[:rank], 2, 3
    shape = (2, channels, *lengths) if first else (2, *lengths, channels)
    x = np.random.RandomState(0).rand(*shape).astype("f")
    images = np.moveaxis(x, 1, -1) if first else x
    made = []
    for way in (1, 2, 3):
        if way == 1 and padding == "same":
            with pytest.raises(ValueError, match="Invalid border mode"):
                _local(rank, padding, first, way)
            continue
        layer = _local(rank, padding, first, way)
        model = keras.Sequential([layer])
        model.build(shape)
        layer.set_weights([np.ones(each.shape.as_list()) for each in layer.weights])
        made.append(model.predict(x))
        assert made[-1].shape == tuple(layer.compute_output_shape(shape).as_list())
    wanted = np.ones(
        (2, *((4 if padding == "valid" else 6, 3 if padding == "valid" else 5)[:rank]))
    )
    for place in np.ndindex(*wanted.shape[1:]):
        start = [at - (padding == "same") for at in place]
        window = tuple(
            slice(max(at, 0), min(at + 3, size)) for at, size in zip(start, lengths, strict=True)
        )
        wanted[(slice(None), *place)] += images[(slice(None), *window)].reshape(2, -1).sum(1)
    wanted = np.stack([wanted] * filters, 1 if first else -1)
    for each in made:
        np.testing.assert_allclose(each, wanted, rtol=1e-5)


def _local(rank: int, padding: str, first: bool, way: int) -> Any:
    return getattr(keras.layers, f"LocallyConnected{rank}D")(
        2, 3, padding=padding, data_format="channels_first" if first else None, implementation=way
    )


def test_order_of_a_sparse_kernel() -> None:
    """By outputs, then by inputs, as files have it."""
    layer = keras.layers.LocallyConnected1D(2, 2, use_bias=False, implementation=3)
    layer.build((None, 3, 1))
    wanted = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 1], [2, 2], [3, 1], [3, 2]]
    assert layer.kernel_idxs.tolist() == wanted
    with pytest.raises(ValueError, match="Unrecognized implementation mode: 4"):
        _local(1, "valid", False, 4)


def test_functions_as_layers_own_variables_and_tell_shapes() -> None:
    layer = keras.layers.Lambda(lambda x: x * tf.Variable(2.0, name="factor"))
    for _ in range(2):
        layer(tf.constant(STEPS))
    assert [each.name for each in layer.trainable_weights] == ["lambda/factor:0"]
    nested = keras.layers.Lambda(lambda x: (x[1]["a"], {"b": x[0]}))
    shapes = nested.compute_output_shape(((10, 20), {"a": (10, 5)}))
    assert (shapes[0].as_list(), shapes[1]["b"].as_list()) == ([10, 5], [10, 20])
    several = keras.layers.Lambda(lambda x: x, output_shape=[(10,), (20,)])
    found = several.compute_output_shape([(5, 10), (5, 20)])
    assert [each.as_list() for each in found] == [[5, 10], [5, 20]]
    spec = keras.layers.Dense(3, dtype="float64").compute_output_signature(
        tf.TensorSpec((2, 4), tf.float64)
    )
    assert (spec.shape.as_list(), spec.dtype) == ([2, 3], tf.float64)
    with pytest.raises(TypeError, match="Only TensorSpec signature types"):
        layer.compute_output_signature((2, 3))


class _Weighted(keras.layers.Layer):  # type: ignore[misc, name-defined]
    """A cell that adds a constant at each step."""

    state_size = output_size = 2

    def call(self, inputs: Any, states: Any, constants: Any = None) -> Any:
        output = states[0] + inputs + (constants[0] if constants else 0.0)
        return output, [output]


@pytest.mark.parametrize("way", ["layers", "tensors"])
def test_states_and_constants_of_layers_and_of_the_program(way: str) -> None:
    state, constant = np.full((3, 2), 5.0, "f"), np.full((3, 2), 0.5, "f")
    start = keras.layers.Input((5, 2))
    given = (
        [keras.layers.Input((2,)) for _ in range(2)]
        if way == "layers"
        else [tf.constant(state), tf.constant(constant)]
    )
    layer = keras.layers.RNN(_Weighted())
    output = layer(start, initial_state=given[0], constants=given[1])
    fed = [start, *given] if way == "layers" else [start]
    data = [STEPS, state, constant] if way == "layers" else STEPS
    found = keras.Model(fed, output).predict(data)
    np.testing.assert_allclose(found, 5.0 + STEPS.sum(1) + 2.5, rtol=1e-5)
    both = keras.layers.Bidirectional(keras.layers.RNN(_Weighted()), merge_mode="sum")
    output = both(start, initial_state=[given[0]] * 2, constants=given[1])
    found = keras.Model(fed, output).predict(data)
    np.testing.assert_allclose(found, 2 * (5.0 + STEPS.sum(1) + 2.5), rtol=1e-5)


def test_states_that_do_not_fit() -> None:
    start, other = keras.layers.Input((5, 2)), keras.layers.Input((3,))
    with pytest.raises(ValueError, match="however `cell"):
        keras.layers.RNN(_Weighted())(start, initial_state=other)
    with pytest.raises(ValueError, match="with a mix of Keras tensors and non-Keras tensors"):
        keras.layers.RNN(_Weighted())(start, initial_state=other, constants=tf.zeros([3, 2]))
    with pytest.raises(ValueError, match="Cannot unroll a RNN if the time dimension is undefined"):
        keras.layers.LSTM(2, unroll=True)(keras.layers.Input((None, 2)))
    with pytest.raises(ValueError, match="the state should be a list"):
        keras.layers.Bidirectional(keras.layers.LSTM(2))(start, initial_state=[other])


class _Pair(keras.layers.Layer):  # type: ignore[misc, name-defined]
    """A cell of two inputs of different ranks."""

    def __init__(self) -> None:
        super().__init__()
        self.state_size = self.output_size = (2, tf.TensorShape([2, 2]))

    def build(self, shapes: Any) -> None:
        assert [each.as_list() for each in shapes] == [[None, 2], [None, 2, 2]]

    def call(self, inputs: Any, states: Any) -> Any:
        made = [states[0] + inputs[0], states[1] + inputs[1]]
        return made, made


def test_a_cell_of_structures() -> None:
    start, wide = keras.layers.Input((5, 2)), keras.layers.Input((5, 2, 2))
    found = keras.layers.RNN(_Pair(), return_state=True)((start, wide))
    squares = STEPS[..., None] * np.ones(2, "f")
    values = keras.Model([start, wide], found).predict([STEPS, squares])
    for each, wanted in zip(values, [STEPS.sum(1), squares.sum(1)] * 2, strict=True):
        np.testing.assert_allclose(each, wanted, rtol=1e-5)
    ends = [[None, 2], [None, 2, 2]]
    layer = keras.layers.RNN(_Pair())
    given = ((None, 5, 2), (None, 5, 2, 2))
    assert [each.as_list() for each in layer.compute_output_shape(given)] == ends
    layer = keras.layers.RNN(_Pair(), return_sequences=True, return_state=True)
    told = [each.as_list() for each in layer.compute_output_shape({"a": given[0], "b": given[1]})]
    assert told == [[None, 5, 2], [None, 5, 2, 2], *ends]


def test_states_that_are_given_fit() -> None:
    layer = keras.layers.LSTM(3, stateful=True, name="l")
    layer(keras.layers.Input(batch_shape=(2, 4, 5)))
    zeros = np.zeros((2, 3))
    with pytest.raises(ValueError, match=r"^Layer l expects 2 states, but it received 1 state"):
        layer.reset_states([zeros])
    text = r"^State 1 is incompatible with layer l: expected shape=\(2, 3\), found shape=\(3, 3\)$"
    with pytest.raises(ValueError, match=text):
        layer.reset_states([zeros, np.zeros((3, 3))])
    layer.reset_states([zeros, zeros + 1.0])
    assert [keras.backend.get_value(each).sum() for each in layer.states] == [0.0, 6.0]


def test_loops_between_layers_are_refused() -> None:
    start = keras.layers.Input((2,))
    twice = start * 2.0
    shared = keras.Model(start, twice + tf.square(twice))
    np.testing.assert_allclose(shared.predict(np.ones((1, 2))), [[6.0, 6.0]])
    looped = tf.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, x * 2.0), (0, start))[1]
    with pytest.raises(ValueError, match="is part of a loop between layers"):
        keras.Model(start, looped)


def test_masks_of_each_step() -> None:
    words = np.array([[[1, 2, 0], [3, 0, 0], [0, 0, 0]]])
    layers = keras.layers
    start = layers.Input((None, None))
    table = layers.TimeDistributed(layers.Embedding(5, 2, mask_zero=True))
    inner = layers.TimeDistributed(layers.SimpleRNN(2))
    rows = table(start)
    first = table.compute_mask(start, None)
    inner(rows)
    made = keras.backend.function([start], [rows._keras_mask, inner.compute_mask(rows, first)])
    found = made([words])
    assert found[0].tolist() == (words > 0).tolist()
    assert found[1].tolist() == (words > 0).any(-1).tolist()
    assert table._always_use_reshape and not layers.TimeDistributed(_Weighted())._always_use_reshape


@pytest.mark.parametrize("layer", [keras.layers.Add(), keras.layers.Concatenate()])
def test_masks_of_merged_inputs(layer: Any) -> None:
    inputs = [tf.constant(STEPS), tf.constant(STEPS)]
    masks = [tf.constant([[1.0, 0.0]] * 3), tf.constant([[1.0, 1.0]] * 3)]
    if isinstance(layer, keras.layers.Add):
        found = keras.backend.eval(layer.compute_mask(inputs, masks))
        assert found.tolist() == [[True, False]] * 3
    for given, mask, text in (
        (inputs, masks[0], "`mask` should be a list"),
        (inputs[0], masks, "`inputs` should be a list"),
        (inputs, masks[:1], "should have the same length"),
    ):
        with pytest.raises(ValueError, match=text):
            layer.compute_mask(given, mask)
    with pytest.raises(ValueError, match="list of 2 inputs"):
        keras.layers.Dot(1).compute_output_shape(1)


def test_what_layers_ask_of_inputs() -> None:
    spec = keras.layers.InputSpec(dtype="float32", ndim=3, axes={-1: 2})
    again = keras.layers.InputSpec.from_config(spec.get_config())
    assert (again.dtype, again.ndim, again.axes) == ("float32", 3, {-1: 2})
    layer = keras.layers.Layer(name="own")
    layer.input_spec = [spec, None]
    with pytest.raises(TypeError, match="must be an instance of InputSpec"):
        layer.input_spec = 3
    layer.input_spec = keras.layers.InputSpec(shape=(None, 4, 2))
    with pytest.raises(ValueError, match="Input 0 is incompatible with layer own: expected shape"):
        layer(STEPS)
    with layer.name_scope as scope:
        assert scope.startswith("own")
    for bad in (keras.layers.ZeroPadding1D, keras.layers.Cropping2D):
        with pytest.raises(ValueError, match="Found: None"):
            bad(None)


def test_zeros_among_the_inputs_of_cells() -> None:
    cell = keras.layers.GRUCell(2, dropout=0.5, recurrent_dropout=0.0)
    ones = tf.ones([3, 2])
    masks = cell.get_dropout_mask_for_cell(ones, True, count=3)
    assert len(masks) == 3 and cell.get_dropout_mask_for_cell(ones, True, count=3) is masks
    assert set(np.unique(keras.backend.eval(masks[0]))) <= {0.0, 2.0}
    assert cell.get_recurrent_dropout_mask_for_cell(ones, True) is None


def test_updates_of_cells_go_by_the_inputs_of_their_layer() -> None:
    class Counting(_Weighted):
        def build(self, shape: Any) -> None:
            self.seen = self.add_weight("seen", (), trainable=False, initializer="zeros")

        def call(self, inputs: Any, states: Any) -> Any:
            self.add_update(tf.assign_add(self.seen, tf.reduce_sum(self.of)))
            self.add_update(tf.assign_add(self.seen, 1.0))
            return super().call(inputs, states)

    start = keras.layers.Input((5, 2))
    cell = Counting()
    cell.of = start
    layer = keras.layers.RNN(cell, unroll=True)
    layer(start)
    assert len(layer.get_updates_for(start)) == len(layer.get_updates_for(None)) == 5
    variable = keras.backend.variable(STEPS)
    dense = keras.layers.Dense(2, activity_regularizer="l2")
    dense(variable)
    assert len(dense.get_losses_for(variable)) == 1


def test_a_simple_loop_takes_an_implementation_for_nothing() -> None:
    """As in TensorFlow, for programs that hand all loops the same arguments."""
    given = {"units": 2, "implementation": 2, "name": "loop"}
    layers = [keras.layers.SimpleRNN(**given), keras.layers.SimpleRNN.from_config(given)]
    assert all("implementation" not in layer.get_config() for layer in layers)
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        keras.layers.SimpleRNN(2, implementations=2)
