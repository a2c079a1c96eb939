"""Projective transformations as rows of eight numbers, and as matrices of nine."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.matmul as linalg_matmul
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant


def compose_transforms(*transforms: Any) -> Tensor:
    """The transformations that do one after the other.

    Args:
      *transforms: Each a row of eight numbers, or a row for each image.

    Raises:
      AssertionError: There is none.
    """
    assert transforms, "transforms cannot be empty"
    with name_scope("compose_transforms"):
        product: Any = flat_transforms_to_matrices(transforms[0])
        for each in transforms[1:]:
            product = linalg_matmul.matmul(product, flat_transforms_to_matrices(each))
        return matrices_to_flat_transforms(product)


def flat_transforms_to_matrices(transforms: Any) -> Tensor:
    """Rows of eight numbers as 3x3 matrices whose last number is 1.

    Args:
      transforms: Of shape `[8]` or `[count, 8]`.

    Raises:
      ValueError: The rank is another one.
    """
    with name_scope("flat_transforms_to_matrices"):
        transforms = convert_to_tensor(transforms, name="transforms")
        if transforms.shape.ndims not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
        rows: Any = array_shape.reshape(transforms, constant([-1, 8]))
        count: Any = array_shape.shape(rows)
        ones = array_fill.ones([count[0], 1], dtype=rows.dtype)
        nines = array_concat.concat([rows, ones], axis=1)
        return array_shape.reshape(nines, constant([-1, 3, 3]))


def matrices_to_flat_transforms(transform_matrices: Any) -> Tensor:
    """3x3 matrices as rows of eight numbers, over the last of the nine.

    Args:
      transform_matrices: Of shape `[3, 3]` or `[count, 3, 3]`.

    Raises:
      ValueError: The rank is another one.
    """
    with name_scope("matrices_to_flat_transforms"):
        matrices = convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.ndims not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        rows: Any = array_shape.reshape(matrices, constant([-1, 9]))
        rows /= rows[:, 8:9]
        result: Tensor = rows[:, :8]
        return result
