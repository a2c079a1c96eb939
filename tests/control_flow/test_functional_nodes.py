"""Conditionals and loops as If, Case and While nodes: graphs, gradients and values."""

from __future__ import annotations

import pytest

from tests.control_flow.functional import (
    Program,
    assert_same,
    first_gradient,
    second_gradient,
)
from tests.control_flow.programs import functional_cond_programs as conds
from tests.control_flow.programs import functional_loop_programs as loops

PROGRAMS = [*conds.PROGRAMS, *loops.PROGRAMS]
DIFFERENTIABLE = [p for p in PROGRAMS if p not in conds.WITHOUT_GRADIENT]
_NOT_TWICE = (*conds.WITHOUT_SECOND, *loops.WITHOUT_SECOND)
TWICE_DIFFERENTIABLE = [p for p in PROGRAMS if p not in _NOT_TWICE]


def _name(program: Program) -> str:
    return program.__name__


@pytest.mark.parametrize("program", PROGRAMS, ids=_name)
def test_program(program: Program) -> None:
    """Nodes, functions, and what they compute."""
    assert_same(program)


@pytest.mark.parametrize("program", DIFFERENTIABLE, ids=_name)
def test_first_gradient(program: Program) -> None:
    """The rewritten node, the gradient's node, and what they compute."""
    assert_same(first_gradient(program))


@pytest.mark.parametrize("program", TWICE_DIFFERENTIABLE, ids=_name)
def test_second_gradient(program: Program) -> None:
    """Both nodes are rewritten again."""
    assert_same(second_gradient(program))
