"""Points of a quadrature over the weights of two components, whose logits are normal."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.contrib.distributions.bijectors.vectors import SoftmaxCentered
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_types import assert_rank_at_least
from dataflow.library.check_values import assert_equal
from dataflow.library.distributions.normal import Normal
from dataflow.ops.array.fill import fill, ones, zeros
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.range import range as range_
from dataflow.ops.math.linspace import linspace
from dataflow.ops.nn.softmax import softmax
from dataflow.values import dtypes
from dataflow.values.shapes import dimension_value


def quadrature_scheme_softmaxnormal_gauss_hermite(
    normal_loc: Any,
    normal_scale: Any,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Points and weights of Gauss and Hermite for the softmax of normal numbers.

    Args:
      normal_loc: Means of the logits, `[..., 1]`.
      normal_scale: Their deviations.
      quadrature_size: How many points.
      validate_args: Whether the step looks at what is not known before.
      name: A name scope.

    Returns:
      The points, `[..., 2, quadrature_size]`, and their weights, `[quadrature_size]`.

    Raises:
      ValueError: An argument is a scalar.
      NotImplementedError: It is of more than one logit.
    """
    scope = "quadrature_scheme_softmaxnormal_gauss_hermite"
    with name_scope(name, scope, [normal_loc, normal_scale]):
        loc, scale = _parameters(normal_loc, normal_scale, validate_args)
        points, weights = np.polynomial.hermite.hermgauss(deg=quadrature_size)
        kind = loc.dtype.as_numpy_dtype
        weights = weights.astype(kind)
        weights /= np.abs(weights).sum()
        logits = loc[..., None] + np.sqrt(2.0) * scale[..., None] * points.astype(kind)
        both = array_concat.concat([logits * 0, logits], axis=-2)
        return softmax(-both, axis=-2), convert_to_tensor(weights, name="probs", dtype=loc.dtype)


def quadrature_scheme_softmaxnormal_quantiles(
    normal_loc: Any,
    normal_scale: Any,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The middles between quantiles of the softmax of normal numbers, all of one weight.

    Args:
      normal_loc: Means of the logits, `[..., 1]`.
      normal_scale: Their deviations.
      quadrature_size: How many points.
      validate_args: Whether the step looks at what is not known before.
      name: A name scope.

    Returns:
      The points, `[..., 2, quadrature_size]`, and their weights, `[quadrature_size]`.

    Raises:
      ValueError: An argument is a scalar.
      NotImplementedError: It is of more than one logit.
    """
    with name_scope(name, "softmax_normal_grid_and_probs", [normal_loc, normal_scale]):
        loc, scale = _parameters(normal_loc, normal_scale, validate_args)
        drawn = Normal(loc=loc, scale=scale)
        known = drawn.batch_shape.rank
        axes = array_shape.size(drawn.batch_shape_tensor()) if known is None else known
        edges: Any = linspace(zeros([], drawn.dtype), ones([], drawn.dtype), quadrature_size + 3)
        single = ones([axes], dtype=dtypes.int32)
        edges = array_shape.reshape(edges[1:-1], array_concat.concat([[-1], single], axis=0))
        quantiles: Any = SoftmaxCentered().forward(drawn.quantile(edges))
        order = array_concat.concat([range_(1, 1 + axes), [0]], axis=0)
        quantiles = transpose(quantiles, order)
        batch = drawn.batch_shape.with_rank_at_least(1)
        components = dimension_value(batch[-1])
        shape = batch[:-1].concatenate(
            [None if components is None else components + 1, quadrature_size]
        )
        grid = (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0
        grid.set_shape(shape)
        return grid, fill([quadrature_size], constant(1.0 / quadrature_size, dtype=drawn.dtype))


def _parameters(loc: Any, scale: Any, validate_args: bool) -> tuple[Any, Any]:
    loc = convert_to_tensor(loc, name="normal_loc")
    scale = convert_to_tensor(scale, dtype=loc.dtype.base_dtype, name="normal_scale")
    return loc, _of_one_logit(scale, "normal_scale", validate_args)


def _of_one_logit(value: Any, name: str, validate_args: bool) -> Any:
    """The tensor, if it is of vectors of one number.

    Raises:
      ValueError: It is a scalar.
      NotImplementedError: It is of more than one logit.
    """
    with name_scope(f"check_{name}", values=[value]):
        checks = []
        of_vectors = "Mixing params must be a (batch of) vector; "
        only_two = "Currently only bimixtures are supported; "
        if value.shape.rank == 0:
            raise ValueError(f"{of_vectors}{name}.rank=0 is not at least one.")
        if value.shape.rank is None and validate_args:
            text = f"{of_vectors}{name}.rank is not at least one."
            checks.append(assert_rank_at_least(value, 1, message=text))
        length = dimension_value(value.shape.with_rank_at_least(1)[-1])
        if length not in (None, 1):
            raise NotImplementedError(f"{only_two}{name}.shape[-1]={length} is not 1.")
        if length is None and validate_args:
            text = f"{only_two}{name}.shape[-1] is not 1."
            checks.append(assert_equal(array_shape.shape(value)[-1], 1, message=text))
        return with_dependencies(checks, value) if checks else value
