"""What cells are besides the nodes they make: variables they own, sizes, copies."""

from __future__ import annotations

import copy
import tempfile
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import oracle
from tests.library.rnn.both import cells_of

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*is deprecated and:UserWarning"),
    pytest.mark.parametrize("library", [tf, oracle], ids=["ours", "TensorFlow"]),
]


def _names(variables: Any) -> list[str]:
    return [each.name for each in variables]


def test_variables_in_a_net(library: Any) -> None:
    cells = cells_of(library)
    with library.Graph().as_default():
        deep = cells.MultiRNNCell([cells.BasicLSTMCell(3), cells.GRUCell(2, trainable=False)])
        library.nn.dynamic_rnn(deep, library.ones([2, 3, 4]), dtype=library.float32)
        lstm = ["kernel:0", "bias:0"]
        gru = ["gates/kernel:0", "gates/bias:0", "candidate/kernel:0", "candidate/bias:0"]
        lstm = [f"rnn/multi_rnn_cell/cell_0/basic_lstm_cell/{name}" for name in lstm]
        gru = [f"rnn/multi_rnn_cell/cell_1/gru_cell/{name}" for name in gru]
        assert _names(library.global_variables()) == lstm + gru
        assert _names(library.trainable_variables()) == lstm
        assert _names(deep.trainable_weights) == _names(deep.trainable_variables) == lstm
        assert _names(deep.non_trainable_weights) == gru
        deep.trainable = False
        assert not deep.trainable_weights
        assert _names(deep.non_trainable_weights) == lstm + gru


def test_variables_of_a_cell_that_takes_them_in_call(library: Any) -> None:
    class Own(cells_of(library).RNNCell):
        state_size = output_size = 3

        def call(self, inputs: Any, state: Any) -> Any:
            weights = library.get_variable("weights", [3])
            count = library.get_variable("count", [], trainable=False)
            return inputs * weights + count, state

    with library.Graph().as_default():
        cell = Own(name="own")
        library.nn.static_rnn(cell, [library.ones([2, 3])] * 2, dtype=library.float32)
        assert cell.scope_name == "rnn/own"
        assert _names(cell.trainable_weights) == ["rnn/own/weights:0"]
        assert _names(cell.non_trainable_weights) == ["rnn/own/count:0"]


def test_a_cell_whose_build_makes_its_variables(library: Any) -> None:
    base = (tf.contrib.rnn if library is tf else cells_of(library)).LayerRNNCell

    class Own(base):
        state_size = output_size = 3

        def build(self, inputs_shape: Any) -> None:
            self.weights_made = self.add_weight("weights", shape=[3])
            self.built = True

        def call(self, inputs: Any, state: Any) -> Any:
            return inputs * self.weights_made, state

    with library.Graph().as_default():
        library.nn.static_rnn(Own(), [library.ones([2, 3])] * 2, dtype=library.float32)
        cell = Own(trainable=False, name="own")
        cell(library.ones([2, 3]), library.ones([2, 3]), scope="there")
        assert _names(library.global_variables()) == ["rnn/own/weights:0", "there/weights:0"]
        assert not cell.trainable_weights


def test_a_cell_that_overrides_calling(library: Any) -> None:
    class Old(cells_of(library).RNNCell):
        def __init__(self, units: int) -> None:
            self.units = units

        @property
        def state_size(self) -> int:
            return self.units

        @property
        def output_size(self) -> int:
            return self.units

        def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
            with library.variable_scope(scope or "old"):
                weights = library.get_variable("weights", [2 * self.units, self.units])
                new = library.tanh(library.matmul(library.concat([inputs, state], 1), weights))
                return new, new

    with library.Graph().as_default():
        library.nn.dynamic_rnn(Old(3), library.ones([2, 4, 3]), dtype=library.float32)
        assert _names(library.global_variables()) == ["rnn/old/weights:0"]


