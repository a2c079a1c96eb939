"""tensorflow.python.framework.tensor_shape: shapes by their ranks."""

from __future__ import annotations

from typing import Any

from dataflow.values.shapes import TensorShape


def scalar() -> TensorShape:
    """Of no dimensions."""
    return TensorShape([])


def vector(length: Any) -> TensorShape:
    """Of one dimension."""
    return TensorShape([length])


def matrix(rows: Any, cols: Any) -> TensorShape:
    """Of two dimensions."""
    return TensorShape([rows, cols])
