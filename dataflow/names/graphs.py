"""Graphs, control flow, gradients and sessions, as `tf` names them."""

from dataflow.control_flow.assertion import Assert as Assert
from dataflow.control_flow.case import case as case
from dataflow.control_flow.cond import cond as cond
from dataflow.control_flow.switch_case import switch_case as switch_case
from dataflow.control_flow.tensor_array import TensorArray as TensorArray
from dataflow.control_flow.version import control_flow_v2_enabled as control_flow_v2_enabled
from dataflow.control_flow.version import disable_control_flow_v2 as disable_control_flow_v2
from dataflow.control_flow.version import enable_control_flow_v2 as enable_control_flow_v2
from dataflow.control_flow.while_loop import while_loop as while_loop
from dataflow.differentiation.aggregation import AggregationMethod as AggregationMethod
from dataflow.differentiation.computation import UnconnectedGradients as UnconnectedGradients
from dataflow.differentiation.custom_gradient import custom_gradient as custom_gradient
from dataflow.differentiation.custom_gradient import grad_pass_through as grad_pass_through
from dataflow.differentiation.gradients import gradients as gradients
from dataflow.differentiation.gradients import hessians as hessians
from dataflow.differentiation.registry import NoGradient as NoGradient
from dataflow.differentiation.registry import NotDifferentiable as NotDifferentiable
from dataflow.differentiation.registry import RegisterGradient as RegisterGradient
from dataflow.differentiation.registry import no_gradient as no_gradient
from dataflow.differentiation.tape import GradientTape as GradientTape
from dataflow.errors import OpError as OpError
from dataflow.functions.batching import (
    nondifferentiable_batch_function as nondifferentiable_batch_function,
)
from dataflow.graph.convert import convert_to_tensor as convert_to_tensor
from dataflow.graph.convert import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from dataflow.graph.graph import Graph as Graph
from dataflow.graph.indexed_slices import IndexedSlices as IndexedSlices
from dataflow.graph.indexed_slices import IndexedSlicesValue as IndexedSlicesValue
from dataflow.graph.indexed_slices import (
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
)
from dataflow.graph.keys import GraphKeys as GraphKeys
from dataflow.graph.operation import Operation as Operation
from dataflow.graph.random_seed import get_seed as get_seed
from dataflow.graph.random_seed import set_random_seed as set_random_seed
from dataflow.graph.scopes import add_to_collection as add_to_collection
from dataflow.graph.scopes import add_to_collections as add_to_collections
from dataflow.graph.scopes import colocate_with as colocate_with
from dataflow.graph.scopes import container as container
from dataflow.graph.scopes import control_dependencies as control_dependencies
from dataflow.graph.scopes import device as device
from dataflow.graph.scopes import get_collection as get_collection
from dataflow.graph.scopes import get_collection_ref as get_collection_ref
from dataflow.graph.scopes import get_default_graph as get_default_graph
from dataflow.graph.scopes import get_default_session as get_default_session
from dataflow.graph.scopes import init_scope as init_scope
from dataflow.graph.scopes import name_scope as name_scope
from dataflow.graph.scopes import op_scope as op_scope
from dataflow.graph.scopes import reset_default_graph as reset_default_graph
from dataflow.graph.sparse_tensor import SparseTensor as SparseTensor
from dataflow.graph.sparse_tensor import SparseTensorValue as SparseTensorValue
from dataflow.graph.sparse_tensor import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from dataflow.graph.tensor import Tensor as Tensor
from dataflow.graph.variable_scope_object import AUTO_REUSE as AUTO_REUSE
from dataflow.graph.variable_scope_object import VariableScope as VariableScope
from dataflow.graph.variable_scope_object import get_variable_scope as get_variable_scope
from dataflow.importing.import_graph import import_graph_def as import_graph_def
from dataflow.library.datasets.array_specs import TensorArraySpec as TensorArraySpec
from dataflow.library.datasets.specs import IndexedSlicesSpec as IndexedSlicesSpec
from dataflow.library.datasets.specs import OptionalSpec as OptionalSpec
from dataflow.library.datasets.specs import SparseTensorSpec as SparseTensorSpec
from dataflow.library.datasets.specs import TensorSpec as TensorSpec
from dataflow.library.datasets.specs import TypeSpec as TypeSpec
from dataflow.library.datasets.specs import type_spec_from_value as type_spec_from_value
from dataflow.library.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from dataflow.library.ragged.tensor import RaggedTensor as RaggedTensor
from dataflow.proto.attr_value_pb2 import AttrValue as AttrValue
from dataflow.proto.attr_value_pb2 import NameAttrList as NameAttrList
from dataflow.proto.config_pb2 import ConfigProto as ConfigProto
from dataflow.proto.config_pb2 import GPUOptions as GPUOptions
from dataflow.proto.config_pb2 import GraphOptions as GraphOptions
from dataflow.proto.config_pb2 import OptimizerOptions as OptimizerOptions
from dataflow.proto.config_pb2 import RunMetadata as RunMetadata
from dataflow.proto.config_pb2 import RunOptions as RunOptions
from dataflow.proto.event_pb2 import Event as Event
from dataflow.proto.event_pb2 import LogMessage as LogMessage
from dataflow.proto.event_pb2 import SessionLog as SessionLog
from dataflow.proto.graph_pb2 import GraphDef as GraphDef
from dataflow.proto.histogram_pb2 import HistogramProto as HistogramProto
from dataflow.proto.meta_graph_pb2 import MetaGraphDef as MetaGraphDef
from dataflow.proto.meta_graph_pb2 import TensorInfo as TensorInfo
from dataflow.proto.node_def_pb2 import NodeDef as NodeDef
from dataflow.proto.summary_pb2 import Summary as Summary
from dataflow.proto.summary_pb2 import SummaryMetadata as SummaryMetadata
from dataflow.session.session import InteractiveSession as InteractiveSession
from dataflow.session.session import Session as Session
from dataflow.values.devices import DeviceSpec as DeviceSpec
from dataflow.values.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from dataflow.values.dtypes import DType as DType
from dataflow.values.dtypes import as_dtype as as_dtype
from dataflow.values.dtypes import bfloat16 as bfloat16
from dataflow.values.dtypes import bool as bool
from dataflow.values.dtypes import complex64 as complex64
from dataflow.values.dtypes import complex128 as complex128
from dataflow.values.dtypes import double as double
from dataflow.values.dtypes import float16 as float16
from dataflow.values.dtypes import float32 as float32
from dataflow.values.dtypes import float64 as float64
from dataflow.values.dtypes import half as half
from dataflow.values.dtypes import int8 as int8
from dataflow.values.dtypes import int16 as int16
from dataflow.values.dtypes import int32 as int32
from dataflow.values.dtypes import int64 as int64
from dataflow.values.dtypes import qint8 as qint8
from dataflow.values.dtypes import qint16 as qint16
from dataflow.values.dtypes import qint32 as qint32
from dataflow.values.dtypes import quint8 as quint8
from dataflow.values.dtypes import quint16 as quint16
from dataflow.values.dtypes import resource as resource
from dataflow.values.dtypes import string as string
from dataflow.values.dtypes import uint8 as uint8
from dataflow.values.dtypes import uint16 as uint16
from dataflow.values.dtypes import uint32 as uint32
from dataflow.values.dtypes import uint64 as uint64
from dataflow.values.dtypes import variant as variant
from dataflow.values.logging import get_logger as get_logger
from dataflow.values.shapes import Dimension as Dimension
from dataflow.values.shapes import TensorShape as TensorShape
from dataflow.values.shapes import dimension_at_index as dimension_at_index
from dataflow.values.shapes import dimension_value as dimension_value
from dataflow.values.tensor_proto import make_ndarray as make_ndarray
from dataflow.values.tensor_proto import make_tensor_proto as make_tensor_proto
from dataflow.values.variable_policy import VariableAggregation as VariableAggregation
from dataflow.values.variable_policy import VariableSynchronization as VariableSynchronization
from dataflow.values.versions import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from dataflow.values.versions import (
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
)
from dataflow.values.versions import (
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
)
