"""The ops, one file per family: schema, shape function, gradient and docstring together."""

from __future__ import annotations

# Ops without public functions that would import them: passes and library code put them into graphs.
import dataflow.ops.control_flow
import dataflow.ops.plumbing  # noqa: F401

__all__: list[str] = []
