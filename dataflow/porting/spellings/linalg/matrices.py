"""Random matrices, real and complex ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.fill import ones_like
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import matrix_band_part, matrix_set_diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.complex import complex as complex_of
from dataflow.ops.math.rounding import sign
from dataflow.ops.random import stateful
from dataflow.values.dtypes import as_dtype, float32


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
) -> Any:
    """Normal numbers; the parts of complex ones are."""
    return _drawn("random_normal", stateful.random_normal, shape, dtype, seed, 1234, mean, stddev)


def random_uniform(
    shape: Any,
    minval: Any = None,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
) -> Any:
    """Uniform numbers; the parts of complex ones are."""
    low = 0 if minval is None else minval
    return _drawn("random_uniform", stateful.random_uniform, shape, dtype, seed, 12345, low, maxval)


def _drawn(
    name: str,
    draw: Callable[..., Any],
    shape: Any,
    dtype: Any,
    seed: int | None,
    apart: int,
    *bounds: Any,
) -> Any:
    dtype = as_dtype(dtype)
    with name_scope(name):
        drawn: Any = draw(shape, *bounds, dtype=dtype.real_dtype, seed=seed)
        if not dtype.is_complex:
            return drawn
        other = None if seed is None else seed + apart
        return complex_of(drawn, draw(shape, *bounds, dtype=dtype.real_dtype, seed=other))


def random_sign_uniform(
    shape: Any,
    minval: Any = None,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
) -> Any:
    """Uniform numbers, each with a random sign."""
    with name_scope("random_sign_uniform"):
        drawn: Any = random_uniform(shape, minval, maxval, dtype, seed)
        other = None if seed is None else seed + 12
        return drawn * cast(
            sign(stateful.random_uniform(shape, -1.0, 1.0, seed=other)), drawn.dtype
        )


def random_tril_matrix(
    shape: Any, dtype: Any, force_well_conditioned: bool = False, remove_upper: bool = True
) -> Any:
    """Lower triangular matrices of normal numbers.

    Args:
      shape: Of all: `[..., n, n]`.
      dtype: The element type.
      force_well_conditioned: Whether the diagonals are of absolute values between 1 and sqrt(2).
      remove_upper: Whether what is above the diagonals is 0.
    """
    with name_scope("random_tril_matrix"):
        made = random_normal(shape, dtype=dtype)
        if remove_upper:
            made = matrix_band_part(made, -1, 0)
        if force_well_conditioned:
            made = matrix_set_diag(made, random_sign_uniform(shape[:-1], 1.0, np.sqrt(2.0), dtype))
        return made


def random_positive_definite_matrix(
    shape: Any, dtype: Any, force_well_conditioned: bool = False
) -> Tensor:
    """Products of random triangular matrices and their adjoints."""
    with name_scope("random_positive_definite_matrix"):
        tril = random_tril_matrix(shape, dtype, force_well_conditioned)
        made: Tensor = matmul(tril, tril, adjoint_b=True)
        return made


def random_normal_correlated_columns(
    shape: Sequence[int],
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    eps: float = 1e-4,
    seed: int | None = None,
) -> Any:
    """Matrices of normal numbers whose columns are nearly dependent where there are enough.

    Raises:
      ValueError: The shape has less than 2 dimensions.
    """
    if len(shape) < 2:
        raise ValueError(f"Argument shape must be at least length 2.  Found: {shape}")
    *batch, rows, columns = shape
    if columns < 2 or columns < rows:
        return random_normal(shape, mean, stddev, dtype, seed)
    with name_scope("random_normal_correlated_columns"):
        small = random_normal(
            [*batch, rows, columns - 1], stddev=(columns - 1) ** -0.5, dtype=dtype, seed=seed
        )
        other = None if seed is None else seed + 1287
        embedding = random_normal([*batch, columns, columns - 1], dtype=dtype, seed=other)
        embedded: Any = matrix_transpose(matmul(embedding, small, transpose_b=True))
        noise: Any = random_normal(shape, stddev=eps, dtype=dtype)
        return embedded + noise + ones_like(embedded) * mean
