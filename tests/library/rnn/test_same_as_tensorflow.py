"""Recurrent nets make the nodes that TensorFlow's make, compute the same, and refuse the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.control_flow import functional
from tests.differentiation.both import (
    assert_same_graph,
    assert_same_refusal,
    assert_same_value,
    flatten,
    oracle,
    refusal,
)
from tests.library.rnn.both import cells_of
from tests.library.rnn.programs import PROGRAMS
from tests.oracle import open_session

# What TensorFlow says of its own cells.
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated and:UserWarning")


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_graph(name: str) -> None:
    assert_same_graph(PROGRAMS[name], values=False)


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_values(name: str) -> None:
    ours, theirs = _values(tf, PROGRAMS[name]), _values(oracle, PROGRAMS[name])
    assert len(ours) == len(theirs) > 0
    for mine, other in zip(ours, theirs, strict=True):
        assert_same_value(mine, other)


@pytest.mark.parametrize(
    ("name", "graphs"),
    # TensorFlow does not see the number of steps of inputs whose shape is known.
    [("dynamic", True), ("raw", True), ("static with lengths", True), ("nested", False)],
)
def test_same_with_functional_control_flow(name: str, graphs: bool) -> None:
    def program(library: Any) -> Any:
        library.set_random_seed(3)
        return library.nest.flatten(PROGRAMS[name](library))

    functional.assert_same(program, graphs=graphs)


def _values(library: Any, program: Callable[[Any], Any]) -> list[Any]:
    """What a program returns is worth, with the same values for variables and placeholders."""
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        fetches = flatten(library.nest.flatten(program(library)))
        feeds = {
            op.outputs[0]: _example(op.outputs[0])
            for op in graph.get_operations()
            if op.type == "Placeholder"
        }
        for index, variable in enumerate(library.global_variables()):
            random = np.random.default_rng(index)
            variable.load(random.uniform(-1, 1, variable.shape.as_list()), session)
        found: list[Any] = session.run(fetches, feeds)
        return found


def _example(placeholder: Any) -> np.ndarray:
    """Numbers for a placeholder; two where a size is not known, lengths up to the longest."""
    shape = [2 if size is None else size for size in placeholder.shape.as_list()]
    if placeholder.dtype.is_integer:
        return np.arange(2, 2 + len(np.zeros(shape)))
    return np.random.default_rng(len(shape)).uniform(0.1, 0.9, shape)


def _x(tf: Any) -> Any:
    return tf.placeholder(tf.float32, [2, 3, 4])


def _raw(cells: Any, tf: Any, **changes: Any) -> Any:
    def loop(time: Any, output: Any, state: Any, loop_state: Any) -> Any:
        first = output is None
        given = {"state": tf.ones([2, 3]) if first else state, "input": tf.ones([2, 3])}
        given.update({} if first else changes)
        return tf.ones([2], tf.bool), given["input"], given["state"], output, loop_state

    return tf.nn.raw_rnn(cells.GRUCell(3), loop)


REFUSALS: dict[str, Callable[[Any, Any], Any]] = {
    "no cell": lambda cells, tf: tf.nn.dynamic_rnn("cell", _x(tf), dtype=tf.float32),
    "no cell in a wrapper": lambda cells, tf: cells.ResidualWrapper(3),
    "no backward cell": lambda cells, tf: tf.nn.bidirectional_dynamic_rnn(
        cells.GRUCell(3), None, _x(tf)
    ),
    "no type, static": lambda cells, tf: tf.nn.static_rnn(cells.GRUCell(3), [tf.ones([2, 3])]),
    "rank": lambda cells, tf: tf.nn.dynamic_rnn(
        cells.GRUCell(3), tf.ones([3], name="x"), dtype=tf.float32, time_major=True
    ),
    "flat inputs": lambda cells, tf: tf.nn.dynamic_rnn(
        cells.GRUCell(3), tf.ones([3, 4]), dtype=tf.float32
    ),
    "unknown size": lambda cells, tf: tf.nn.dynamic_rnn(
        cells.GRUCell(3),
        tf.placeholder(tf.float32, [2, 3, None]),
        dtype=tf.float32,
        time_major=True,
    ),
    "unknown size, static": lambda cells, tf: tf.nn.static_rnn(
        cells.GRUCell(3), [tf.placeholder(tf.float32, [2, None])], dtype=tf.float32
    ),
    "unknown size of a cell": lambda cells, tf: cells.LSTMCell(3)(
        tf.placeholder(tf.float32, [2, None]), (tf.ones([2, 3]), tf.ones([2, 3]))
    ),
    "times": lambda cells, tf: tf.nn.dynamic_rnn(
        cells.GRUCell(3),
        (tf.ones([2, 3, 4]), tf.ones([3, 3, 4])),
        dtype=tf.float32,
        time_major=True,
    ),
    "batches": lambda cells, tf: tf.nn.dynamic_rnn(
        cells.GRUCell(3),
        (tf.ones([2, 3, 4]), tf.ones([2, 2, 4])),
        dtype=tf.float32,
        time_major=True,
    ),
    "batches, static": lambda cells, tf: tf.nn.static_rnn(
        cells.GRUCell(3), [tf.ones([2, 3]), tf.ones([3, 3])], dtype=tf.float32
    ),
    "lengths": lambda cells, tf: tf.nn.dynamic_rnn(
        cells.GRUCell(3), _x(tf), sequence_length=[[3]], dtype=tf.float32
    ),
    "lengths, static": lambda cells, tf: tf.nn.static_rnn(
        cells.GRUCell(3), [tf.ones([2, 3])], sequence_length=3, dtype=tf.float32
    ),
    "no list": lambda cells, tf: tf.nn.static_rnn(cells.GRUCell(3), _x(tf)),
    "empty list": lambda cells, tf: tf.nn.static_rnn(cells.GRUCell(3), []),
    "no list, two cells": lambda cells, tf: tf.nn.static_bidirectional_rnn(
        cells.GRUCell(3), cells.GRUCell(3), _x(tf)
    ),
    "types of states": lambda cells, tf: tf.nn.dynamic_rnn(
        cells.LSTMCell(3), _x(tf), initial_state=(tf.ones([2, 3]), tf.ones([2, 3], tf.float64))
    ),
    "type of a state": lambda cells, tf: (
        cells.LSTMStateTuple(tf.ones([2, 3]), tf.ones([2, 3], tf.float64)).dtype
    ),
    "integers": lambda cells, tf: cells.GRUCell(3, dtype=tf.int32),
    "integer inputs": lambda cells, tf: cells.GRUCell(3)(
        tf.ones([2, 3], tf.int32), tf.ones([2, 3], tf.int32)
    ),
    "rank of a cell's inputs": lambda cells, tf: cells.GRUCell(3)(_x(tf), tf.ones([2, 3])),
    "no cells": lambda cells, tf: cells.MultiRNNCell([]),
    "cells in no list": lambda cells, tf: cells.MultiRNNCell("cells"),
    "states that are tuples": lambda cells, tf: cells.MultiRNNCell(
        [cells.LSTMCell(3)], state_is_tuple=False
    ),
    "a state that is no tuple": lambda cells, tf: cells.MultiRNNCell([cells.GRUCell(3)])(
        tf.ones([2, 3], name="x"), tf.ones([2, 3], name="state")
    ),
    "probability": lambda cells, tf: cells.DropoutWrapper(cells.GRUCell(3), output_keep_prob=2.0),
    "no type for dropout": lambda cells, tf: cells.DropoutWrapper(
        cells.GRUCell(3), 0.5, variational_recurrent=True
    ),
    "no size for dropout": lambda cells, tf: cells.DropoutWrapper(
        cells.GRUCell(3), 0.5, variational_recurrent=True, dtype=tf.float32
    ),
    "no visitor": lambda cells, tf: cells.DropoutWrapper(
        cells.GRUCell(3), dropout_state_filter_visitor=True
    ),
    "residual of other sizes": lambda cells, tf: cells.ResidualWrapper(cells.GRUCell(3))(
        tf.ones([2, 4]), tf.ones([2, 3])
    ),
    "abstract": lambda cells, tf: cells.RNNCell().state_size,
    "no state": lambda cells, tf: cells.GRUCell(3).get_initial_state(),
    "state of another batch": lambda cells, tf: cells.GRUCell(3).get_initial_state(
        tf.ones([2, 3]), batch_size=3
    ),
    "state of another type": lambda cells, tf: cells.GRUCell(3).get_initial_state(
        tf.ones([2, 3]), dtype=tf.float64
    ),
    "names of states": lambda cells, tf: tf.nn.static_state_saving_rnn(
        cells.GRUCell(3), [tf.ones([2, 3])], None, ("state",)
    ),
    "number of names": lambda cells, tf: tf.nn.static_state_saving_rnn(
        cells.LSTMCell(3), [tf.ones([2, 3])], None, ("state",)
    ),
    "no function": lambda cells, tf: tf.nn.raw_rnn(cells.GRUCell(3), "loop"),
}


def test_no_type() -> None:
    """TensorFlow 1.15 has other words for it than for a static loop; 2.21 has the same."""
    words = r"^If there is no initial_state, you must give a dtype\.$"
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), _x(tf))


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str) -> None:
    assert_same_refusal(lambda library: REFUSALS[name](cells_of(library), library))


@pytest.mark.parametrize("changed", ["input", "state"])
def test_refusals_of_other_structures(changed: str) -> None:
    def program(library: Any) -> Any:
        return _raw(cells_of(library), library, **{changed: (library.ones([2, 3]),)})

    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours) is type(theirs)
    assert str(ours) == str(theirs).replace("SymbolicTensor", "Tensor")
