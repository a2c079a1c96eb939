"""Polyharmonic splines, and images that are warped by them.

https://en.wikipedia.org/wiki/Polyharmonic_spline
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.contrib.image.warping import dense_image_warp
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat, unstack
from dataflow.ops.array.fill import ones_like, zeros
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.diag import eye, matrix_diag_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_solve
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.power import pow
from dataflow.ops.math.unary import log, sqrt, square
from dataflow.ops.reductions.reduce import reduce_sum

_LEAST: Final = 1e-10
"""Of squared distances: at zero the root has no gradient, and there is no logarithm."""


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Tensor:
    """A smooth function through values at points, at other points.

    Args:
      train_points: Floats [batch, n, d], d known.
      train_values: Floats [batch, n, k], k known.
      query_points: Floats [batch, m, d].
      order: Of the spline: 1 for r, 2 for thin plates, 3 for r cubed.
      regularization_weight: Above zero, the function need not go through the values.
      name: The name scope.

    Returns:
      Floats [batch, m, k].

    Raises:
      ValueError: `d` or `k` is not known.
    """
    with name_scope(name):
        points, values, wanted = (
            convert_to_tensor(each) for each in (train_points, train_values, query_points)
        )
        with name_scope("solve"):
            weights, plane = _solved(points, values, order, regularization_weight)
        with name_scope("predict"):
            near = matmul(_phi(_squared_distances(wanted, points), order), weights)
            found: Tensor = near + matmul(_with_ones(wanted), plane)
        return found


def _solved(points: Any, values: Any, order: int, regularization: float) -> tuple[Any, Any]:
    """The weights of the points, and the plane that is added."""
    batch, count, _ = unstack(shape(points), num=3)
    (size, depth) = (each.shape.as_list()[-1] for each in (points, values))
    for known, which in ((size, "input points (d)"), (depth, "output values (k)")):
        if known is None:
            raise ValueError(f"The dimensionality of the {which} must be statically-inferrable.")
    with name_scope("construct_linear_system"):
        products = matmul(points, points, adjoint_b=True)
        norms = expand_dims(matrix_diag_part(products), 2)
        among = _phi(norms - 2 * products + transpose(norms, [0, 2, 1]), order)
        if regularization > 0:
            among += regularization * expand_dims(eye(count, dtype=points.dtype), 0)
        linear = _with_ones(points)
        left = concat([among, transpose(linear, [0, 2, 1])], 1)
        right = concat([linear, zeros([batch, size + 1, size + 1], points.dtype)], 1)
        given = concat([values, zeros([batch, size + 1, depth], points.dtype)], 1)
        system = concat([left, right], 2)
    with name_scope("solve_linear_system"):
        solution = matrix_solve(system, given)
        return solution[:, :count, :], solution[:, count:, :]


def _squared_distances(x: Any, y: Any) -> Any:
    norms = [reduce_sum(square(each), 2) for each in (x, y)]
    products = matmul(x, y, adjoint_b=True)
    return expand_dims(norms[0], 2) - 2 * products + expand_dims(norms[1], 1)


def _with_ones(points: Any) -> Any:
    return concat([points, ones_like(points[..., :1])], 2)


def _phi(squared: Any, order: int) -> Any:
    """The kernel of a squared distance."""
    with name_scope("phi"):
        least = maximum(squared, _LEAST)
        if order == 1:
            return sqrt(least)
        if order == 2:
            return 0.5 * squared * log(least)
        if order == 4:
            return 0.5 * square(squared) * log(least)
        powers = pow(least, 0.5 * order)
        return powers if order % 2 else 0.5 * powers * log(least)


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> tuple[Tensor, Tensor]:
    """An image warped so that some of its points come to stand somewhere else.

    Args:
      image: Floats [batch, height, width, channels], of a known shape.
      source_control_point_locations: Floats [batch, points, 2]: row and column of each.
      dest_control_point_locations: Of the same shape: where they are to stand.
      interpolation_order: See `interpolate_spline`.
      regularization_weight: The same.
      num_boundary_points: How many points of each edge stay where they are, one corner among them.
      name: The name scope.

    Returns:
      The image, and how far its points were moved: [batch, height, width, 2].
    """
    image, source, target = (
        convert_to_tensor(each)
        for each in (image, source_control_point_locations, dest_control_point_locations)
    )
    flows = target - source
    with name_scope(name):
        batch, height, width, _ = image.shape.as_list()
        if num_boundary_points > 0:
            grid = _grid(height, width, num_boundary_points + 1)
            on_edge = ((grid == 0) | (grid == [height - 1, width - 1])).any(-1)
            edge = np.tile(grid[on_edge], [batch, 1, 1])
            target = concat([target, constant(edge, target.dtype)], 1)
            flows = concat([flows, constant(np.zeros_like(edge), target.dtype)], 1)
        places = np.tile(_grid(height, width).reshape(-1, 2), [batch, 1, 1])
        spread = interpolate_spline(
            target,
            flows,
            constant(places, image.dtype),
            interpolation_order,
            regularization_weight,
        )
        dense = reshape(spread, [batch, height, width, 2])
        return dense_image_warp(image, dense), dense


def _grid(height: int, width: int, points: int | None = None) -> Any:
    """Rows and columns of all pixels, or of points that divide the image evenly."""
    rows, columns = (np.linspace(0, size - 1, points or size) for size in (height, width))
    return np.stack(np.meshgrid(rows, columns, indexing="ij"), -1)
