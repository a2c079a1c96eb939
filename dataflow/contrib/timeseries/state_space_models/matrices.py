"""Matrices of state space models: powers, blocks, covariances, and densities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.layers.linear import fully_connected
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.map_fn import scan
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.pad import pad
from dataflow.ops.array.select import where
from dataflow.ops.array.transpose import matrix_transpose, transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.linalg.diag import (
    eye,
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)
from dataflow.ops.linalg.inverse import matrix_determinant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_triangular_solve
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import equal, greater
from dataflow.ops.nn.activation import softsign
from dataflow.ops.reductions.reduce import reduce_any, reduce_max, reduce_sum
from dataflow.ops.reductions.scan import cumsum
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable


def normal_log_prob(loc: Any, scale: Any, x: Any) -> Any:
    """What 1.15 takes for the logarithm of a normal density; it takes half that of the scale."""
    z = (x - loc) / scale
    return -0.5 * (math_unary.square(z) + np.log(2.0 * np.pi) + math_unary.log(scale))


def cauchy_log_prob(loc: Any, scale: Any, x: Any) -> Any:
    """The logarithm of Cauchy's density."""
    z = (x - loc) / scale
    return -np.log(np.pi) - math_unary.log(scale) - math_unary.log1p(math_unary.square(z))


def mvn_tril_log_prob(loc: Any, scale_tril: Any, x: Any) -> Any:
    """The logarithm of a normal density of vectors.

    Args:
      loc: The mean, `[..., n]`.
      scale_tril: The lower triangular factor of the covariance, `[..., n, n]`.
      x: Where, `[..., n]`.
    """
    z: Any = matrix_triangular_solve(scale_tril, (x - loc)[..., None])[..., 0]
    diagonal = math_unary.log(matrix_diag_part(scale_tril))
    log_determinant: Any = 2.0 * reduce_sum(diagonal, axis=-1)
    size: Any = cast(array_shape.shape(scale_tril)[-1], log_determinant.dtype)
    distance = reduce_sum(math_unary.square(z), axis=-1)
    return -0.5 * (distance + size * np.log(2.0 * np.pi) + log_determinant)


def clip_covariance(
    covariance_matrix: Any, maximum_variance_ratio: float, minimum_variance: float
) -> Any:
    """Covariances whose variances are not below a number, nor too small beside the largest one.

    Args:
      covariance_matrix: The covariances, `[..., n, n]`.
      maximum_variance_ratio: How often the largest variance may be the smallest.
      minimum_variance: What no variance is below.
    """
    diagonal = matrix_diag_part(covariance_matrix)
    largest = reduce_max(diagonal, axis=-1, keepdims=True)
    raised = maximum(diagonal, largest / maximum_variance_ratio)
    return matrix_set_diag(covariance_matrix, maximum(raised, minimum_variance))


def block_diagonal(
    matrices: Sequence[Any], dtype: Any = dtypes.float32, name: str = "block_diagonal"
) -> Any:
    """Matrices along the diagonal of one, zeros elsewhere.

    Args:
      matrices: The matrices, `[..., rows, columns]`, of one batch shape.
      dtype: Their type.
      name: The name of the operation.
    """
    blocks: list[Any] = [convert_to_tensor(each, dtype=dtype) for each in matrices]
    widths: list[Any] = [
        array_shape.shape(each)[-1] if each.shape[-1].value is None else each.shape[-1].value
        for each in blocks
    ]
    batch = TensorShape(None)
    rows, before = [], 0
    for place, each in enumerate(blocks):
        batch = batch.merge_with(each.shape.with_rank_at_least(2)[:-2])
        behind = sum(widths[place + 1 :])
        sides = [[0, 0]] * (each.shape.rank - 1) + [[before, behind]]
        rows.append(pad(each, sides))
        before = before + widths[place]
    blocked = array_concat.concat(rows, -2, name=name)
    sizes = [[each.shape[axis].value for each in blocks] for axis in (-2, -1)]
    known = [None if None in each else sum(each) for each in sizes]
    blocked.set_shape(batch.concatenate(known))
    return blocked


