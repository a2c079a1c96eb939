"""Static dataflow graphs with TensorFlow 1's API, run on numpy or cupy, in process or on Ray."""

from __future__ import annotations

from dataflow import errors, raw_ops
from dataflow.convert import convert_to_tensor, register_tensor_conversion_function
from dataflow.devices import DeviceSpec
from dataflow.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from dataflow.errors import OpError
from dataflow.graph import Graph
from dataflow.graph_keys import GraphKeys
from dataflow.import_graph import import_graph_def
from dataflow.operation import Operation
from dataflow.ops.constant import constant
from dataflow.ops.identity import identity, identity_n, no_op, stop_gradient
from dataflow.ops.placeholder import placeholder, placeholder_with_default
from dataflow.proto.attr_value_pb2 import AttrValue, NameAttrList
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.random_seed import get_seed, set_random_seed
from dataflow.scopes import (
    add_to_collection,
    add_to_collections,
    colocate_with,
    container,
    control_dependencies,
    device,
    get_collection,
    get_collection_ref,
    get_default_graph,
    get_default_session,
    init_scope,
    name_scope,
    op_scope,
    reset_default_graph,
)
from dataflow.shapes import Dimension, TensorShape
from dataflow.tensor import Tensor
from dataflow.tensor_proto import make_ndarray, make_tensor_proto
from dataflow.versions import (
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
)

__version__ = "0.1.0"

__all__ = [
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "AttrValue",
    "DType",
    "DeviceSpec",
    "Dimension",
    "Graph",
    "GraphDef",
    "GraphKeys",
    "NameAttrList",
    "NodeDef",
    "OpError",
    "Operation",
    "Tensor",
    "TensorShape",
    "__version__",
    "add_to_collection",
    "add_to_collections",
    "as_dtype",
    "bfloat16",
    "bool",
    "colocate_with",
    "complex64",
    "complex128",
    "constant",
    "container",
    "control_dependencies",
    "convert_to_tensor",
    "device",
    "double",
    "errors",
    "float16",
    "float32",
    "float64",
    "get_collection",
    "get_collection_ref",
    "get_default_graph",
    "get_default_session",
    "get_seed",
    "half",
    "identity",
    "identity_n",
    "import_graph_def",
    "init_scope",
    "int8",
    "int16",
    "int32",
    "int64",
    "make_ndarray",
    "make_tensor_proto",
    "name_scope",
    "no_op",
    "op_scope",
    "placeholder",
    "placeholder_with_default",
    "qint8",
    "qint16",
    "qint32",
    "quint8",
    "quint16",
    "raw_ops",
    "register_tensor_conversion_function",
    "reset_default_graph",
    "resource",
    "set_random_seed",
    "stop_gradient",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "variant",
]