def test_sizes(library: Any) -> None:
    cells = cells_of(library)
    with library.Graph().as_default():
        lstm = cells.LSTMCell(5, num_proj=2)
        assert lstm.state_size == (5, 2)
        assert (lstm.state_size.c, lstm.state_size.h, lstm.output_size) == (5, 2, 2)
        assert cells.LSTMCell(5, num_proj=2, state_is_tuple=False).state_size == 7
        deep = cells.MultiRNNCell([lstm, cells.GRUCell(3)])
        assert (deep.state_size, deep.output_size) == (((5, 2), 3), 3)
        flat = cells.MultiRNNCell([cells.GRUCell(4), cells.GRUCell(3)], state_is_tuple=False)
        assert flat.state_size == 7
        wrapped = cells.DropoutWrapper(cells.ResidualWrapper(lstm))
        assert (wrapped.state_size, wrapped.output_size) == ((5, 2), 2)
        assert wrapped.wrapped_cell.cell is lstm
        state = deep.zero_state(7, library.float64)
        assert state[0].c.shape.as_list() == [7, 5]
        assert state[0].dtype == library.float64


def test_copies_share_no_variables(library: Any) -> None:
    with library.Graph().as_default():
        cell = cells_of(library).GRUCell(3)
        other = copy.deepcopy(cell)
        x = library.ones([2, 3])
        cell(x, x)
        other(x, x)
        assert len(library.global_variables()) == 8


def test_a_built_cell_takes_its_variables(library: Any) -> None:
    with library.Graph().as_default(), library.Session() as session:
        cell = cells_of(library).BasicRNNCell(2, dtype=library.float32)
        cell.build(library.TensorShape([None, 2]))
        output, _ = cell(library.ones([1, 2]), library.zeros([1, 2]))
        assert len(library.global_variables()) == 2
        kernel, bias = cell.weights
        session.run([kernel.initializer, bias.initializer])
        kernel.load(np.arange(8.0).reshape(4, 2), session)
        np.testing.assert_allclose(session.run(output), np.tanh([[2.0, 4.0]]), rtol=1e-6)


def _remade(cell: Any) -> Any:
    config = cell.get_config()
    if "cell" in config:
        config["cell"] = _remade(cell.cell)
    return type(cell).from_config(config)


def test_cells_are_made_again_of_their_configurations(library: Any) -> None:
    cells = cells_of(library)
    ones = library.ones_initializer()
    with library.Graph().as_default():
        basic = cells.BasicRNNCell(3, activation="relu", name="one", dtype=library.float32)
        gru = cells.GRUCell(2, kernel_initializer=ones)
        lstm = cells.LSTMCell(3, True, 1.5, ones, num_proj=2, state_is_tuple=False)
        config = basic.get_config()
        told = [config[name] for name in ("num_units", "activation", "reuse", "name", "dtype")]
        assert told == [3, "relu", None, "one", "float32"]
        for cell in (basic, gru, lstm, cells.BasicLSTMCell(4, forget_bias=0.5)):
            assert _remade(cell).get_config() == cell.get_config()
        inner = _remade(gru)._kernel_initializer
        assert type(inner) is type(ones)
        with library.Session() as session:
            assert session.run(inner([2], library.float32)).tolist() == [1.0, 1.0]
        kept = _remade(cells.DropoutWrapper(lstm, 0.5, seed=3))
        assert kept.get_config()["input_keep_prob"] == 0.5
        added = _remade(cells.ResidualWrapper(basic, lambda i, o: i + 2 * o))
        assert added._residual_fn(1, 2) == 5
        assert _remade(cells.DeviceWrapper(basic, "/cpu:0")).get_config()["device"] == "/cpu:0"
        with pytest.raises(ValueError, match="cannot reconstruct the wrapped cell"):
            cells.ResidualWrapper.from_config(cells.ResidualWrapper(basic).get_config())


def test_cells_in_cells_have_tensorflows_names_in_checkpoints(library: Any) -> None:
    cells = cells_of(library)
    with library.Graph().as_default():
        basic = cells.BasicRNNCell(3)
        deep = cells.MultiRNNCell([cells.GRUCell(3), cells.ResidualWrapper(basic)])
        deep(library.ones([1, 3]), deep.zero_state(1, library.float32))
        kept = library.train.Checkpoint(deep=deep)
        with library.Session() as session, tempfile.TemporaryDirectory() as folder:
            session.run(library.global_variables_initializer())
            saved = kept.save(f"{folder}/kept", session)
            names = [name for name, _ in library.train.list_variables(saved)]
        inside = "deep/cell-1/cell/{}/.ATTRIBUTES/VARIABLE_VALUE"
        assert {inside.format("kernel"), inside.format("bias")} <= set(names)
