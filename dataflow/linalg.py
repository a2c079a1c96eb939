"""tf.linalg: products and decompositions of matrices."""

import dataflow.ops.array.transpose as _transpose
import dataflow.ops.linalg.diag as _diag
from dataflow.library.clipping import global_norm as global_norm
from dataflow.ops.array.transpose import matrix_transpose as matrix_transpose
from dataflow.ops.linalg.cross import cross as cross
from dataflow.ops.linalg.diag import eye as eye
from dataflow.ops.linalg.einsum import einsum as einsum
from dataflow.ops.linalg.matmul import matmul as matmul
from dataflow.ops.linalg.matmul import matvec as matvec
from dataflow.ops.linalg.norm import norm as norm
from dataflow.ops.linalg.tensordot import tensordot as tensordot
from dataflow.ops.linalg.tensordot import trace as trace
from dataflow.ops.nn.moments import l2_normalize as l2_normalize

band_part = _diag.matrix_band_part
diag = _diag.matrix_diag
diag_part = _diag.matrix_diag_part
set_diag = _diag.matrix_set_diag
tensor_diag = _diag.diag
tensor_diag_part = _diag.diag_part
transpose = _transpose.matrix_transpose
