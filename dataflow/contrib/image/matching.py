"""Which rows and columns go together, by their distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.fill import fill
from dataflow.ops.array.select import one_hot, where
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import minimum
from dataflow.ops.math.compare import less, logical_and
from dataflow.ops.reductions.arg import argmin
from dataflow.values import dtypes


def bipartite_match(
    distance_mat: Any, num_valid_rows: Any, top_k: int = -1, name: str = "bipartite_match"
) -> tuple[Tensor, Tensor]:
    """Takes the nearest pair of a row and a column, then the nearest of those that are left, ...

    Args:
      distance_mat: The distance of each row to each column: floats of rank 2.
      num_valid_rows: How many of the rows, the first, can be taken; all if negative. A number, or a
        vector of one.
      top_k: How many pairs are taken; as many as there can be if negative.
      name: The name scope.

    Returns:
      For each row the column, and for each column the row: int32, -1 where there is none.
    """
    with name_scope(name, values=[distance_mat, num_valid_rows]):
        # An infinite distance is that of a pair that cannot be taken.
        distances = minimum(
            convert_to_tensor(distance_mat, dtypes.float32), np.finfo(np.float32).max
        )
        rows, columns = shape(distances)[0], shape(distances)[1]
        valid = reshape(cast(num_valid_rows, dtypes.int32), [])
        valid = where(less(valid, 0), rows, minimum(valid, rows))
        pairs = minimum(valid, columns)
        pairs = pairs if top_k < 0 else minimum(pairs, top_k)
        open_rows = expand_dims(less(range_of(rows), valid), 1)

        def take(count: Any, of_rows: Any, of_columns: Any) -> Any:
            free = logical_and(
                logical_and(open_rows, expand_dims(of_rows < 0, 1)), expand_dims(of_columns < 0, 0)
            )
            left = where(free, distances, fill([rows, columns], np.float32(np.inf)))
            place = argmin(reshape(left, [-1]), output_type=dtypes.int32)
            row, column = place // columns, place % columns
            return (
                count + 1,
                where(one_hot(row, rows, True, False), fill([rows], column), of_rows),
                where(one_hot(column, columns, True, False), fill([columns], row), of_columns),
            )

        _, of_rows, of_columns = while_loop(
            lambda count, *_: less(count, pairs),
            take,
            (0, fill([rows], -1), fill([columns], -1)),
            back_prop=False,
        )
        of_rows.set_shape(distances.shape[:1])
        of_columns.set_shape(distances.shape[1:])
        return of_rows, of_columns
