"""Rows for the update ops of optimizers that update some rows of their variables."""

from __future__ import annotations

from tests.ops.cases.state.updates import SPARSE_PROGRAMS

PROGRAMS = SPARSE_PROGRAMS
