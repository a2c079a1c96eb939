"""tf before TensorFlow 1.0, and functions that took their arguments in another order then."""

from __future__ import annotations

from typing import Any

import dataflow.library.linalg.least_squares as _least_squares
import dataflow.ops.array.concat as _concat
import dataflow.ops.array.select as _select
import dataflow.ops.array.split as _split
import dataflow.ops.array.transpose as _transpose
import dataflow.ops.array.unique as _unique
import dataflow.ops.linalg.cholesky as _cholesky
import dataflow.ops.linalg.diag as _diag
import dataflow.ops.linalg.eigen as _eigen
import dataflow.ops.linalg.inverse as _inverse
import dataflow.ops.linalg.matmul as _matmul
import dataflow.ops.linalg.solve as _solve
import dataflow.ops.linalg.svd as _svd
import dataflow.ops.math.binary as _binary
import dataflow.ops.math.unary as _unary
import dataflow.ops.signal.fourier as _fourier
from dataflow.library.summaries import values as _summaries

batch_cholesky = _cholesky.cholesky
batch_cholesky_solve = _cholesky.cholesky_solve
batch_fft = _fourier.fft
batch_fft2d = _fourier.fft2d
batch_fft3d = _fourier.fft3d
batch_ifft = _fourier.ifft
batch_ifft2d = _fourier.ifft2d
batch_ifft3d = _fourier.ifft3d
batch_matmul = _matmul.matmul
batch_matrix_band_part = _diag.matrix_band_part
batch_matrix_determinant = _inverse.matrix_determinant
batch_matrix_diag = _diag.matrix_diag
batch_matrix_diag_part = _diag.matrix_diag_part
batch_matrix_inverse = _inverse.matrix_inverse
batch_matrix_set_diag = _diag.matrix_set_diag
batch_matrix_solve = _solve.matrix_solve
batch_matrix_solve_ls = _least_squares.matrix_solve_ls
batch_matrix_transpose = _transpose.matrix_transpose
batch_matrix_triangular_solve = _solve.matrix_triangular_solve
batch_self_adjoint_eig = _eigen.self_adjoint_eig
batch_self_adjoint_eigvals = _eigen.self_adjoint_eigvals
batch_svd = _svd.svd
complex_abs = _unary.abs
concat_v2 = _concat.concat
inv = _unary.reciprocal
list_diff = _unique.setdiff1d
listdiff = _unique.setdiff1d
mul = _binary.multiply
neg = _unary.negative
pack = _concat.stack
select = _select.where
sub = _binary.subtract
unpack = _concat.unstack


def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """`tf.concat`; what has the axis first, and a list behind it, is as it was before 1.0."""
    if _is_axis(values) and isinstance(axis, list | tuple):
        values, axis = axis, values
    return _concat.concat(values, axis, name=name)


def split(
    value: Any = None,
    num_or_size_splits: Any = None,
    axis: Any = 0,
    num: int | None = None,
    name: str = "split",
    *,
    split_dim: Any = None,
    num_split: Any = None,
) -> Any:
    """`tf.split`; `split(axis, count, tensor)` and its keywords are as they were before 1.0."""
    if num_split is not None:
        num_or_size_splits, axis = num_split, 0 if split_dim is None else split_dim
    elif _is_axis(value) and not _is_axis(axis):
        value, axis = axis, value
    return _split.split(value, num_or_size_splits, axis, num, name)


def _is_axis(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def scalar_summary(tags: Any, values: Any, collections: Any = None, name: Any = None) -> Any:
    """`tf.summary.scalar`: a tag, and a number."""
    return _summaries.scalar(tags, values, collections)


def histogram_summary(tag: Any, values: Any, collections: Any = None, name: Any = None) -> Any:
    """`tf.summary.histogram`."""
    return _summaries.histogram(tag, values, collections)


def image_summary(
    tag: Any, tensor: Any, max_images: int = 3, collections: Any = None, name: Any = None
) -> Any:
    """`tf.summary.image`."""
    return _summaries.image(tag, tensor, max_images, collections)


def audio_summary(
    tag: Any,
    tensor: Any,
    sample_rate: float,
    max_outputs: int = 3,
    collections: Any = None,
    name: Any = None,
) -> Any:
    """`tf.summary.audio`."""
    return _summaries.audio(tag, tensor, sample_rate, max_outputs, collections)
