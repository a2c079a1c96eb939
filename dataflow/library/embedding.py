"""Looking up rows of embedding tables, that may be split over several variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.partition as array_partition
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.binary as math_binary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.indexed_slices import convert_n_to_tensor_or_indexed_slices
from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_norm
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes
from dataflow.values.shapes import Dimension, TensorShape, dimension_value
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.resource_variable import ResourceVariable


@dispatched
def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Rows of an embedding table.

    Args:
      params: The table: a tensor or variable, or a list of them that holds its parts.
      ids: Rows looked up, integers of any shape.
      partition_strategy: "mod": row i is in part i % parts. "div": parts hold consecutive rows, the
        first ones one more if they do not come out even.
      name: Name of the operation.
      validate_indices: Not used; kept for old callers. A row that does not exist is an error.
      max_norm: Scales rows whose Euclidean norm is greater down to it.

    Returns:
      The rows: `ids.shape + params.shape[1:]`.

    Raises:
      ValueError: There is no table, or the strategy is unknown.

    >>> table = tf.constant([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    >>> with tf.Session() as session:
    ...     print(session.run(tf.nn.embedding_lookup(table, [2, 0])).tolist())
    [[3.0, 3.0], [1.0, 1.0]]
    """
    return _embedding_lookup_and_transform(
        params, ids, partition_strategy=partition_strategy, name=name, max_norm=max_norm
    )


def _embedding_lookup_and_transform(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    max_norm: float | None = None,
    transform_fn: Callable[[Any], Any] | None = None,
) -> Tensor:
    """Rows of an embedding table, or what a function makes of them beside each part.

    Args:
      params: As of `embedding_lookup`, as all but the last one.
      ids: See above.
      partition_strategy: See above.
      name: See above.
      max_norm: See above.
      transform_fn: Takes rows of one part, `[n, ...]`, and gives as many; None for the rows.

    Returns:
      The rows: `ids.shape` and the shape of one.

    Raises:
      ValueError: There is no table, or the strategy is unknown.
    """
    tables = _tables(params)
    with scopes.name_scope(name, "embedding_lookup", [*tables, ids]) as scope:
        if not any(isinstance(table, ResourceVariable) for table in tables):
            tables = convert_n_to_tensor_or_indexed_slices(tables, name="params")
        indices = convert_to_tensor(ids, name="ids")
        if len(tables) == 1 and (transform_fn is None or indices.shape.rank == 1):
            with scopes.colocate_with(tables[0]):
                rows = _clip(array_gather.gather(tables[0], indices, name=scope), indices, max_norm)
                if transform_fn is not None:
                    rows = transform_fn(rows)
            result: Tensor = identity(rows)
            return result
        return _from_parts(tables, indices, partition_strategy, max_norm, transform_fn, scope)


def _tables(params: Any) -> list[Any]:
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    if isinstance(params, (list, PartitionedVariable)):
        return list(params)
    return [params]


def _from_parts(
    tables: Sequence[Any],
    ids: Tensor,
    strategy: str,
    max_norm: float | None,
    transform: Callable[[Any], Any] | None,
    scope: str,
) -> Tensor:
    """Sends each id to the part that has its row, and puts the rows back in order."""
    count = len(tables)
    flat: Any = array_shape.reshape(ids, [-1])
    places = range_ops.range(array_shape.size(flat))
    if strategy == "mod":
        part, row = flat % count, flat // count
    elif strategy == "div":
        part, row = _consecutive(tables, flat)
    else:
        raise ValueError(
            f"Unrecognized partition strategy: {strategy}.Must be one of either `mod` or `div`."
        )
    part = cast(part, dtypes.int32)
    ids_of_parts = array_partition.dynamic_partition(row, part, count)
    places_of_parts = array_partition.dynamic_partition(places, part, count)
    rows = []
    for table, part_ids in zip(tables, ids_of_parts, strict=True):
        with scopes.device(None), scopes.colocate_with(table):
            found = array_gather.gather(table, part_ids)
            rows.append(found if transform is None else transform(_clip(found, part_ids, max_norm)))
    merged = array_partition.parallel_dynamic_stitch(places_of_parts, rows, name=scope)
    if transform is None:
        static = TensorShape(tables[0].shape[1:])
        for table in tables[1:]:
            static = static.merge_with(table.shape[1:])
    else:
        static = merged.shape[1:]
    if static.is_fully_defined():
        element: Any = static
    elif transform is None:
        with scopes.colocate_with(tables[0]):
            shape: Any = array_shape.shape(tables[0])
        element = shape[1:]
    else:
        shape = array_shape.shape(merged)
        element = shape[1:]
    result = array_shape.reshape(merged, array_concat.concat([array_shape.shape(ids), element], 0))
    result.set_shape(ids.shape.concatenate(static))
    return result if transform is not None else _clip(result, ids, max_norm)


def _consecutive(tables: Sequence[Any], flat: Any) -> tuple[Any, Any]:
    """Part and row in it, where parts hold consecutive rows."""
    count = len(tables)
    total = Dimension(0)
    for table in tables:
        total = total + Dimension(dimension_value(table.shape[0]))
    if total.value:
        rows: Any = constant(total.value, flat.dtype)
    else:
        rows = reductions.reduce_sum(cast(array_concat.stack(_sizes(tables)), flat.dtype))
    each = rows // count
    extra = rows % count
    part = math_binary.maximum(flat // (each + 1), (flat - extra) // each)
    row = array_select.where(part < extra, flat % (each + 1), (flat - extra) % each)
    return part, row


def _sizes(tables: Sequence[Any]) -> list[Any]:
    sizes: list[Any] = []
    for table in tables:
        known = dimension_value(table.shape[0])
        if known is not None:
            sizes.append(known)
            continue
        with scopes.colocate_with(table):
            shape: Any = array_shape.shape(table)
            sizes.append(shape[0])
    return sizes


def _clip(rows: Tensor, ids: Tensor, max_norm: float | None) -> Tensor:
    """The rows, each scaled down to the norm."""
    if max_norm is None:
        return rows
    first, last = ids.shape.rank, rows.shape.rank
    if first and last:
        axes: Any = list(range(first, last))
    else:
        axes = range_ops.range(first or array_shape.rank(ids), last or array_shape.rank(rows))
    clipped: Tensor = clip_by_norm(rows, max_norm, axes=axes)
    return clipped
