"""Conditionals and loops make the nodes TensorFlow makes, and compute the same, on both ways."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_flow.both import assert_same
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.programs.body_programs import BODY_PROGRAMS
from tests.control_flow.programs.cond_programs import CASE_PROGRAMS, COND_PROGRAMS
from tests.control_flow.programs.reference_programs import REFERENCE_PROGRAMS
from tests.control_flow.programs.while_programs import WHILE_PROGRAMS

PROGRAMS = [
    *COND_PROGRAMS,
    *CASE_PROGRAMS,
    *WHILE_PROGRAMS,
    *BODY_PROGRAMS,
    *REFERENCE_PROGRAMS,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_nodes_and_values(program: Any, control_flow_path: ControlFlowPath) -> None:
    assert_same(program, lambda graph: control_flow_path.session(graph, device_count={"CPU": 2}))
