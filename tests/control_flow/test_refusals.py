"""Conditionals and loops that cannot be built are refused with TensorFlow's texts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_flow.both import assert_same_refusal
from tests.control_flow.programs.refusal_programs import REFUSED


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.__name__)
def test_refusal(program: Any) -> None:
    assert assert_same_refusal(program)
