"""Programs with recurrent nets, for either library: their graphs are the same node by node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.library.rnn.both import cells_of


def _floats(tf: Any, *shape: int | None) -> Any:
    return tf.placeholder(tf.float32, list(shape))


def _steps(tf: Any, count: int = 3) -> list[Any]:
    return tf.unstack(_floats(tf, None, count, 4), axis=1)


def _outputs_and_gradients(tf: Any, fetches: Any) -> list[Any]:
    """Outputs and states, and what the variables get of them."""
    flat = tf.nest.flatten(fetches)
    return [*flat, *tf.gradients(flat, tf.trainable_variables())]


def _basic(tf: Any) -> Any:
    cell = cells_of(tf).BasicRNNCell(3)
    x, state = _floats(tf, None, 4), _floats(tf, None, 3)
    first = cell(x, state)
    again = cells_of(tf).BasicRNNCell(3, activation="relu", reuse=True, name="basic_rnn_cell")
    return [first, cell(x, first[1]), again(x, state)]


def _gru(tf: Any) -> Any:
    cell = cells_of(tf).GRUCell(3, bias_initializer=tf.constant_initializer(0.3), name="g")
    x = _floats(tf, 2, 4)
    first = cell(x, cell.zero_state(2, tf.float32))
    return [first, cells_of(tf).GRUCell(3, activation=tf.nn.relu)(x, first[1], scope="other")]


def _basic_lstm(tf: Any) -> Any:
    cells, x = cells_of(tf), _floats(tf, None, 4)
    cell = cells.BasicLSTMCell(3)
    state = cell.zero_state(tf.shape(x)[0], tf.float32)
    joined = cells.BasicLSTMCell(3, forget_bias=0.5, state_is_tuple=False, activation=tf.nn.relu)
    return [cell(x, state), joined(x, _floats(tf, None, 6))]


def _lstm(tf: Any) -> Any:
    cells, x = cells_of(tf), _floats(tf, None, 4)
    start = tf.random_uniform_initializer(-0.5, 0.5, seed=2)
    plain = cells.LSTMCell(3, initializer=start)
    whole = cells.LSTMCell(
        3, use_peepholes=True, cell_clip=0.2, initializer=start, num_proj=2, proj_clip=0.1, name="w"
    )
    joined = cells.LSTMCell(3, num_proj=2, state_is_tuple=False, name="j")
    cut = cells.LSTMCell(4, num_proj=2, num_unit_shards=2, num_proj_shards=2, name="c")
    state = whole.get_initial_state(inputs=x)
    return [
        plain(x, plain.zero_state(2, tf.float32)),
        whole(x, state),
        joined(x, _floats(tf, None, 5)),
        cut(x, cut.zero_state(2, tf.float32)),
    ]


def _partitioned(tf: Any) -> Any:
    cells = cells_of(tf)
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        cell = cells.LSTMCell(2, num_proj=2)
        return _outputs_and_gradients(tf, tf.nn.static_rnn(cell, _steps(tf), dtype=tf.float32))


def _multi(tf: Any) -> Any:
    cells, x = cells_of(tf), _floats(tf, None, 4)
    deep = cells.MultiRNNCell([cells.BasicLSTMCell(3), cells.GRUCell(2)])
    flat = cells.MultiRNNCell([cells.GRUCell(3), cells.BasicRNNCell(2)], state_is_tuple=False)
    return [
        deep(x, deep.zero_state(tf.shape(x)[0], tf.float32)),
        flat(x, flat.zero_state(2, tf.float32)),
    ]


def _wrappers(tf: Any) -> Any:
    cells, x = cells_of(tf), _floats(tf, None, 3)
    residual = cells.ResidualWrapper(cells.GRUCell(3))
    other = cells.ResidualWrapper(cells.BasicRNNCell(2), residual_fn=lambda i, o: o * 2.0)
    placed = cells.DeviceWrapper(cells.BasicLSTMCell(3), "/cpu:0")
    return [
        each(x, each.zero_state(tf.shape(x)[0], tf.float32)) for each in (residual, other, placed)
    ]


def _dropout(tf: Any) -> Any:
    tf.set_random_seed(7)
    cells, x = cells_of(tf), _floats(tf, None, 4)
    keep = tf.placeholder(tf.float32, [])
    fixed = cells.DropoutWrapper(cells.BasicLSTMCell(3), 0.8, 0.7, 0.6, seed=3)
    fed = cells.DropoutWrapper(cells.GRUCell(3), input_keep_prob=keep)
    fetches = [
        each(x, each.zero_state(2, tf.float32))
        for each in (
            fixed,
            fed,
            cells.DropoutWrapper(
                cells.BasicLSTMCell(3, name="v"),
                0.9,
                0.5,
                0.7,
                variational_recurrent=True,
                input_size=4,
                dtype=tf.float32,
            ),
            cells.DropoutWrapper(
                cells.LSTMCell(3),
                state_keep_prob=0.5,
                dropout_state_filter_visitor=lambda part: True,
            ),
        )
    ]
    return fetches


def _static(tf: Any) -> Any:
    cell = cells_of(tf).BasicLSTMCell(3)
    return _outputs_and_gradients(tf, tf.nn.static_rnn(cell, _steps(tf), dtype=tf.float32))


def _static_with_lengths(tf: Any) -> Any:
    cell = cells_of(tf).GRUCell(3)
    fetches = tf.nn.static_rnn(cell, _steps(tf), dtype=tf.float32, sequence_length=[1, 2])
    return _outputs_and_gradients(tf, fetches)


def _static_bidirectional(tf: Any) -> Any:
    cells = cells_of(tf)
    lengths = tf.constant([3, 1])
    plain = tf.nn.static_bidirectional_rnn(
        cells.GRUCell(3), cells.BasicRNNCell(2), _steps(tf), dtype=tf.float32
    )
    ended = tf.nn.static_bidirectional_rnn(
        cells.GRUCell(3),
        cells.BasicRNNCell(2),
        _steps(tf),
        initial_state_fw=_floats(tf, None, 3),
        dtype=tf.float32,
        sequence_length=lengths,
        scope="b",
    )
    return _outputs_and_gradients(tf, [plain, ended])


class _Saver:
    """Keeps states in variables, as a reader of long sequences in parts does."""

    def __init__(self, tf: Any) -> None:
        self._assign = tf.assign
        self._variables = {
            name: tf.get_variable(name, [2, 3], initializer=tf.ones_initializer())
            for name in ("c", "h")
        }

    def state(self, name: str) -> Any:
        return self._variables[name].read_value()

    def save_state(self, name: str, value: Any) -> Any:
        return self._assign(self._variables[name], value)


def _state_saving(tf: Any) -> Any:
    cells = cells_of(tf)
    lstm = tf.nn.static_state_saving_rnn(
        cells.BasicLSTMCell(3), _steps(tf), _Saver(tf), cells.LSTMStateTuple("c", "h")
    )
    with tf.variable_scope("other"):
        gru = tf.nn.static_state_saving_rnn(
            cells.GRUCell(3), _steps(tf), _Saver(tf), "c", sequence_length=[3, 2]
        )
    return [lstm, gru]


def _dynamic(tf: Any) -> Any:
    cell = cells_of(tf).BasicLSTMCell(3)
    return _outputs_and_gradients(
        tf, tf.nn.dynamic_rnn(cell, _floats(tf, None, None, 4), dtype=tf.float32)
    )


def _dynamic_with_lengths(tf: Any) -> Any:
    cells = cells_of(tf)
    cell = cells.MultiRNNCell([cells.GRUCell(3), cells.LSTMCell(2, num_proj=3)])
    fetches = tf.nn.dynamic_rnn(
        cell,
        _floats(tf, 5, 2, 4),
        sequence_length=tf.placeholder(tf.int64, [None]),
        initial_state=(_floats(tf, 2, 3), cells.LSTMStateTuple(_floats(tf, 2, 2), tf.ones([2, 3]))),
        parallel_iterations=4,
        swap_memory=True,
        time_major=True,
        scope="r",
    )
    return _outputs_and_gradients(tf, fetches)


def _dynamic_bidirectional(tf: Any) -> Any:
    cells = cells_of(tf)
    plain = tf.nn.bidirectional_dynamic_rnn(
        cells.GRUCell(3), cells.GRUCell(3), _floats(tf, 2, 3, 4), dtype=tf.float32
    )
    ended = tf.nn.bidirectional_dynamic_rnn(
        cells.LSTMCell(3),
        cells.GRUCell(2),
        _floats(tf, None, 2, 4),
        sequence_length=[2, 0],
        dtype=tf.float32,
        time_major=True,
        scope="b",
    )
    return _outputs_and_gradients(tf, [plain, ended])


def _dynamic_dropout(tf: Any) -> Any:
    tf.set_random_seed(5)
    cells = cells_of(tf)
    cell = cells.DropoutWrapper(
        cells.BasicLSTMCell(3),
        output_keep_prob=0.5,
        state_keep_prob=0.5,
        variational_recurrent=True,
        dtype=tf.float32,
    )
    return tf.nn.dynamic_rnn(cell, _floats(tf, None, 3, 4), dtype=tf.float32)


def _own_cell(tf: Any) -> type:
    class Counting(cells_of(tf).RNNCell):
        """Takes a pair of inputs; its state is the last output and a count."""

        @property
        def state_size(self) -> Any:
            return {"count": 1, "last": tf.TensorShape([2, 2])}

        @property
        def output_size(self) -> Any:
            return (tf.TensorShape([2, 2]), 1)

        def call(self, inputs: Any, state: Any) -> Any:
            left, right = inputs
            factor = tf.get_variable("factor", [2, 2])
            last = left * factor + state["last"] + right[:, None, :]
            count = state["count"] + 1.0
            return (last, count), {"count": count, "last": last}

    return Counting


def _nested(tf: Any) -> Any:
    cell = _own_cell(tf)()
    inputs = (_floats(tf, 2, 3, 2, 2), _floats(tf, 2, 3, 2))
    return _outputs_and_gradients(
        tf, tf.nn.dynamic_rnn(cell, inputs, sequence_length=[3, 1], dtype=tf.float32)
    )


def _nested_static(tf: Any) -> Any:
    cell = _own_cell(tf)(name="own")
    inputs = [(_floats(tf, 2, 2, 2), _floats(tf, 2, 2)) for _ in range(2)]
    return tf.nn.static_rnn(cell, inputs, dtype=tf.float32)


class _WithoutBase:
    """What programs call a cell that is none of the library's."""

    output_size = state_size = 4

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self._zeros([batch_size, 4], dtype)

    def __init__(self, tf: Any) -> None:
        self._zeros = tf.zeros

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        return inputs + state, inputs


