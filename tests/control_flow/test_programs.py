"""Conditionals and loops make the nodes TensorFlow makes, and compute the same, on both ways."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_flow.both import assert_same_values
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.programs.body_programs import BODY_PROGRAMS
from tests.control_flow.programs.cond_programs import CASE_PROGRAMS, COND_PROGRAMS
from tests.control_flow.programs.reference_programs import REFERENCE_PROGRAMS
from tests.control_flow.programs.while_programs import WHILE_PROGRAMS
from tests.differentiation.both import assert_same_graph

PROGRAMS = [
    *COND_PROGRAMS,
    *CASE_PROGRAMS,
    *WHILE_PROGRAMS,
    *BODY_PROGRAMS,
    *REFERENCE_PROGRAMS,
]

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)


@each_program
def test_graph(program: Any) -> None:
    assert_same_graph(program, values=False)


@each_program
def test_values(program: Any, control_flow_path: ControlFlowPath) -> None:
    assert_same_values(
        program, lambda graph: control_flow_path.session(graph, device_count={"CPU": 2})
    )