def power_sums_tensor(array_size: Any, power_matrix: Any, multiplier: Any) -> Any:
    """The sums of `power_matrix^i multiplier (power_matrix^i)^T` over i below each count.

    Args:
      array_size: The largest count.
      power_matrix: A square matrix.
      multiplier: Another one.

    Returns:
      A tensor with the sum for each count from 0 on.
    """
    matrix: Any = convert_to_tensor(power_matrix)
    unit = eye(array_shape.shape(matrix)[0], dtype=matrix.dtype)
    unit.set_shape(matrix.shape)
    count: Any = cast(array_size, dtypes.int32)
    powers = scan(lambda power, _: matmul(power, matrix), range_of(count - 1), initializer=unit)
    products = matmul(batch_times_matrix(powers, multiplier), powers, adjoint_b=True)
    first = array_shape.expand_dims(multiplier, 0)
    return cumsum(array_concat.concat([zeros_like(first), first, products], 0))


def matrix_to_powers(matrix: Any, powers: Any) -> Any:
    """A matrix to the power of each of a vector of integers."""
    single = array_shape.expand_dims(matrix, 0)
    return batch_matrix_pow(tile(single, [array_shape.size(powers), 1, 1]), powers)


def batch_matrix_pow(matrices: Any, powers: Any) -> Any:
    """Each of several matrices to a power of its own, by squares.

    Args:
      matrices: `[count, n, n]`.
      powers: `[count]`, not negative.
    """
    matrices = convert_to_tensor(matrices)
    rest = cast(powers, dtypes.int32)
    sizes = array_shape.shape(matrices)
    unit = eye(sizes[1], batch_shape=sizes[:1], dtype=matrices.dtype)
    unit.set_shape(matrices.shape)

    def step(square: Any, rest: Any, found: Any) -> tuple[Any, Any, Any]:
        found = where(equal(rest % 2, 1), matmul(found, square), found)
        square = where(greater(rest, 1), matmul(square, square), square)
        return square, rest // 2, found

    _, _, found = while_loop(
        lambda square, rest, found: reduce_any(greater(rest, 0)), step, [matrices, rest, unit]
    )
    return found


def batch_times_matrix(batch: Any, matrix: Any, adj_x: bool = False, adj_y: bool = False) -> Any:
    """Each matrix of a batch times one.

    Args:
      batch: `[count, n, m]`.
      matrix: `[m, k]`.
      adj_x: Whether those of the batch are transposed before.
      adj_y: Whether the other one is.
    """
    batch, matrix = convert_to_tensor(batch), convert_to_tensor(matrix)
    if adj_x:
        batch = transpose(batch, [0, 2, 1])
    sizes: Any = array_shape.shape(batch)
    flat = matmul(array_shape.reshape(batch, [-1, sizes[2]]), matrix, adjoint_b=adj_y)
    columns = array_shape.shape(matrix)[0 if adj_y else 1]
    whole = array_shape.reshape(flat, array_concat.stack([sizes[0], sizes[1], columns]))
    whole.set_shape(batch.shape[:2].concatenate(matrix.shape[:1] if adj_y else matrix.shape[1:]))
    return whole


def matrix_times_batch(matrix: Any, batch: Any, adj_x: bool = False, adj_y: bool = False) -> Any:
    """One matrix times each of a batch; see `batch_times_matrix`."""
    turned = batch_times_matrix(batch, matrix, adj_x=not adj_y, adj_y=not adj_x)
    return transpose(turned, [0, 2, 1])


def make_toeplitz_matrix(inputs: Any, name: str | None = None) -> Any:
    """The matrix whose block at i, j is `inputs[|i - j|]`.

    Args:
      inputs: `[count, n, n]`.
      name: The name of the operation.
    """
    sizes: Any = array_shape.shape(inputs)
    lags: Any = range_of(sizes[0])
    blocks = gather(inputs, math_unary.abs(lags[:, None] - lags[None]))
    side = sizes[0] * sizes[1]
    whole = array_shape.reshape(transpose(blocks, [0, 2, 1, 3]), array_concat.stack([side, side]))
    return identity(whole, name=name)


