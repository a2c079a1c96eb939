"""tf.linalg: products and decompositions of matrices."""

from __future__ import annotations

from dataflow.nn import l2_normalize
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.array.transpose import matrix_transpose as transpose
from dataflow.ops.linalg.cross import cross
from dataflow.ops.linalg.diag import diag as tensor_diag
from dataflow.ops.linalg.diag import diag_part as tensor_diag_part
from dataflow.ops.linalg.diag import eye
from dataflow.ops.linalg.diag import matrix_band_part as band_part
from dataflow.ops.linalg.diag import matrix_diag as diag
from dataflow.ops.linalg.diag import matrix_diag_part as diag_part
from dataflow.ops.linalg.diag import matrix_set_diag as set_diag
from dataflow.ops.linalg.einsum import einsum
from dataflow.ops.linalg.matmul import matmul, matvec
from dataflow.ops.linalg.norm import norm
from dataflow.ops.linalg.tensordot import tensordot, trace

__all__ = [
    "band_part",
    "cross",
    "diag",
    "diag_part",
    "einsum",
    "eye",
    "l2_normalize",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "set_diag",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "transpose",
]