def _without_base(tf: Any) -> Any:
    x = _floats(tf, 2, 3, 4)
    return [
        tf.nn.dynamic_rnn(_WithoutBase(tf), x, dtype=tf.float32),
        tf.nn.static_rnn(_WithoutBase(tf), tf.unstack(x, axis=1), dtype=tf.float32),
    ]


def _shared(tf: Any) -> Any:
    """One cell in two nets, and another cell with the variables of the first net."""
    cells, x = cells_of(tf), _floats(tf, 2, 3, 4)
    cell = cells.BasicLSTMCell(3)
    with tf.variable_scope("m"):
        first = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        second = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope="second")
    with tf.variable_scope("m", reuse=True):
        third = tf.nn.dynamic_rnn(cells.BasicLSTMCell(3), x, dtype=tf.float32)
    return [first, second, third]


def _raw(tf: Any) -> Any:
    cell = cells_of(tf).LSTMCell(3)
    inputs = tf.TensorArray(tf.float32, size=4).unstack(_floats(tf, 4, 2, 5))
    lengths = tf.constant([4, 2])

    def loop(time: Any, output: Any, state: Any, _: Any) -> Any:
        first = output is None
        finished = time >= lengths
        following = tf.cond(
            tf.reduce_all(finished), lambda: tf.zeros([2, 5]), lambda: inputs.read(time)
        )
        following.set_shape([2, 5])
        state = cell.zero_state(2, tf.float32) if first else state
        return finished, following, state, output, None

    outputs, state, loop_state = tf.nn.raw_rnn(cell, loop)
    assert loop_state is None
    return _outputs_and_gradients(tf, [outputs.stack(), state])


