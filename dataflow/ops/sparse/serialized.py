"""Sparse tensors as strings or variants, and numbers that stand for those that a device keeps."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.sparse.conversion import as_sparse, checked_parts
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank, with_rank_at_least
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_SPARSE = "sparse_indices: int64, sparse_values: %s, sparse_shape: int64"
_SHARED = ["container: string = ''", "shared_name: string = ''"]
_FOUND = [TensorShape.of((None, None)), TensorShape.of((None,)), TensorShape.of((None,))]


def _made(shape: tuple[int | None, ...]) -> Any:
    def infer(c: InferenceContext) -> TensorShape:
        checked_parts(c)
        return TensorShape.of(shape)

    return infer


def _read_shapes(c: InferenceContext) -> list[TensorShape]:
    dims = with_rank_at_least(c.input(0), 1).dims_tuple
    merge_dim(dims[-1] if dims else None, 3)
    return list(_FOUND)


def _read_many_shapes(c: InferenceContext) -> list[TensorShape]:
    dims = with_rank(c.input(0), 2).dims_tuple or ()
    merge_dim(dims[1], 3)
    return list(_FOUND)


def _taken_shapes(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    return list(_FOUND)


define_op(
    "SerializeSparse",
    inputs=_SPARSE % "T",
    outputs="serialized_sparse: out_type",
    attrs=["T: type", "out_type: {string, variant} = string"],
    shape=_made((3,)),
    gradient=MISSING_GRADIENT,
    doc="A sparse tensor as three serialized tensors.",
)

define_op(
    "SerializeManySparse",
    inputs=_SPARSE % "T",
    outputs="serialized_sparse: out_type",
    attrs=["T: type", "out_type: {string, variant} = string"],
    shape=_made((None, 3)),
    gradient=MISSING_GRADIENT,
    doc="Three serialized tensors for each row of a sparse tensor.",
)

define_op(
    "DeserializeSparse",
    inputs="serialized_sparse: Tserialized",
    outputs=_SPARSE % "dtype",
    attrs=["dtype: type", "Tserialized: {string, variant} = string"],
    shape=_read_shapes,
    gradient=MISSING_GRADIENT,
    doc="The sparse tensor of three strings, or those of many side by side.",
)

define_op(
    "DeserializeManySparse",
    inputs="serialized_sparse: string",
    outputs=_SPARSE % "dtype",
    attrs=["dtype: type"],
    shape=_read_many_shapes,
    gradient=MISSING_GRADIENT,
    doc="The sparse tensors of rows of three strings, side by side.",
)

define_op(
    "AddSparseToTensorsMap",
    inputs=_SPARSE % "T",
    outputs="sparse_handle: int64",
    attrs=["T: type", *_SHARED],
    shape=_made(()),
    gradient=MISSING_GRADIENT,
    stateful=True,
    doc="Keeps a sparse tensor on the device, and gives the number that stands for it.",
)

define_op(
    "AddManySparseToTensorsMap",
    inputs=_SPARSE % "T",
    outputs="sparse_handles: int64",
    attrs=["T: type", *_SHARED],
    shape=_made((None,)),
    gradient=MISSING_GRADIENT,
    stateful=True,
    doc="Keeps each row of a sparse tensor, and gives the numbers that stand for them.",
)

define_op(
    "TakeManySparseFromTensorsMap",
    inputs="sparse_handles: int64",
    outputs=_SPARSE % "dtype",
    attrs=["dtype: type", *_SHARED],
    shape=_taken_shapes,
    gradient=MISSING_GRADIENT,
    stateful=True,
    doc="The sparse tensors that numbers stand for, side by side; they are kept no longer.",
)


def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """A sparse tensor as a vector of three serialized tensors: indices, values and shape.

    Args:
      sp_input: The sparse tensor.
      name: Name of the operation.
      out_type: The result's type: string or variant.

    Raises:
      TypeError: The input is not sparse.
    """
    return _written("SerializeSparse", sp_input, name, out_type)


def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """Three serialized tensors for each row of a sparse tensor, shape `[rows, 3]`.

    Args:
      sp_input: The sparse tensor, of rank 2 at least and in order.
      name: Name of the operation.
      out_type: The result's type: string or variant.

    Raises:
      TypeError: The input is not sparse.
      InvalidArgumentError: At run time: its rank is lower, or it is not in order.
    """
    return _written("SerializeManySparse", sp_input, name, out_type)


def _written(op: str, sp_input: Any, name: str | None, out_type: Any) -> Tensor:
    sparse = as_sparse(sp_input)
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    return single(op, *parts, out_type=out_type, name=name)


def deserialize_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor of three strings, or those of many, with dimensions for them in front.

    Args:
      serialized_sparse: Strings, shape `[..., 3]`.
      dtype: Element type.
      rank: Rank of the result, if it is known.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: At run time: they are no such strings, or ranks differ.
    """
    return _ranked(apply_op("DeserializeSparse", serialized_sparse, dtype=dtype, name=name), rank)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensors that rows of three strings hold, as one with a row for each.

    Args:
      serialized_sparse: Strings, shape `[rows, 3]`.
      dtype: Element type.
      rank: Rank of the result, if it is known.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: At run time: they are no such strings, or ranks differ.
    """
    parts = apply_op("DeserializeManySparse", serialized_sparse, dtype=dtype, name=name)
    return _ranked(parts, rank)


def _ranked(parts: Any, rank: int | None) -> SparseTensor:
    indices, values, shape = parts
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def add_sparse_to_tensors_map(
    sp_input: Any,
    container: str | None = None,
    shared_name: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Keeps a sparse tensor on the device: the number that stands for it there."""
    return _added("AddSparseToTensorsMap", sp_input, container, shared_name, name)


def add_many_sparse_to_tensors_map(
    sp_input: Any,
    container: str | None = None,
    shared_name: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Keeps each row of a sparse tensor on the device: the numbers that stand for them there."""
    return _added("AddManySparseToTensorsMap", sp_input, container, shared_name, name)


def _added(op: str, sp_input: Any, container: Any, shared_name: Any, name: str | None) -> Tensor:
    sparse = as_sparse(sp_input)
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    shared = {"container": container or "", "shared_name": shared_name or ""}
    return single(op, *parts, name=name, **shared)


def take_many_sparse_from_tensors_map(
    sparse_map_op: Any, sparse_handles: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensors that were kept by an operation, as one with a row for each.

    Args:
      sparse_map_op: The operation that kept them.
      sparse_handles: The numbers that it gave them; they stand for nothing any more afterwards.
      rank: Rank of the result, if it is known.
      name: Name of the operation.

    Raises:
      TypeError: The operation is another one.
      InvalidArgumentError: At run time: a number stands for nothing, or ranks differ.
    """
    if not isinstance(sparse_map_op, Operation):
        raise TypeError("sparse_map_op be an Operation")
    if sparse_map_op.type not in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
        raise TypeError(
            "sparse_map_op must be one of AddSparseToTensorsMap or AddSparseToTensorsMap. Instead, "
            f"found `{sparse_map_op.type}`."
        )
    with colocate_with(sparse_map_op):
        parts = apply_op(
            "TakeManySparseFromTensorsMap",
            sparse_handles,
            dtype=sparse_map_op.get_attr("T"),
            container=sparse_map_op.get_attr("container"),
            shared_name=sparse_map_op.get_attr("shared_name") or sparse_map_op.name,
            name=name,
        )
    return _ranked(parts, rank)
