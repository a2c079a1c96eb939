"""Checks make TensorFlow's nodes, and fail a step or the building with its texts."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.control_flow.both import assert_same_refusal, assert_same_values
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.programs.check_programs import CHECK_PROGRAMS, REFUSED_CHECKS
from tests.differentiation.both import assert_same_graph

each_program = pytest.mark.parametrize("program", CHECK_PROGRAMS, ids=lambda p: p.__name__)


@each_program
def test_graph(program: Any) -> None:
    assert_same_graph(program, values=False)


@each_program
def test_values(program: Any, control_flow_path: ControlFlowPath) -> None:
    assert_same_values(program, control_flow_path.session)


@pytest.mark.parametrize("program", REFUSED_CHECKS, ids=lambda p: p.__name__)
def test_refusal(program: Any) -> None:
    assert assert_same_refusal(program)


def test_the_tensor_whose_shape_is_another_is_named() -> None:
    texts = []
    for library in (tf, oracle):
        with library.Graph().as_default(), library.Session() as session:
            x = library.placeholder(library.float32)
            first, second = library.split(x, 2, name="parts")
            for tensor in (first, second):
                checked = library.ensure_shape(tensor, (None, 3), name="checked")
                with pytest.raises(library.errors.InvalidArgumentError) as failure:
                    session.run(checked, {x: [[1.0], [2.0]]})
                lines = failure.value.message.splitlines()
                texts.append(next(line for line in lines if line.startswith("Shape of")))
    assert texts[:2] == texts[2:]
    assert texts[1].startswith("Shape of tensor parts:1 [1,1] is not compatible with")


def test_one_name_in_each_module() -> None:
    assert tf.debugging.assert_equal is tf.assert_equal
    assert tf.debugging.Assert is tf.Assert
    assert tf.math.is_non_decreasing is tf.is_non_decreasing
    assert tf.math.is_strictly_increasing is tf.is_strictly_increasing