def _raw_with_loop_state(tf: Any) -> Any:
    cell = cells_of(tf).GRUCell(3)
    x = _floats(tf, None, 3)

    def loop(time: Any, output: Any, state: Any, loop_state: Any) -> Any:
        if output is None:
            emitted: Any = (tf.zeros([2]), tf.zeros([], tf.int32))
            return tf.zeros([2], tf.bool), x, tf.ones([2, 3]), emitted, tf.constant(0.0)
        seen = tf.fill([2], time * 2)
        total = loop_state + tf.reduce_sum(output)
        return tf.fill([2], time >= 3), output, state, (output[:, :2], seen), total

    (outputs, seen), state, total = tf.nn.raw_rnn(cell, loop, 2, True, scope="raw")
    return [outputs.stack(), seen.stack(), state, total]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "basic": _basic,
    "gru": _gru,
    "basic lstm": _basic_lstm,
    "lstm": _lstm,
    "partitioned": _partitioned,
    "multi": _multi,
    "wrappers": _wrappers,
    "dropout": _dropout,
    "static": _static,
    "static with lengths": _static_with_lengths,
    "static bidirectional": _static_bidirectional,
    "state saving": _state_saving,
    "dynamic": _dynamic,
    "dynamic with lengths": _dynamic_with_lengths,
    "dynamic bidirectional": _dynamic_bidirectional,
    "dynamic dropout": _dynamic_dropout,
    "nested": _nested,
    "nested static": _nested_static,
    "without base": _without_base,
    "shared": _shared,
    "raw": _raw,
    "raw with loop state": _raw_with_loop_state,
}
