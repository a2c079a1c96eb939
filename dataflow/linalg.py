"""tf.linalg: products and decompositions of matrices."""

import dataflow.library.linalg.least_squares as _least_squares
import dataflow.ops.array.transpose as _transpose
import dataflow.ops.linalg.diag as _diag
import dataflow.ops.linalg.eigen as _eigen
import dataflow.ops.linalg.inverse as _inverse
import dataflow.ops.linalg.powers as _powers
import dataflow.ops.linalg.solve as _solve
from dataflow.library.clipping import global_norm as global_norm
from dataflow.library.linalg.eigh_tridiagonal import eigh_tridiagonal as eigh_tridiagonal
from dataflow.library.linalg.expm import expm as expm
from dataflow.library.linalg.lu import lu_matrix_inverse as lu_matrix_inverse
from dataflow.library.linalg.lu import lu_reconstruct as lu_reconstruct
from dataflow.library.linalg.lu import lu_solve as lu_solve
from dataflow.library.linalg.simple import adjoint as adjoint
from dataflow.library.linalg.simple import logdet as logdet
from dataflow.library.linalg.simple import normalize as normalize
from dataflow.library.linalg.singular_values import matrix_rank as matrix_rank
from dataflow.library.linalg.singular_values import pinv as pinv
from dataflow.library.linalg.tridiagonal import tridiagonal_matmul as tridiagonal_matmul
from dataflow.library.linalg.tridiagonal import tridiagonal_solve as tridiagonal_solve
from dataflow.library.linear_operators.base import LinearOperator as LinearOperator
from dataflow.library.linear_operators.block_diagonal import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from dataflow.library.linear_operators.block_triangular import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from dataflow.library.linear_operators.circulant import (
    LinearOperatorCirculant as LinearOperatorCirculant,
)
from dataflow.library.linear_operators.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from dataflow.library.linear_operators.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from dataflow.library.linear_operators.composition import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from dataflow.library.linear_operators.dense import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from dataflow.library.linear_operators.dense import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from dataflow.library.linear_operators.diagonal import LinearOperatorDiag as LinearOperatorDiag
from dataflow.library.linear_operators.householder import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from dataflow.library.linear_operators.identity import (
    LinearOperatorIdentity as LinearOperatorIdentity,
)
from dataflow.library.linear_operators.identity import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from dataflow.library.linear_operators.kronecker import (
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from dataflow.library.linear_operators.low_rank import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from dataflow.library.linear_operators.permutation import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from dataflow.library.linear_operators.toeplitz import (
    LinearOperatorToeplitz as LinearOperatorToeplitz,
)
from dataflow.library.linear_operators.tridiagonal import (
    LinearOperatorTridiag as LinearOperatorTridiag,
)
from dataflow.library.linear_operators.wrapped import LinearOperatorAdjoint as LinearOperatorAdjoint
from dataflow.library.linear_operators.wrapped import (
    LinearOperatorInversion as LinearOperatorInversion,
)
from dataflow.library.linear_operators.zeros import LinearOperatorZeros as LinearOperatorZeros
from dataflow.ops.array.transpose import matrix_transpose as matrix_transpose
from dataflow.ops.linalg.cholesky import cholesky as cholesky
from dataflow.ops.linalg.cholesky import cholesky_solve as cholesky_solve
from dataflow.ops.linalg.cross import cross as cross
from dataflow.ops.linalg.diag import eye as eye
from dataflow.ops.linalg.einsum import einsum as einsum
from dataflow.ops.linalg.inverse import slogdet as slogdet
from dataflow.ops.linalg.lu import lu as lu
from dataflow.ops.linalg.matmul import matmul as matmul
from dataflow.ops.linalg.matmul import matvec as matvec
from dataflow.ops.linalg.norm import norm as norm
from dataflow.ops.linalg.powers import logm as logm
from dataflow.ops.linalg.qr import qr as qr
from dataflow.ops.linalg.svd import svd as svd
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
det = _inverse.matrix_determinant
eigh = _eigen.self_adjoint_eig
eigvalsh = _eigen.self_adjoint_eigvals
inv = _inverse.matrix_inverse
lstsq = _least_squares.matrix_solve_ls
solve = _solve.matrix_solve
sqrtm = _powers.matrix_square_root
triangular_solve = _solve.matrix_triangular_solve
