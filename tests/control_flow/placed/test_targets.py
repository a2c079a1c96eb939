"""A few programs with conditionals and loops on every target."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import SessionFactory
from tests.control_flow.both import assert_same_values
from tests.control_flow.programs.body_programs import (
    array_in_branches_in_a_loop,
    assertion_inside,
    assignment_in_the_body,
)
from tests.control_flow.programs.cond_programs import (
    exclusive_cases,
    guarded_assertion,
    in_a_branch,
)
from tests.control_flow.programs.standing_programs import hessian_of_unknown_shape, piecewise
from tests.control_flow.programs.while_programs import loop_in_a_branch_in_a_loop, three_loops

PROGRAMS = [
    in_a_branch,
    exclusive_cases,
    guarded_assertion,
    three_loops,
    loop_in_a_branch_in_a_loop,
    array_in_branches_in_a_loop,
    assertion_inside,
    assignment_in_the_body,
    piecewise,
    hessian_of_unknown_shape,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_values(program: Any, session_factory: SessionFactory) -> None:
    assert_same_values(program, lambda graph: session_factory(graph=graph))
