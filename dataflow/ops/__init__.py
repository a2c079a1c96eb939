"""The ops, one file per family: schema, shape function, gradient and docstring together."""

from __future__ import annotations

import dataflow.ops.flow.functional
import dataflow.ops.flow.plumbing

# Ops without public functions that would import them: passes and library code put them into graphs.
import dataflow.ops.flow.primitives
import dataflow.ops.lists.optional
import dataflow.ops.lists.stack
import dataflow.ops.lists.tensor_array
import dataflow.ops.lists.tensor_array_old
import dataflow.ops.lists.tensor_list  # noqa: F401

__all__: list[str] = []
