"""The ops, one file per family: schema, shape function, gradient and docstring together."""

from __future__ import annotations

# Ops without public functions that would import them: passes and library code put them into graphs.
import dataflow.ops.control_flow
import dataflow.ops.functional
import dataflow.ops.optional
import dataflow.ops.plumbing
import dataflow.ops.stack
import dataflow.ops.tensor_array
import dataflow.ops.tensor_array_old
import dataflow.ops.tensor_list  # noqa: F401

__all__: list[str] = []
