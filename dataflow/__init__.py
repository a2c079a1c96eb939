"""Static dataflow graphs with TensorFlow 1's API, run on numpy or cupy, in process or on Ray."""

import typing as _typing

import dataflow.library.summaries.merging as _merging
import dataflow.ops.array.scatter as _scatter
import dataflow.ops.array.transpose as _transpose
import dataflow.ops.load as _load
import dataflow.values.submodules as _submodules
import dataflow.variables.initializers as _initializers
import dataflow.variables.scaled_initializers as _scaled_initializers
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
from dataflow.errors import OpError as OpError
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
from dataflow.library.behavior import disable_eager_execution as disable_eager_execution
from dataflow.library.behavior import disable_tensor_equality as disable_tensor_equality
from dataflow.library.behavior import disable_v2_behavior as disable_v2_behavior
from dataflow.library.behavior import disable_v2_tensorshape as disable_v2_tensorshape
from dataflow.library.behavior import enable_eager_execution as enable_eager_execution
from dataflow.library.behavior import enable_tensor_equality as enable_tensor_equality
from dataflow.library.behavior import enable_v2_behavior as enable_v2_behavior
from dataflow.library.behavior import enable_v2_tensorshape as enable_v2_tensorshape
from dataflow.library.behavior import executing_eagerly as executing_eagerly
from dataflow.library.behavior import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from dataflow.library.check_types import assert_integer as assert_integer
from dataflow.library.check_types import assert_proper_iterable as assert_proper_iterable
from dataflow.library.check_types import assert_rank as assert_rank
from dataflow.library.check_types import assert_rank_at_least as assert_rank_at_least
from dataflow.library.check_types import assert_rank_in as assert_rank_in
from dataflow.library.check_types import assert_same_float_dtype as assert_same_float_dtype
from dataflow.library.check_types import assert_scalar as assert_scalar
from dataflow.library.check_types import assert_type as assert_type
from dataflow.library.check_values import assert_equal as assert_equal
from dataflow.library.check_values import assert_greater as assert_greater
from dataflow.library.check_values import assert_greater_equal as assert_greater_equal
from dataflow.library.check_values import assert_less as assert_less
from dataflow.library.check_values import assert_less_equal as assert_less_equal
from dataflow.library.check_values import assert_near as assert_near
from dataflow.library.check_values import assert_negative as assert_negative
from dataflow.library.check_values import assert_non_negative as assert_non_negative
from dataflow.library.check_values import assert_non_positive as assert_non_positive
from dataflow.library.check_values import assert_none_equal as assert_none_equal
from dataflow.library.check_values import assert_positive as assert_positive
from dataflow.library.check_values import is_non_decreasing as is_non_decreasing
from dataflow.library.check_values import is_numeric_tensor as is_numeric_tensor
from dataflow.library.check_values import is_strictly_increasing as is_strictly_increasing
from dataflow.library.clipping import clip_by_average_norm as clip_by_average_norm
from dataflow.library.clipping import clip_by_global_norm as clip_by_global_norm
from dataflow.library.clipping import clip_by_norm as clip_by_norm
from dataflow.library.clipping import clip_by_value as clip_by_value
from dataflow.library.clipping import global_norm as global_norm
from dataflow.library.confusion_matrix import confusion_matrix as confusion_matrix
from dataflow.library.defun import Defun as Defun
from dataflow.library.inspection import get_static_value as get_static_value
from dataflow.library.inspection import is_tensor as is_tensor
from dataflow.library.map_fn import foldl as foldl
from dataflow.library.map_fn import foldr as foldr
from dataflow.library.map_fn import map_fn as map_fn
from dataflow.library.map_fn import scan as scan
from dataflow.library.queues.accumulators import ConditionalAccumulator as ConditionalAccumulator
from dataflow.library.queues.accumulators import (
    ConditionalAccumulatorBase as ConditionalAccumulatorBase,
)
from dataflow.library.queues.accumulators import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from dataflow.library.queues.fifo_queue import FIFOQueue as FIFOQueue
from dataflow.library.queues.queue_base import QueueBase as QueueBase
from dataflow.library.sparse_shapes import sparse_reset_shape as sparse_reset_shape
from dataflow.library.summaries.early_names import audio_summary as audio_summary
from dataflow.library.summaries.early_names import histogram_summary as histogram_summary
from dataflow.library.summaries.early_names import image_summary as image_summary
from dataflow.library.summaries.early_names import scalar_summary as scalar_summary
from dataflow.library.table_initializers import initialize_all_tables as initialize_all_tables
from dataflow.library.table_initializers import tables_initializer as tables_initializer
from dataflow.ops.array.bits import bitcast as bitcast
from dataflow.ops.array.broadcast import broadcast_dynamic_shape as broadcast_dynamic_shape
from dataflow.ops.array.broadcast import broadcast_static_shape as broadcast_static_shape
from dataflow.ops.array.broadcast import broadcast_to as broadcast_to
from dataflow.ops.array.broadcast import tile as tile
from dataflow.ops.array.concat import concat as concat
from dataflow.ops.array.concat import parallel_stack as parallel_stack
from dataflow.ops.array.concat import stack as stack
from dataflow.ops.array.concat import unstack as unstack
from dataflow.ops.array.fill import fill as fill
from dataflow.ops.array.fill import ones as ones
from dataflow.ops.array.fill import ones_like as ones_like
from dataflow.ops.array.fill import zeros as zeros
from dataflow.ops.array.fill import zeros_like as zeros_like
from dataflow.ops.array.gather import batch_gather as batch_gather
from dataflow.ops.array.gather import gather as gather
from dataflow.ops.array.gather import gather_nd as gather_nd
from dataflow.ops.array.index import boolean_mask as boolean_mask
from dataflow.ops.array.index import newaxis as newaxis
from dataflow.ops.array.pad import pad as pad
from dataflow.ops.array.partition import dynamic_partition as dynamic_partition
from dataflow.ops.array.partition import dynamic_stitch as dynamic_stitch
from dataflow.ops.array.patches import extract_image_patches as extract_image_patches
from dataflow.ops.array.repeat import meshgrid as meshgrid
from dataflow.ops.array.repeat import repeat as repeat
from dataflow.ops.array.scatter import scatter_nd as scatter_nd
from dataflow.ops.array.scatter import tensor_scatter_nd_add as tensor_scatter_nd_add
from dataflow.ops.array.scatter import tensor_scatter_nd_max as tensor_scatter_nd_max
from dataflow.ops.array.scatter import tensor_scatter_nd_min as tensor_scatter_nd_min
from dataflow.ops.array.scatter import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from dataflow.ops.array.scatter import tensor_scatter_nd_update as tensor_scatter_nd_update
from dataflow.ops.array.select import one_hot as one_hot
from dataflow.ops.array.select import sequence_mask as sequence_mask
from dataflow.ops.array.select import where as where
from dataflow.ops.array.select import where_v2 as where_v2
from dataflow.ops.array.shape import ensure_shape as ensure_shape
from dataflow.ops.array.shape import expand_dims as expand_dims
from dataflow.ops.array.shape import guarantee_const as guarantee_const
from dataflow.ops.array.shape import rank as rank
from dataflow.ops.array.shape import reshape as reshape
from dataflow.ops.array.shape import shape as shape
from dataflow.ops.array.shape import shape_n as shape_n
from dataflow.ops.array.shape import size as size
from dataflow.ops.array.shape import squeeze as squeeze
from dataflow.ops.array.slice import slice as slice
from dataflow.ops.array.slice import strided_slice as strided_slice
from dataflow.ops.array.sorting import argsort as argsort
from dataflow.ops.array.sorting import sort as sort
from dataflow.ops.array.space import batch_to_space as batch_to_space
from dataflow.ops.array.space import batch_to_space_nd as batch_to_space_nd
from dataflow.ops.array.space import depth_to_space as depth_to_space
from dataflow.ops.array.space import (
    required_space_to_batch_paddings as required_space_to_batch_paddings,
)
from dataflow.ops.array.space import space_to_batch as space_to_batch
from dataflow.ops.array.space import space_to_batch_nd as space_to_batch_nd
from dataflow.ops.array.space import space_to_depth as space_to_depth
from dataflow.ops.array.split import split as split
from dataflow.ops.array.transpose import invert_permutation as invert_permutation
from dataflow.ops.array.transpose import matrix_transpose as matrix_transpose
from dataflow.ops.array.transpose import reverse as reverse
from dataflow.ops.array.transpose import reverse_sequence as reverse_sequence
from dataflow.ops.array.transpose import roll as roll
from dataflow.ops.array.transpose import transpose as transpose
from dataflow.ops.array.unique import searchsorted as searchsorted
from dataflow.ops.array.unique import setdiff1d as setdiff1d
from dataflow.ops.array.unique import sparse_mask as sparse_mask
from dataflow.ops.array.unique import unique as unique
from dataflow.ops.array.unique import unique_with_counts as unique_with_counts
from dataflow.ops.basic.cast import cast as cast
from dataflow.ops.basic.cast import saturate_cast as saturate_cast
from dataflow.ops.basic.cast import to_bfloat16 as to_bfloat16
from dataflow.ops.basic.cast import to_complex64 as to_complex64
from dataflow.ops.basic.cast import to_complex128 as to_complex128
from dataflow.ops.basic.cast import to_double as to_double
from dataflow.ops.basic.cast import to_float as to_float
from dataflow.ops.basic.cast import to_int32 as to_int32
from dataflow.ops.basic.cast import to_int64 as to_int64
from dataflow.ops.basic.constant import constant as constant
from dataflow.ops.basic.grouping import group as group
from dataflow.ops.basic.grouping import tuple as tuple
from dataflow.ops.basic.identity import identity as identity
from dataflow.ops.basic.identity import identity_n as identity_n
from dataflow.ops.basic.identity import no_op as no_op
from dataflow.ops.basic.identity import stop_gradient as stop_gradient
from dataflow.ops.basic.placeholder import placeholder as placeholder
from dataflow.ops.basic.placeholder import placeholder_with_default as placeholder_with_default
from dataflow.ops.basic.range import range as range
from dataflow.ops.basic.sparse_placeholder import sparse_placeholder as sparse_placeholder
from dataflow.ops.linalg.cross import cross as cross
from dataflow.ops.linalg.diag import diag as diag
from dataflow.ops.linalg.diag import diag_part as diag_part
from dataflow.ops.linalg.diag import eye as eye
from dataflow.ops.linalg.diag import matrix_band_part as matrix_band_part
from dataflow.ops.linalg.diag import matrix_diag as matrix_diag
from dataflow.ops.linalg.diag import matrix_diag_part as matrix_diag_part
from dataflow.ops.linalg.diag import matrix_set_diag as matrix_set_diag
from dataflow.ops.linalg.einsum import einsum as einsum
from dataflow.ops.linalg.matmul import matmul as matmul
from dataflow.ops.linalg.matmul import sparse_matmul as sparse_matmul
from dataflow.ops.linalg.norm import norm as norm
from dataflow.ops.linalg.tensordot import tensordot as tensordot
from dataflow.ops.linalg.tensordot import trace as trace
from dataflow.ops.math.binary import add as add
from dataflow.ops.math.binary import maximum as maximum
from dataflow.ops.math.binary import minimum as minimum
from dataflow.ops.math.binary import multiply as multiply
from dataflow.ops.math.binary import scalar_mul as scalar_mul
from dataflow.ops.math.binary import squared_difference as squared_difference
from dataflow.ops.math.binary import subtract as subtract
from dataflow.ops.math.check import add_check_numerics_ops as add_check_numerics_ops
from dataflow.ops.math.check import check_numerics as check_numerics
from dataflow.ops.math.check import verify_tensor_all_finite as verify_tensor_all_finite
from dataflow.ops.math.compare import equal as equal
from dataflow.ops.math.compare import greater as greater
from dataflow.ops.math.compare import greater_equal as greater_equal
from dataflow.ops.math.compare import less as less
from dataflow.ops.math.compare import less_equal as less_equal
from dataflow.ops.math.compare import logical_and as logical_and
from dataflow.ops.math.compare import logical_not as logical_not
from dataflow.ops.math.compare import logical_or as logical_or
from dataflow.ops.math.compare import logical_xor as logical_xor
from dataflow.ops.math.compare import not_equal as not_equal
from dataflow.ops.math.complex import angle as angle
from dataflow.ops.math.complex import complex as complex
from dataflow.ops.math.complex import conj as conj
from dataflow.ops.math.complex import imag as imag
from dataflow.ops.math.complex import real as real
from dataflow.ops.math.division import div as div
from dataflow.ops.math.division import div_no_nan as div_no_nan
from dataflow.ops.math.division import divide as divide
from dataflow.ops.math.division import floor_div as floor_div
from dataflow.ops.math.division import floordiv as floordiv
from dataflow.ops.math.division import floormod as floormod
from dataflow.ops.math.division import mod as mod
from dataflow.ops.math.division import realdiv as realdiv
from dataflow.ops.math.division import truediv as truediv
from dataflow.ops.math.division import truncatediv as truncatediv
from dataflow.ops.math.division import truncatemod as truncatemod
from dataflow.ops.math.linspace import lin_space as lin_space
from dataflow.ops.math.linspace import linspace as linspace
from dataflow.ops.math.power import atan2 as atan2
from dataflow.ops.math.power import pow as pow
from dataflow.ops.math.rounding import ceil as ceil
from dataflow.ops.math.rounding import floor as floor
from dataflow.ops.math.rounding import is_finite as is_finite
from dataflow.ops.math.rounding import is_inf as is_inf
from dataflow.ops.math.rounding import is_nan as is_nan
from dataflow.ops.math.rounding import rint as rint
from dataflow.ops.math.rounding import round as round
from dataflow.ops.math.rounding import sign as sign
from dataflow.ops.math.sigmoid import log_sigmoid as log_sigmoid
from dataflow.ops.math.sigmoid import sigmoid as sigmoid
from dataflow.ops.math.special import betainc as betainc
from dataflow.ops.math.special import digamma as digamma
from dataflow.ops.math.special import erf as erf
from dataflow.ops.math.special import erfc as erfc
from dataflow.ops.math.special import igamma as igamma
from dataflow.ops.math.special import igammac as igammac
from dataflow.ops.math.special import lbeta as lbeta
from dataflow.ops.math.special import lgamma as lgamma
from dataflow.ops.math.special import polygamma as polygamma
from dataflow.ops.math.special import zeta as zeta
from dataflow.ops.math.trig import acos as acos
from dataflow.ops.math.trig import acosh as acosh
from dataflow.ops.math.trig import asin as asin
from dataflow.ops.math.trig import asinh as asinh
from dataflow.ops.math.trig import atan as atan
from dataflow.ops.math.trig import atanh as atanh
from dataflow.ops.math.trig import cos as cos
from dataflow.ops.math.trig import cosh as cosh
from dataflow.ops.math.trig import sin as sin
from dataflow.ops.math.trig import sinh as sinh
from dataflow.ops.math.trig import tan as tan
from dataflow.ops.math.trig import tanh as tanh
from dataflow.ops.math.unary import abs as abs
from dataflow.ops.math.unary import exp as exp
from dataflow.ops.math.unary import expm1 as expm1
from dataflow.ops.math.unary import log as log
from dataflow.ops.math.unary import log1p as log1p
from dataflow.ops.math.unary import negative as negative
from dataflow.ops.math.unary import reciprocal as reciprocal
from dataflow.ops.math.unary import rsqrt as rsqrt
from dataflow.ops.math.unary import sqrt as sqrt
from dataflow.ops.math.unary import square as square
from dataflow.ops.random.stateful import multinomial as multinomial
from dataflow.ops.random.stateful import random_normal as random_normal
from dataflow.ops.random.stateful import random_shuffle as random_shuffle
from dataflow.ops.random.stateful import random_uniform as random_uniform
from dataflow.ops.random.stateful import truncated_normal as truncated_normal
from dataflow.ops.reductions.arg import arg_max as arg_max
from dataflow.ops.reductions.arg import arg_min as arg_min
from dataflow.ops.reductions.arg import argmax as argmax
from dataflow.ops.reductions.arg import argmin as argmin
from dataflow.ops.reductions.bincount import bincount as bincount
from dataflow.ops.reductions.bincount import histogram_fixed_width as histogram_fixed_width
from dataflow.ops.reductions.reduce import reduce_all as reduce_all
from dataflow.ops.reductions.reduce import reduce_any as reduce_any
from dataflow.ops.reductions.reduce import reduce_max as reduce_max
from dataflow.ops.reductions.reduce import reduce_mean as reduce_mean
from dataflow.ops.reductions.reduce import reduce_min as reduce_min
from dataflow.ops.reductions.reduce import reduce_prod as reduce_prod
from dataflow.ops.reductions.reduce import reduce_sum as reduce_sum
from dataflow.ops.reductions.scan import cumprod as cumprod
from dataflow.ops.reductions.scan import cumsum as cumsum
from dataflow.ops.reductions.segment import segment_max as segment_max
from dataflow.ops.reductions.segment import segment_mean as segment_mean
from dataflow.ops.reductions.segment import segment_min as segment_min
from dataflow.ops.reductions.segment import segment_prod as segment_prod
from dataflow.ops.reductions.segment import segment_sum as segment_sum
from dataflow.ops.reductions.segment import unsorted_segment_max as unsorted_segment_max
from dataflow.ops.reductions.segment import unsorted_segment_mean as unsorted_segment_mean
from dataflow.ops.reductions.segment import unsorted_segment_min as unsorted_segment_min
from dataflow.ops.reductions.segment import unsorted_segment_prod as unsorted_segment_prod
from dataflow.ops.reductions.segment import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from dataflow.ops.reductions.segment import unsorted_segment_sum as unsorted_segment_sum
from dataflow.ops.reductions.statistics import count_nonzero as count_nonzero
from dataflow.ops.reductions.statistics import reduce_logsumexp as reduce_logsumexp
from dataflow.ops.reductions.sum import accumulate_n as accumulate_n
from dataflow.ops.reductions.sum import add_n as add_n
from dataflow.ops.sequences.edit_distance import edit_distance as edit_distance
from dataflow.ops.sparse.add import sparse_add as sparse_add
from dataflow.ops.sparse.concat import sparse_concat as sparse_concat
from dataflow.ops.sparse.dense import sparse_tensor_to_dense as sparse_tensor_to_dense
from dataflow.ops.sparse.dense import sparse_to_dense as sparse_to_dense
from dataflow.ops.sparse.matmul import sparse_tensor_dense_matmul as sparse_tensor_dense_matmul
from dataflow.ops.sparse.merge import sparse_merge as sparse_merge
from dataflow.ops.sparse.merge import sparse_to_indicator as sparse_to_indicator
from dataflow.ops.sparse.reorder import sparse_reorder as sparse_reorder
from dataflow.ops.sparse.reshape import sparse_reshape as sparse_reshape
from dataflow.ops.sparse.rows import sparse_fill_empty_rows as sparse_fill_empty_rows
from dataflow.ops.sparse.rows import sparse_retain as sparse_retain
from dataflow.ops.sparse.segment import sparse_segment_mean as sparse_segment_mean
from dataflow.ops.sparse.segment import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from dataflow.ops.sparse.segment import sparse_segment_sum as sparse_segment_sum
from dataflow.ops.sparse.transpose import sparse_transpose as sparse_transpose
from dataflow.ops.state.reference import assign as assign
from dataflow.ops.state.reference import assign_add as assign_add
from dataflow.ops.state.reference import assign_sub as assign_sub
from dataflow.ops.state.reference import count_up_to as count_up_to
from dataflow.ops.state.scatter import batch_scatter_update as batch_scatter_update
from dataflow.ops.state.scatter import scatter_add as scatter_add
from dataflow.ops.state.scatter import scatter_div as scatter_div
from dataflow.ops.state.scatter import scatter_max as scatter_max
from dataflow.ops.state.scatter import scatter_min as scatter_min
from dataflow.ops.state.scatter import scatter_mul as scatter_mul
from dataflow.ops.state.scatter import scatter_nd_add as scatter_nd_add
from dataflow.ops.state.scatter import scatter_nd_sub as scatter_nd_sub
from dataflow.ops.state.scatter import scatter_nd_update as scatter_nd_update
from dataflow.ops.state.scatter import scatter_sub as scatter_sub
from dataflow.ops.state.scatter import scatter_update as scatter_update
from dataflow.ops.state.session_tensors import delete_session_tensor as delete_session_tensor
from dataflow.ops.state.session_tensors import get_session_handle as get_session_handle
from dataflow.ops.state.session_tensors import get_session_tensor as get_session_tensor
from dataflow.ops.text.printing import Print as Print
from dataflow.ops.text.printing import print as print
from dataflow.porting.hook import as_tensorflow as as_tensorflow
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
from dataflow.variables.partitioned import fixed_size_partitioner as fixed_size_partitioner
from dataflow.variables.partitioned import (
    min_max_variable_partitioner as min_max_variable_partitioner,
)
from dataflow.variables.partitioned import (
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from dataflow.variables.regularizers import no_regularizer as no_regularizer
from dataflow.variables.scope import create_partitioned_variables as create_partitioned_variables
from dataflow.variables.scope import get_local_variable as get_local_variable
from dataflow.variables.scope import get_variable as get_variable
from dataflow.variables.scope import variable_op_scope as variable_op_scope
from dataflow.variables.scope import variable_scope as variable_scope
from dataflow.variables.template import make_template as make_template
from dataflow.variables.variable import Variable as Variable
from dataflow.variables.variable import all_variables as all_variables
from dataflow.variables.variable import assert_variables_initialized as assert_variables_initialized
from dataflow.variables.variable import disable_resource_variables as disable_resource_variables
from dataflow.variables.variable import enable_resource_variables as enable_resource_variables
from dataflow.variables.variable import global_variables as global_variables
from dataflow.variables.variable import global_variables_initializer as global_variables_initializer
from dataflow.variables.variable import initialize_all_variables as initialize_all_variables
from dataflow.variables.variable import initialize_local_variables as initialize_local_variables
from dataflow.variables.variable import initialize_variables as initialize_variables
from dataflow.variables.variable import is_variable_initialized as is_variable_initialized
from dataflow.variables.variable import local_variables as local_variables
from dataflow.variables.variable import local_variables_initializer as local_variables_initializer
from dataflow.variables.variable import model_variables as model_variables
from dataflow.variables.variable import moving_average_variables as moving_average_variables
from dataflow.variables.variable import (
    report_uninitialized_variables as report_uninitialized_variables,
)
from dataflow.variables.variable import resource_variables_enabled as resource_variables_enabled
from dataflow.variables.variable import trainable_variables as trainable_variables
from dataflow.variables.variable import variable_creator_scope as variable_creator_scope
from dataflow.variables.variable import variables_initializer as variables_initializer

constant_initializer = _initializers.Constant
glorot_normal_initializer = _scaled_initializers.GlorotNormal
glorot_uniform_initializer = _scaled_initializers.GlorotUniform
merge_all_summaries = _merging.merge_all
merge_summary = _merging.merge
ones_initializer = _initializers.Ones
orthogonal_initializer = _initializers.Orthogonal
random_normal_initializer = _initializers.RandomNormal
random_uniform_initializer = _initializers.RandomUniform
reverse_v2 = _transpose.reverse
tensor_scatter_add = _scatter.tensor_scatter_nd_add
tensor_scatter_sub = _scatter.tensor_scatter_nd_sub
tensor_scatter_update = _scatter.tensor_scatter_nd_update
truncated_normal_initializer = _initializers.TruncatedNormal
uniform_unit_scaling_initializer = _scaled_initializers.UniformUnitScaling
variance_scaling_initializer = _scaled_initializers.VarianceScaling
zeros_initializer = _initializers.Zeros

__version__ = "0.1.0"

# A GraphDef may hold any op.
_load.load_ops()

if _typing.TYPE_CHECKING:
    from dataflow import app as app
    from dataflow import bitwise as bitwise
    from dataflow import compat as compat
    from dataflow import contrib as contrib
    from dataflow import debugging as debugging
    from dataflow import distribute as distribute
    from dataflow import dtypes as dtypes
    from dataflow import errors as errors
    from dataflow import flags as flags
    from dataflow import gfile as gfile
    from dataflow import graph_util as graph_util
    from dataflow import initializers as initializers
    from dataflow import io as io
    from dataflow import layers as layers
    from dataflow import linalg as linalg
    from dataflow import logging as logging
    from dataflow import losses as losses
    from dataflow import manip as manip
    from dataflow import math as math
    from dataflow import metrics as metrics
    from dataflow import nest as nest
    from dataflow import nn as nn
    from dataflow import python_io as python_io
    from dataflow import queue as queue
    from dataflow import random as random
    from dataflow import raw_ops as raw_ops
    from dataflow import sets as sets
    from dataflow import sparse as sparse
    from dataflow import summary as summary
    from dataflow import test as test
    from dataflow import train as train
else:
    __getattr__, __dir__ = _submodules.on_demand(
        __name__,
        hidden=(
            "actors",
            "checkpoints",
            "control_flow",
            "differentiation",
            "functions",
            "graph",
            "importing",
            "kernels",
            "library",
            "ops",
            "passes",
            "porting",
            "proto",
            "recording",
            "records",
            "runtime",
            "saving",
            "schema",
            "session",
            "testing",
            "training",
            "values",
            "variables",
        ),
    )
