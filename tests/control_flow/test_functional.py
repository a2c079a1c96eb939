"""map_fn, foldl, foldr and scan make TensorFlow's nodes and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.control_flow import functional
from tests.control_flow.both import assert_same_values
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.programs.functional_programs import OTHER_STRUCTURE, PROGRAMS, REFUSED
from tests.differentiation.both import assert_same_graph, assert_same_refusal, oracle, refusal


@pytest.mark.parametrize("name", PROGRAMS)
def test_nodes_are_tensorflows(name: str) -> None:
    assert_same_graph(PROGRAMS[name], values=False)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_tensorflows(name: str, control_flow_path: ControlFlowPath) -> None:
    assert_same_values(PROGRAMS[name], control_flow_path.session)


@pytest.mark.parametrize("name", PROGRAMS)
def test_functional_control_flow_is_tensorflows(name: str) -> None:
    functional.assert_same(PROGRAMS[name])


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_as_in_tensorflow(name: str) -> None:
    assert_same_refusal(REFUSED[name])


@pytest.mark.parametrize("name", OTHER_STRUCTURE)
def test_results_of_another_structure_are_refused_as_in_tensorflow(name: str) -> None:
    theirs = refusal(oracle, OTHER_STRUCTURE[name])
    ours = refusal(tf, OTHER_STRUCTURE[name])
    assert type(ours) is type(theirs)
    assert str(ours) == str(theirs).replace("SymbolicTensor", "Tensor")


@pytest.mark.parametrize("function", [tf.map_fn, tf.foldl, tf.foldr, tf.scan])
def test_the_function_must_be_callable(function: Any) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="callable"):
        function(3, tf.constant([1.0]))


def test_on_both_targets(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.scan(lambda total, row: total * 0.5 + row, x, initializer=tf.zeros([2]))
    slope = tf.gradients(tf.reduce_sum(y), x)[0]
    rows = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    values, slopes = session_factory().run([y, slope], {x: rows})
    np.testing.assert_allclose(values, [[1, 2], [3.5, 5], [6.75, 8.5]])
    np.testing.assert_allclose(slopes, [[1.75] * 2, [1.5] * 2, [1.0] * 2])


def test_an_empty_batch() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        mapped = tf.map_fn(lambda row: row * 2.0, x)
        folded = tf.foldl(lambda total, row: total + row, x, initializer=tf.ones([2]))
        values = session.run([mapped, folded], {x: np.zeros((0, 2))})
    assert values[0].shape == (0, 2)
    np.testing.assert_array_equal(values[1], [1, 1])
