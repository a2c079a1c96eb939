"""tf.linalg: products and decompositions of matrices."""

from __future__ import annotations

from dataflow.ops.math import (
    cross,
    einsum,
    matmul,
    matvec,
    tensordot,
    trace,
)

__all__ = ["cross", "einsum", "matmul", "matvec", "tensordot", "trace"]
