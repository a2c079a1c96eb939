"""tensorflow.python.ops.distributions.util: what distributions elsewhere are made of."""

from __future__ import annotations

import hashlib
import inspect
import sys
from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_integer
from dataflow.library.check_values import assert_equal
from dataflow.library.distributions.checks import (
    _largest_integer_by_dtype,
    _smallest_integer_by_dtype,
    assert_integer_form,
    embed_check_categorical_event_shape,
    embed_check_integer_casting_closed,
    embed_check_nonnegative_integer_form,
)
from dataflow.library.distributions.logits import logits_and_probs
from dataflow.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from dataflow.ops.array.concat import concat
from dataflow.ops.array.select import where_v2
from dataflow.ops.array.slice import slice as _slice
from dataflow.ops.array.transpose import matrix_transpose, transpose
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.range import range as _range
from dataflow.ops.linalg.norm import norm
from dataflow.ops.math.compare import equal
from dataflow.ops.math.division import mod
from dataflow.ops.math.special import lgamma
from dataflow.ops.reductions.reduce import reduce_all, reduce_sum
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

__all__ = [
    "_largest_integer_by_dtype",
    "_smallest_integer_by_dtype",
    "assert_integer_form",
    "embed_check_categorical_event_shape",
    "embed_check_integer_casting_closed",
    "embed_check_nonnegative_integer_form",
]


def get_logits_and_probs(
    logits: Any = None,
    probs: Any = None,
    multidimensional: bool = False,
    validate_args: bool = False,
    name: str = "get_logits_and_probs",
    dtype: Any = None,
) -> tuple[Any, Any]:
    """Logits and probabilities, of one of them.

    Raises:
      ValueError: None or both are given, or there are too few or too many classes.
      TypeError: They are no floating point numbers.
    """
    return logits_and_probs(logits, probs, validate_args, name, multidimensional, dtype)


def assert_symmetric(matrix: Any) -> Any:
    """A matrix, checked to be its own transpose."""
    return with_dependencies([assert_equal(matrix, matrix_transpose(matrix))], matrix)


def same_dynamic_shape(a: Any, b: Any) -> Tensor:
    """Whether two tensors have one shape, as the step finds it."""
    a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
    sizes = array_shape.shape(a), array_shape.shape(b)
    same: Tensor = cond(
        equal(array_shape.rank(a), array_shape.rank(b)),
        lambda: reduce_all(equal(concat(sizes, 0), concat(sizes[::-1], 0))),
        lambda: constant(False),
    )
    return same


def maybe_get_static_value(x: Any, dtype: Any = None) -> Any:
    """The value that building knows of a tensor, or None."""
    value = constant_value(x) if isinstance(x, Tensor) else x
    return value if value is None or dtype is None else np.array(value, dtype)


def prefer_static_value(x: Any) -> Any:
    """The value that building knows of a tensor, or else the tensor."""
    value = constant_value(x)
    return x if value is None else value


def prefer_static_rank(x: Any) -> Any:
    """A tensor's rank, as a number where it is known."""
    return prefer_static_value(array_shape.rank(x))


def prefer_static_shape(x: Any) -> Any:
    """A tensor's shape, as an array where it is known."""
    return prefer_static_value(array_shape.shape(x))


def prefer_static_broadcast_shape(
    shape1: Any, shape2: Any, name: str = "prefer_static_broadcast_shape"
) -> Any:
    """What two shapes broadcast to: a TensorShape where both are known, else a tensor.

    Raises:
      ValueError: One is known in part.
    """
    with name_scope(name, values=[shape1, shape2]):
        known = [_known_shape(each) for each in (shape1, shape2)]
        if None not in known:
            return broadcast_static_shape(*known)
        return broadcast_dynamic_shape(_shape_tensor(shape1), _shape_tensor(shape2))


def _known_shape(shape: Any) -> TensorShape | None:
    if isinstance(shape, TensorShape):
        return shape
    value = constant_value(_shape_tensor(shape))
    return None if value is None else TensorShape(value)


def _shape_tensor(shape: Any) -> Tensor:
    if isinstance(shape, TensorShape):
        if not shape.is_fully_defined():
            raise ValueError("Cannot broadcast from partially defined `TensorShape`.")
        shape = shape.as_list()
    return convert_to_tensor(shape, name="shape", dtype=dtypes.int32)


def dimension_size(x: Any, axis: int) -> Any:
    """The size of a dimension, as a number where it is known."""
    size = x.shape.with_rank_at_least(abs(axis)).as_list()[axis] if x.shape.rank else None
    return array_shape.shape(x)[axis] if size is None else size


