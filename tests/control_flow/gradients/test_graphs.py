"""Gradients through conditionals and loops make the nodes TensorFlow makes."""

from __future__ import annotations

import pytest

from tests.control_flow.programs.gradient_programs import PROGRAMS
from tests.differentiation.both import assert_same_graph


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_make_the_same_nodes(name: str) -> None:
    assert_same_graph(PROGRAMS[name], values=False)
