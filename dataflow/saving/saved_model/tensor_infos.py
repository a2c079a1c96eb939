"""TensorInfo: a tensor, or a sparse or ragged one, by the names it has in a graph."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.ragged.tensor import RaggedTensor
from dataflow.proto.meta_graph_pb2 import TensorInfo
from dataflow.proto.struct_pb2 import TypeSpecProto
from dataflow.proto.tensor_shape_pb2 import TensorShapeProto
from dataflow.proto.types_pb2 import DT_INVALID
from dataflow.values import dtypes
from dataflow.values.scope_names import prepend_name_scope


def build_tensor_info(tensor: Any) -> TensorInfo:
    """The name, type and static shape of a tensor.

    Args:
      tensor: A Tensor, a variable, or a SparseTensor or RaggedTensor, of whose parts the names are
        taken.
    """
    if isinstance(tensor, RaggedTensor):
        whole = TensorInfo()
        whole.composite_tensor.type_spec.CopyFrom(_spec_message(tensor))
        for part in tensor._components():
            whole.composite_tensor.components.add().CopyFrom(build_tensor_info(part))
        return whole
    info = TensorInfo(
        dtype=dtypes.as_dtype(tensor.dtype).as_datatype_enum,  # type: ignore[arg-type]
        tensor_shape=tensor.get_shape().as_proto(),
    )
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def _spec_message(tensor: RaggedTensor) -> TypeSpecProto:
    """What describes a ragged tensor: its shape, types and how often it is cut into rows."""
    message = TypeSpecProto(
        type_spec_class=TypeSpecProto.RAGGED_TENSOR_SPEC,
        type_spec_class_name="RaggedTensorSpec",
        num_flat_components=len(tensor._components()),
    )
    values = message.type_state.tuple_value.values
    values.add().tensor_shape_value.CopyFrom(tensor.shape.as_proto())
    values.add().tensor_dtype_value = tensor.dtype.as_datatype_enum  # type: ignore[assignment]
    values.add().int64_value = tensor.ragged_rank
    splits = tensor.row_splits.dtype.as_datatype_enum
    values.add().tensor_dtype_value = splits  # type: ignore[assignment]
    return message


def build_tensor_info_from_op(op: Any) -> TensorInfo:
    """The name of an operation, without type and shape."""
    return TensorInfo(
        dtype=DT_INVALID, tensor_shape=TensorShapeProto(unknown_rank=True), name=op.name
    )


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """The Tensor, SparseTensor or RaggedTensor that a TensorInfo names.

    Args:
      tensor_info: The TensorInfo.
      graph: Where it is; the default graph if None.
      import_scope: The name scope that the graph of the TensorInfo was imported into.

    Raises:
      KeyError: The graph lacks it.
      ValueError: `tensor_info` names nothing.
    """
    graph = graph or scopes.get_default_graph()

    def named(name: str) -> Any:
        return graph.get_tensor_by_name(prepend_name_scope(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return named(tensor_info.name)
    if encoding == "coo_sparse":
        return SparseTensor(
            named(tensor_info.coo_sparse.indices_tensor_name),
            named(tensor_info.coo_sparse.values_tensor_name),
            named(tensor_info.coo_sparse.dense_shape_tensor_name),
        )
    if encoding == "composite_tensor":
        if tensor_info.composite_tensor.type_spec.type_spec_class != (
            TypeSpecProto.RAGGED_TENSOR_SPEC
        ):
            raise ValueError("The only composite tensor of a TensorInfo that is known is ragged.")
        parts = [named(part.name) for part in tensor_info.composite_tensor.components]
        return RaggedTensor._from_components(parts)
    raise ValueError(
        f"Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse`, `composite_tensor`, or "
        "`name` for a dense tensor."
    )


def get_element_from_tensor_info(
    tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """The operation or tensor that a TensorInfo names.

    Args:
      tensor_info: The TensorInfo.
      graph: Where it is; the default graph if None.
      import_scope: The name scope that the graph of the TensorInfo was imported into.

    Raises:
      KeyError: The graph lacks it.
    """
    graph = graph or scopes.get_default_graph()
    return graph.as_graph_element(prepend_name_scope(tensor_info.name, import_scope))
