"""tensorflow.python.ops.sparse_ops: tf.sparse by other names, and maps of sparse tensors."""

from __future__ import annotations

from typing import Any

import dataflow.ops.sparse.cross as _cross
import dataflow.ops.sparse.transpose as _transpose
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.porting.spellings.raw import op

_sparse_cross = _cross.sparse_cross
_sparse_cross_hashed = _cross.sparse_cross_hashed
sparse_expand_dims = _transpose.sparse_expand_dims
sparse_eye = _transpose.sparse_eye


def _add_sparse_to_tensors_map(
    sp_input: Any, container: str = "", shared_name: str = "", name: str | None = None
) -> Any:
    """Keeps a sparse tensor in a map; gives its number there."""
    return _added(op("AddSparseToTensorsMap"), sp_input, container, shared_name, name)


def _add_many_sparse_to_tensors_map(
    sp_input: Any, container: str = "", shared_name: str = "", name: str | None = None
) -> Any:
    """Keeps the rows of a sparse tensor in a map; gives their numbers there."""
    return _added(op("AddManySparseToTensorsMap"), sp_input, container, shared_name, name)


def _added(
    add: Any, sp_input: Any, container: str | None, shared_name: str | None, name: str | None
) -> Any:
    value = SparseTensor.from_value(sp_input)
    return add(
        sparse_indices=value.indices,
        sparse_values=value.values,
        sparse_shape=value.dense_shape,
        container=container or "",
        shared_name=shared_name or "",
        name=name,
    )


def _take_many_sparse_from_tensors_map(
    sparse_map_op: Operation,
    sparse_handles: Tensor,
    rank: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Takes sparse tensors out of the map of an operation, as the rows of one.

    Args:
      sparse_map_op: It has put them there.
      sparse_handles: Their numbers.
      rank: Of each.
      name: Of the node.

    Raises:
      TypeError: The operation is of another type.
    """
    if sparse_map_op.type not in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
        raise TypeError(
            "sparse_map_op must be one of AddSparseToTensorsMap or AddManySparseToTensorsMap. "
            f"Instead, found `{sparse_map_op.type}`."
        )
    indices, values, shape = op("TakeManySparseFromTensorsMap")(
        sparse_handles=sparse_handles,
        dtype=sparse_map_op.get_attr("T"),
        container=sparse_map_op.get_attr("container"),
        shared_name=sparse_map_op.get_attr("shared_name") or sparse_map_op.name,
        name=name,
    )
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
