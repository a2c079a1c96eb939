"""Library functions that TensorFlow makes of conditionals and loops are made of them here."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_flow.both import assert_same_values
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.programs.standing_programs import RACING, STANDING_PROGRAMS
from tests.differentiation.both import assert_same_graph


@pytest.mark.parametrize("program", STANDING_PROGRAMS, ids=lambda p: p.__name__)
def test_graph(program: Any) -> None:
    assert_same_graph(program, values=False)


@pytest.mark.parametrize(
    "program", [p for p in STANDING_PROGRAMS if p not in RACING], ids=lambda p: p.__name__
)
def test_values(program: Any, control_flow_path: ControlFlowPath) -> None:
    assert_same_values(program, control_flow_path.session)
