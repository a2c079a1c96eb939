"""tensorflow.contrib.distributions...distribution_util: scales and shapes of distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.vectors.by_operators import shapes_of
from dataflow.contrib.distributions.vectors.diffeomixture import check_scalar
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_none_equal
from dataflow.library.check_values import assert_positive as _assert_positive
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.dense import LinearOperatorLowerTriangular
from dataflow.library.linear_operators.diagonal import LinearOperatorDiag
from dataflow.library.linear_operators.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from dataflow.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from dataflow.ops.array.fill import ones, zeros
from dataflow.ops.array.select import where_v2
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.range import range as range_
from dataflow.ops.linalg.diag import matrix_band_part, matrix_diag_part, matrix_set_diag
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes

maybe_check_scalar_distribution = check_scalar


def static_value(x: Any) -> Any:
    """What is known of a value while the graph is built, or None."""
    return constant_value(convert_to_tensor(x))


def mixture_stddev(mixture_weight_vector: Any, mean_vector: Any, stddev_vector: Any) -> Any:
    """The deviations of mixtures: all arguments are `[batch, components]`.

    Raises:
      ValueError: They are of other shapes.
    """
    mixture_weight_vector.shape.assert_has_rank(2)
    for what, value in (("means", mean_vector), ("stddevs", stddev_vector)):
        if not value.shape.is_compatible_with(mixture_weight_vector.shape):
            raise ValueError(f"Expecting {what} to have same shape as mixture weights.")
    mean: Any = reduce_sum(mixture_weight_vector * mean_vector, axis=1)
    squares = math_unary.square(stddev_vector) + math_unary.square(mean_vector)
    second: Any = reduce_sum(mixture_weight_vector * squares, axis=1)
    return math_unary.sqrt(second - math_unary.square(mean))


def make_diag_scale(
    loc: Any = None,
    scale_diag: Any = None,
    scale_identity_multiplier: Any = None,
    shape_hint: Any = None,
    validate_args: bool = False,
    assert_positive: bool = False,
    name: str | None = None,
) -> LinearOperator:
    """The operator of a diagonal, and of a number that is added to it.

    Args:
      loc: Tells the size, if neither a diagonal nor a size is given.
      scale_diag: The diagonal, `[..., n]`, or None.
      scale_identity_multiplier: The number, `[...]`, or None.
      shape_hint: The size.
      validate_args: Whether the step looks at the diagonal.
      assert_positive: Whether it has to be positive, and not only of no zeros.
      name: A name scope.

    Raises:
      ValueError: Nothing tells the size.
    """
    with name_scope(name, "make_diag_scale", [loc, scale_diag, scale_identity_multiplier]):
        place = _tensor(loc, "loc")
        diagonal = _tensor(scale_diag, "scale_diag")
        number = _tensor(scale_identity_multiplier, "scale_identity_multiplier")
        if diagonal is not None:
            if number is not None:
                diagonal += number[..., None]
            return LinearOperatorDiag(
                _checked(diagonal, diagonal, validate_args, assert_positive),
                is_non_singular=True,
                is_self_adjoint=True,
                is_positive_definite=assert_positive,
            )
        if place is None and shape_hint is None:
            raise ValueError(
                "Cannot infer `event_shape` unless `loc` or `shape_hint` is specified."
            )
        size = place.shape[-1].value if shape_hint is None else shape_hint
        if number is None:
            return LinearOperatorIdentity(
                size,
                dtype=place.dtype.base_dtype,
                is_self_adjoint=True,
                is_positive_definite=True,
                assert_proper_shapes=validate_args,
            )
        return LinearOperatorScaledIdentity(
            size,
            _checked(number, number, validate_args, assert_positive),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=assert_positive,
            assert_proper_shapes=validate_args,
        )


def make_tril_scale(
    loc: Any = None,
    scale_tril: Any = None,
    scale_diag: Any = None,
    scale_identity_multiplier: Any = None,
    shape_hint: Any = None,
    validate_args: bool = False,
    assert_positive: bool = False,
    name: str | None = None,
) -> LinearOperator:
    """The operator of a lower triangle, and of what is added to its diagonal.

    Args:
      loc: See `make_diag_scale`, which makes the operator if there is no triangle.
      scale_tril: The triangle, `[..., n, n]`, or None.
      scale_diag: What is added to its diagonal, `[..., n]`, or None.
      scale_identity_multiplier: What is added to all of its diagonal, `[...]`, or None.
      shape_hint: The size.
      validate_args: Whether the step looks at the diagonal.
      assert_positive: Whether it has to be positive, and not only of no zeros.
      name: A name scope.
    """
    with name_scope(name, "make_tril_scale", [loc, scale_diag, scale_identity_multiplier]):
        place = _tensor(loc, "loc")
        triangle = _tensor(scale_tril, "scale_tril")
        diagonal = _tensor(scale_diag, "scale_diag")
        number = _tensor(scale_identity_multiplier, "scale_identity_multiplier")
    if triangle is None:
        return make_diag_scale(
            place, diagonal, number, shape_hint, validate_args, assert_positive, name
        )
    lower = matrix_band_part(triangle, -1, 0)
    whole: Any = matrix_diag_part(lower)
    if diagonal is not None:
        whole += diagonal
    if number is not None:
        whole += number[..., None]
    lower = matrix_set_diag(lower, whole)
    return LinearOperatorLowerTriangular(
        _checked(lower, matrix_diag_part(lower), validate_args, assert_positive),
        is_non_singular=True,
        is_self_adjoint=False,
        is_positive_definite=assert_positive,
    )


def _tensor(value: Any, name: str) -> Any:
    return None if value is None else convert_to_tensor(value, name=name)


def _checked(value: Any, diagonal: Any, validate_args: bool, positive: bool) -> Any:
    if not validate_args:
        return value
    if positive:
        check = _assert_positive(diagonal, message="diagonal part must be positive")
    else:
        zero = zeros([], diagonal.dtype)
        check = assert_none_equal(diagonal, zero, message="diagonal part must be non-zero")
    return with_dependencies([check], value)


def shapes_from_loc_and_scale(
    loc: Any, scale: LinearOperator, name: str = "shapes_from_loc_and_scale"
) -> tuple[Any, Any]:
    """The batch shape and the event shape of what an operator mixes and a place is added to."""
    with name_scope(name, values=[loc, *scale.graph_parents]):
        batch, event = shapes_of(_tensor(loc, "loc"), scale)
        of_numbers = all(isinstance(each, int | np.integer) for each in event)
        return batch, np.array(event, np.int32) if of_numbers else array_concat.stack(event)


def get_broadcast_shape(*tensors: Any) -> Any:
    """What tensors broadcast to: a list of lengths if all are known, a tensor else."""
    known = tensors[0].shape
    for each in tensors[1:]:
        known = broadcast_static_shape(known, each.shape)
    if known.is_fully_defined():
        return known.as_list()
    found = array_shape.shape(tensors[0])
    for each in tensors[1:]:
        found = broadcast_dynamic_shape(found, array_shape.shape(each))
    return found


def is_diagonal_scale(scale: Any) -> bool:
    """Whether a linear operator is a diagonal by its class.

    Raises:
      TypeError: It is no linear operator.
    """
    if not isinstance(scale, LinearOperator):
        raise TypeError(
            f"Expected argument 'scale' to be instance of LinearOperator. Found: {scale}"
        )
    kinds = LinearOperatorIdentity | LinearOperatorScaledIdentity | LinearOperatorDiag
    return isinstance(scale, kinds)


def pad_mixture_dimensions(
    x: Any, mixture_distribution: Any, categorical_distribution: Any, event_ndims: Any
) -> Any:
    """Axes of length 1, so that what is drawn of the categories broadcasts over events.

    Args:
      x: What is drawn.
      mixture_distribution: The mixture.
      categorical_distribution: The distribution of categories.
      event_ndims: How many axes events have.
    """
    with name_scope("pad_mix_dims", values=[x]):
        all_axes, own_axes = (
            array_shape.size(each.batch_shape_tensor())
            if each.batch_shape.rank is None
            else each.batch_shape.rank
            for each in (mixture_distribution, categorical_distribution)
        )
        more: Any = where_v2(
            categorical_distribution.is_scalar_batch(), all_axes, all_axes - own_axes
        )
        shape: Any = array_shape.shape(x)
        between, behind = (ones([each], dtype=dtypes.int32) for each in (more, event_ndims))
        return array_shape.reshape(
            x, array_concat.concat([shape[:-1], between, shape[-1:], behind], axis=0)
        )


def move_dimension(x: Any, source_idx: Any, dest_idx: Any) -> Any:
    """The tensor with an axis at another place, both of which may be counted from the end."""
    x = convert_to_tensor(x)
    rank: Any = array_shape.rank(x) if x.shape.rank is None else x.shape.rank
    source, target = (
        where_v2(each < 0, rank + each, each) for each in map(_index, (source_idx, dest_idx))
    )
    numbers: Any = range_(rank)
    others = numbers[:-1]
    others = where_v2(others < source, others, others + 1)
    order = array_concat.concat([others[:target], [source], others[target:]], axis=0)
    known = constant_value(order)
    return transpose(x, order if known is None else known)


def _index(value: Any) -> Any:
    return convert_to_tensor(value, dtype=None if hasattr(value, "dtype") else dtypes.int32)