def _beside(value: Any, like: Any, rank: int) -> Any:
    """A value with axes of length 1 behind, up to a rank."""
    value = convert_to_tensor(value, dtype=like.dtype.base_dtype)
    for _ in range(rank - value.shape.rank):
        value = array_shape.expand_dims(value, -1)
    return value


def sign_magnitude_positive_definite(
    raw: Any, off_diagonal_scale: Any = 0.0, overall_scale: Any = 0.0
) -> Any:
    """A positive definite matrix of any one.

    Of the upper triangle come the logarithms of elements of its factor, of the lower their signs.

    Args:
      raw: The numbers, `[..., n, n]`.
      off_diagonal_scale: What is added to the logarithms beside the diagonal, `[...]`.
      overall_scale: What is added to all, `[...]`.
    """
    raw = convert_to_tensor(raw)
    rank = raw.shape.rank
    overall = _beside(overall_scale, raw, rank)
    logs: Any = raw + _beside(off_diagonal_scale, raw, rank) + overall
    sizes: Any = math_unary.exp(logs / 2.0)
    factor = matrix_band_part(sizes * softsign(matrix_transpose(raw)), 0, -1)
    diagonal: Any = matrix_diag_part(raw) + _beside(overall_scale, raw, rank - 1)
    factor = matrix_set_diag(factor, math_unary.exp(diagonal / 2.0))
    return matmul(factor, factor, transpose_a=True)


def transform_to_covariance_matrices(input_vectors: Any, matrix_size: int) -> Any:
    """Covariances `[..., n, n]` that a layer makes of vectors."""
    numbers: Any = fully_connected(input_vectors, matrix_size**2 + 2, activation_fn=None)
    batch = array_shape.shape(numbers)[:-1]
    raw = array_shape.reshape(
        numbers[..., :-2], array_concat.concat([batch, [matrix_size, matrix_size]], 0)
    )
    return sign_magnitude_positive_definite(raw, numbers[..., -2], numbers[..., -1])


def variable_covariance_matrix(
    size: int,
    name: str,
    dtype: Any,
    initial_diagonal_values: Any = None,
    initial_overall_scale_log: Any = 0.0,
) -> Any:
    """A covariance that is trained.

    Args:
      size: Of how many numbers.
      name: Begins the names of its variables.
      dtype: Their type.
      initial_diagonal_values: Its variances at first, 1 if None.
      initial_overall_scale_log: The logarithm of what it is multiplied by at first.
    """
    raw: Any = get_variable(
        f"{name}_pre_transform", dtype=dtype, shape=[size, size], initializer=Zeros()
    )
    if initial_diagonal_values is not None:
        raw = raw + matrix_diag(math_unary.log(initial_diagonal_values))
    beside = get_variable(
        f"{name}_off_diagonal_scale", dtype=dtype, initializer=constant(-5.0, dtype=dtype)
    )
    overall: Any = get_variable(f"{name}_overall_scale", dtype=dtype, shape=[], initializer=Zeros())
    scale = convert_to_tensor(initial_overall_scale_log, dtype=dtype) + overall
    return identity(sign_magnitude_positive_definite(raw, beside, scale), name=name)


def log_noninformative_covariance_prior(covariance: Any) -> Any:
    """The logarithm of a density over covariances that prefers none (Sun and Berger, 2007)."""
    size: Any = array_shape.shape(covariance)[0]
    covariance = covariance + 1e-8 * eye(size, dtype=covariance.dtype)
    power: Any = -(cast(size + 1, covariance.dtype) / 2.0)
    return power * math_unary.log(matrix_determinant(covariance))


def entropy_matched_cauchy_scale(covariance: Any) -> Any:
    """The scales of Cauchy's distributions that have the entropies of normal ones."""
    return math_unary.sqrt(math.e / (8.0 * math.pi) * matrix_diag_part(covariance))
