"""All programs that take gradients through conditionals and loops, in one table."""

from __future__ import annotations

from tests.control_flow.programs import (
    gradient_arrays,
    gradient_bodies,
    gradient_conds,
    gradient_ends,
    gradient_loops,
    gradient_nests,
)
from tests.control_flow.programs.programs import PROGRAMS

__all__ = [
    "PROGRAMS",
    "gradient_arrays",
    "gradient_bodies",
    "gradient_conds",
    "gradient_ends",
    "gradient_loops",
    "gradient_nests",
]
