"""apply_op for ops that have one output tensor, typed so."""

from __future__ import annotations

from typing import Any, cast

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shorten


def single(op_type: str, *values: Any, name: str | None = None, **attrs: Any) -> Tensor:
    """Adds an operation with one output and returns that; see `apply_op`."""
    try:
        return cast(Tensor, apply_op(op_type, *values, name=name, **attrs))
    except Exception as error:
        shorten(error)
        raise
