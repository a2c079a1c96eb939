"""tf.linalg: products and decompositions of matrices."""

from __future__ import annotations

from dataflow.nn import l2_normalize
from dataflow.ops.all_array import diag as tensor_diag
from dataflow.ops.all_array import diag_part as tensor_diag_part
from dataflow.ops.all_array import eye, matrix_transpose
from dataflow.ops.all_array import matrix_band_part as band_part
from dataflow.ops.all_array import matrix_diag as diag
from dataflow.ops.all_array import matrix_diag_part as diag_part
from dataflow.ops.all_array import matrix_set_diag as set_diag
from dataflow.ops.all_array import matrix_transpose as transpose
from dataflow.ops.all_math import cross, einsum, matmul, matvec, norm, tensordot, trace

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