def log_combinations(n: Any, counts: Any, name: str = "log_combinations") -> Any:
    """The logarithm of in how many ways `n` things fall into classes with these counts."""
    with name_scope(name, values=[n, counts]):
        n, counts = convert_to_tensor(n, name="n"), convert_to_tensor(counts, name="counts")
        total: Any = lgamma(n + 1)
        return total - reduce_sum(lgamma(counts + 1), axis=[-1])


def rotate_transpose(x: Any, shift: Any, name: str = "rotate_transpose") -> Any:
    """A tensor whose dimensions are all moved on by `shift`, those at the end to the begin."""
    with name_scope(name, values=[x, shift]):
        x, shift = convert_to_tensor(x, name="x"), convert_to_tensor(shift, name="shift")
        assert_integer(shift)
        known, rank = constant_value(shift), x.shape.rank
        if rank is not None and known is not None:
            order = np.roll(np.arange(rank), known)
            return x if (order == np.arange(rank)).all() else transpose(x, order)
        rank = array_shape.rank(x)
        first: Any = mod(-shift, rank)
        return transpose(x, concat([_range(first, rank), _range(0, first)], 0))


def pick_vector(cond: Any, true_vector: Any, false_vector: Any, name: str = "pick_vector") -> Any:
    """One of two vectors, which may be of different lengths.

    Raises:
      TypeError: The condition is no truth value, or the vectors are of different types.
    """
    with name_scope(name, values=(cond, true_vector, false_vector)):
        cond = convert_to_tensor(cond, name="cond")
        if cond.dtype != dtypes.bool:
            raise TypeError(f"{cond}.dtype={cond.dtype} which is not {dtypes.bool}")
        known = constant_value(cond)
        if known is not None:
            return true_vector if known else false_vector
        true_vector = convert_to_tensor(true_vector, name="true_vector")
        false_vector = convert_to_tensor(false_vector, name="false_vector")
        if true_vector.dtype != false_vector.dtype:
            raise TypeError(
                f"{true_vector}.dtype={true_vector.dtype} does not match "
                f"{false_vector}.dtype={false_vector.dtype}"
            )
        length = array_shape.shape(true_vector)[0]
        begin, size = where_v2(cond, 0, length), where_v2(cond, length, -1)
        return _slice(concat([true_vector, false_vector], 0), [begin], [size])


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """A seed made of another and a word."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def parent_frame_arguments() -> dict[str, Any]:
    """The arguments of the function that calls this, those by `**` among them, without `*`."""
    found = inspect.getargvalues(sys._getframe(1))
    keywords = found.locals.get(found.keywords, {}) if found.keywords else {}
    return {name: found.locals[name] for name in found.args} | keywords


def process_quadrature_grid_and_probs(
    quadrature_grid_and_probs: Any, dtype: DType, validate_args: bool, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Points and their weights, which sum to one; eight of Gauss and Hermite's if none are given.

    Raises:
      ValueError: They are known not to be equally many.
    """
    opened = "process_quadrature_grid_and_probs"
    with name_scope(name, opened, [quadrature_grid_and_probs]):
        if quadrature_grid_and_probs is None:
            points, weights = (
                each.astype(dtype.as_numpy_dtype) for each in np.polynomial.hermite.hermgauss(deg=8)
            )
            weights /= weights.sum()
            return (
                convert_to_tensor(points, name="grid", dtype=dtype),
                convert_to_tensor(weights, name="probs", dtype=dtype),
            )
        given = tuple(quadrature_grid_and_probs)
        grid = convert_to_tensor(given[0], name="grid", dtype=dtype)
        probs: Any = convert_to_tensor(given[1], name="unnormalized_probs", dtype=dtype)
        probs /= norm(probs, ord=1, axis=-1, keepdims=True, name="probs")
        counts = [each.shape.with_rank_at_least(1).as_list()[-1] for each in (probs, grid)]
        problem = "`quadrature_grid_and_probs` must be a `tuple` of same-length zero-th-dimension "
        if None not in counts and counts[0] != counts[1]:
            raise ValueError(f"{problem}`Tensor`s (saw lengths {counts[0]}, {counts[1]})")
        if None in counts and validate_args:
            of_weights, of_points = (dimension_size(each, axis=-1) for each in (probs, grid))
            check = assert_equal(of_weights, of_points, message=f"{problem}`Tensor`s")
            return with_dependencies([check], grid), with_dependencies([check], probs)
        return grid, probs
