"""Static dataflow graphs with TensorFlow 1's API, run on numpy or cupy, in process or on Ray."""

# isort: skip_file
# fmt: off
# Names are packed: one a line, as the formatter has it, this table would fill a thousand lines.

from __future__ import annotations

import importlib
import typing

from dataflow import (
    app, bitwise, compat, debugging, errors, flags, graph_util, initializers, io, linalg, logging,
    manip, math, nest, nn, random, raw_ops, train,
)
from dataflow.library.behavior import (
    control_flow_v2_enabled,
    disable_control_flow_v2,
    disable_eager_execution,
    disable_tensor_equality,
    disable_v2_behavior,
    disable_v2_tensorshape,
    enable_control_flow_v2,
    enable_eager_execution,
    enable_tensor_equality,
    enable_v2_behavior,
    enable_v2_tensorshape,
    executing_eagerly,
    executing_eagerly_outside_functions,
)
from dataflow.library.check_types import (
    assert_integer,
    assert_proper_iterable,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
    assert_scalar,
    assert_type,
)
from dataflow.library.check_values import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
)
from dataflow.library.clipping import (
    clip_by_average_norm,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    global_norm,
)
from dataflow.values.config import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.case import case
from dataflow.control_flow.cond import cond
from dataflow.control_flow.switch_case import switch_case
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from dataflow.differentiation.custom_gradient import custom_gradient, grad_pass_through
from dataflow.values.devices import DeviceSpec
from dataflow.values.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex128,
    complex64,
    double,
    float16,
    float32,
    float64,
    half,
    int16,
    int32,
    int64,
    int8,
    qint16,
    qint32,
    qint8,
    quint16,
    quint8,
    resource,
    string,
    uint16,
    uint32,
    uint64,
    uint8,
    variant,
)
from dataflow.errors import OpError
from dataflow.library.defun import Defun
from dataflow.library.map_fn import foldl, foldr, map_fn, scan
from dataflow.differentiation.registry import (
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
    no_gradient,
)
from dataflow.differentiation.gradients import (
    AggregationMethod,
    UnconnectedGradients,
    gradients,
    hessians,
)
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.importing.import_graph import import_graph_def
from dataflow.graph.indexed_slices import (
    IndexedSlices,
    IndexedSlicesValue,
    convert_to_tensor_or_indexed_slices,
)
from dataflow.library.inspection import get_static_value, is_tensor
from dataflow.logging import get_logger
from dataflow.graph.operation import Operation
from dataflow.ops.array.gather import batch_gather, gather, gather_nd
from dataflow.ops.array.space import (
    batch_to_space,
    batch_to_space_nd,
    depth_to_space,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
    space_to_depth,
)
from dataflow.ops.array.bits import bitcast
from dataflow.ops.array.index import boolean_mask, newaxis
from dataflow.ops.array.broadcast import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    tile,
)
from dataflow.ops.array.concat import concat, parallel_stack, stack, unstack
from dataflow.ops.linalg.diag import (
    diag,
    diag_part,
    eye,
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)
from dataflow.ops.array.partition import dynamic_partition, dynamic_stitch
from dataflow.ops.array.shape import (
    ensure_shape,
    expand_dims,
    guarantee_const,
    rank,
    reshape,
    shape,
    shape_n,
    size,
    squeeze,
)
from dataflow.ops.array.patches import extract_image_patches
from dataflow.ops.array.fill import fill, ones, ones_like, zeros, zeros_like
from dataflow.ops.array.transpose import (
    invert_permutation,
    matrix_transpose,
    reverse,
    reverse as reverse_v2,
    reverse_sequence,
    roll,
    transpose,
)
from dataflow.ops.array.repeat import meshgrid, repeat
from dataflow.ops.array.select import one_hot, sequence_mask, where, where_v2
from dataflow.ops.array.pad import pad
from dataflow.ops.array.scatter import (
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_add as tensor_scatter_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_sub as tensor_scatter_sub,
    tensor_scatter_nd_update,
    tensor_scatter_nd_update as tensor_scatter_update,
)
from dataflow.ops.array.unique import (
    searchsorted,
    setdiff1d,
    sparse_mask,
    unique,
    unique_with_counts,
)
from dataflow.ops.array.slice import slice, strided_slice
from dataflow.ops.array.split import split
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group, tuple
from dataflow.ops.basic.identity import identity, identity_n, no_op, stop_gradient
from dataflow.ops.math.unary import (
    abs,
    exp,
    expm1,
    log,
    log1p,
    negative,
    reciprocal,
    rsqrt,
    sqrt,
    square,
)
from dataflow.ops.reductions.sum import accumulate_n, add_n
from dataflow.ops.math.trig import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
    tanh,
)
from dataflow.ops.math.binary import (
    add,
    maximum,
    minimum,
    multiply,
    scalar_mul,
    squared_difference,
    subtract,
)
from dataflow.ops.math.check import add_check_numerics_ops, check_numerics, verify_tensor_all_finite
from dataflow.ops.math.complex import angle, complex, conj, imag, real
from dataflow.ops.reductions.arg import arg_max, arg_min, argmax, argmin
from dataflow.ops.math.power import atan2, pow
from dataflow.ops.math.special import (
    betainc,
    digamma,
    erf,
    erfc,
    igamma,
    igammac,
    lbeta,
    lgamma,
    polygamma,
    zeta,
)
from dataflow.ops.reductions.bincount import bincount, histogram_fixed_width
from dataflow.ops.basic.cast import (
    cast,
    saturate_cast,
    to_bfloat16,
    to_complex128,
    to_complex64,
    to_double,
    to_float,
    to_int32,
    to_int64,
)
from dataflow.ops.math.rounding import ceil, floor, is_finite, is_inf, is_nan, rint, round, sign
from dataflow.ops.reductions.statistics import count_nonzero, reduce_logsumexp
from dataflow.ops.linalg.cross import cross
from dataflow.ops.reductions.scan import cumprod, cumsum
from dataflow.ops.math.division import (
    div,
    div_no_nan,
    divide,
    floor_div,
    floordiv,
    floormod,
    mod,
    realdiv,
    truediv,
    truncatediv,
    truncatemod,
)
from dataflow.ops.linalg.einsum import einsum
from dataflow.ops.math.compare import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
)
from dataflow.ops.basic.range import range
from dataflow.ops.math.linspace import lin_space, linspace
from dataflow.ops.math.sigmoid import log_sigmoid, sigmoid
from dataflow.ops.linalg.matmul import matmul, sparse_matmul
from dataflow.ops.linalg.norm import norm
from dataflow.ops.reductions.reduce import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from dataflow.ops.reductions.segment import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from dataflow.ops.linalg.tensordot import tensordot, trace
from dataflow.ops.basic.placeholder import placeholder, placeholder_with_default
from dataflow.ops.text.printing import Print, print
from dataflow.ops.random.stateful import (
    multinomial,
    random_normal,
    random_shuffle,
    random_uniform,
    truncated_normal,
)
from dataflow.ops.array.sorting import argsort, sort
from dataflow.ops.load import load_ops
from dataflow.ops.basic.sparse_placeholder import sparse_placeholder
from dataflow.ops.state.reference import assign, assign_add, assign_sub, count_up_to
from dataflow.ops.state.scatter import (
    batch_scatter_update,
    scatter_add,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_nd_add,
    scatter_nd_sub,
    scatter_nd_update,
    scatter_sub,
    scatter_update,
)
from dataflow.variables.partitioned import (
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)
from dataflow.proto.attr_value_pb2 import AttrValue, NameAttrList
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.graph.random_seed import get_seed, set_random_seed
from dataflow.graph.scopes import (
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
from dataflow.session.session import InteractiveSession, Session
from dataflow.values.shapes import Dimension, TensorShape, dimension_at_index, dimension_value
from dataflow.graph.sparse_tensor import (
    SparseTensor,
    SparseTensorValue,
    convert_to_tensor_or_sparse_tensor,
)
from dataflow.library.table_initializers import initialize_all_tables, tables_initializer
from dataflow.variables.template import make_template
from dataflow.graph.tensor import Tensor
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.values.tensor_proto import make_ndarray, make_tensor_proto
from dataflow.variables.initializers import (
    Constant as constant_initializer,
    Ones as ones_initializer,
    Orthogonal as orthogonal_initializer,
    RandomNormal as random_normal_initializer,
    RandomUniform as random_uniform_initializer,
    TruncatedNormal as truncated_normal_initializer,
    Zeros as zeros_initializer,
)
from dataflow.variables.scaled_initializers import (
    GlorotNormal as glorot_normal_initializer,
    GlorotUniform as glorot_uniform_initializer,
    UniformUnitScaling as uniform_unit_scaling_initializer,
    VarianceScaling as variance_scaling_initializer,
)
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization
from dataflow.variables.regularizers import no_regularizer
from dataflow.variables.scope import (
    create_partitioned_variables,
    get_local_variable,
    get_variable,
    variable_op_scope,
    variable_scope,
)
from dataflow.graph.variable_scope_object import AUTO_REUSE, VariableScope, get_variable_scope
from dataflow.variables.variable import (
    Variable,
    all_variables,
    assert_variables_initialized,
    disable_resource_variables,
    enable_resource_variables,
    global_variables,
    global_variables_initializer,
    initialize_all_variables,
    initialize_local_variables,
    initialize_variables,
    local_variables,
    local_variables_initializer,
    model_variables,
    moving_average_variables,
    report_uninitialized_variables,
    resource_variables_enabled,
    trainable_variables,
    variable_creator_scope,
    variables_initializer,
    is_variable_initialized,
)
from dataflow.values.versions import (
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
)

load_ops()

__version__ = "0.1.0"

__all__ = [
    "AUTO_REUSE", "AggregationMethod", "Assert", "AttrValue", "ConfigProto", "DType", "Defun",
    "DeviceSpec", "Dimension", "GPUOptions", "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER", "Graph", "GraphDef", "GraphKeys", "GraphOptions",
    "IndexedSlices", "IndexedSlicesValue", "InteractiveSession", "NameAttrList", "NoGradient",
    "NodeDef", "NotDifferentiable", "OpError", "Operation", "OptimizerOptions", "Print",
    "RegisterGradient", "RunMetadata", "RunOptions", "Session", "SparseTensor", "SparseTensorValue",
    "Tensor", "TensorArray", "TensorShape", "UnconnectedGradients", "Variable",
    "VariableAggregation", "VariableScope", "VariableSynchronization", "__version__", "abs",
    "accumulate_n", "acos", "acosh", "add", "add_check_numerics_ops", "add_n", "add_to_collection",
    "add_to_collections", "all_variables", "angle", "app", "arg_max", "arg_min", "argmax", "argmin",
    "argsort", "as_dtype", "asin", "asinh", "assert_equal", "assert_greater",
    "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal", "assert_near",
    "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal",
    "assert_positive", "assert_proper_iterable", "assert_rank", "assert_rank_at_least",
    "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_type",
    "assert_variables_initialized", "assign", "assign_add", "assign_sub", "atan", "atan2", "atanh",
    "batch_gather", "batch_scatter_update", "batch_to_space", "batch_to_space_nd", "betainc",
    "bfloat16", "bincount", "bitcast", "bitwise", "bool", "boolean_mask", "broadcast_dynamic_shape",
    "broadcast_static_shape", "broadcast_to", "case", "cast", "ceil", "check_numerics",
    "clip_by_average_norm", "clip_by_global_norm", "clip_by_norm", "clip_by_value", "colocate_with",
    "compat", "complex", "complex128", "complex64", "concat", "cond", "conj", "constant",
    "constant_initializer", "container", "control_dependencies", "control_flow_v2_enabled",
    "convert_to_tensor", "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor", "cos", "cosh", "count_nonzero", "count_up_to",
    "create_partitioned_variables", "cross", "cumprod", "cumsum", "custom_gradient", "debugging",
    "depth_to_space", "device", "diag", "diag_part", "digamma", "dimension_at_index",
    "dimension_value", "disable_control_flow_v2", "disable_eager_execution",
    "disable_resource_variables", "disable_tensor_equality", "disable_v2_behavior",
    "disable_v2_tensorshape", "div", "div_no_nan", "divide", "double", "dynamic_partition",
    "dynamic_stitch", "einsum", "enable_control_flow_v2", "enable_eager_execution",
    "enable_resource_variables", "enable_tensor_equality", "enable_v2_behavior",
    "enable_v2_tensorshape", "ensure_shape", "equal", "erf", "erfc", "errors", "executing_eagerly",
    "executing_eagerly_outside_functions", "exp", "expand_dims", "expm1", "extract_image_patches",
    "eye", "fill", "fixed_size_partitioner", "flags", "float16", "float32", "float64", "floor",
    "floor_div", "floordiv", "floormod", "foldl", "foldr", "gather", "gather_nd", "get_collection",
    "get_collection_ref", "get_default_graph", "get_default_session", "get_local_variable",
    "get_logger", "get_seed", "get_static_value", "get_variable", "get_variable_scope",
    "global_norm", "global_variables", "global_variables_initializer", "glorot_normal_initializer",
    "glorot_uniform_initializer", "grad_pass_through", "gradients", "graph_util", "greater",
    "greater_equal", "group", "guarantee_const", "half", "hessians", "histogram_fixed_width",
    "identity", "identity_n", "igamma", "igammac", "imag", "import_graph_def", "init_scope",
    "initialize_all_tables", "initialize_all_variables", "initialize_local_variables",
    "initialize_variables", "initializers", "int16", "int32", "int64", "int8", "invert_permutation",
    "io", "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_numeric_tensor",
    "is_strictly_increasing", "is_tensor", "is_variable_initialized", "lbeta", "less", "less_equal",
    "lgamma", "lin_space", "linalg", "linspace", "local_variables", "local_variables_initializer",
    "log", "log1p", "log_sigmoid", "logging", "logical_and", "logical_not", "logical_or",
    "logical_xor", "make_ndarray", "make_template", "make_tensor_proto", "manip", "map_fn", "math",
    "matmul", "matrix_band_part", "matrix_diag", "matrix_diag_part", "matrix_set_diag",
    "matrix_transpose", "maximum", "meshgrid", "min_max_variable_partitioner", "minimum", "mod",
    "model_variables", "moving_average_variables", "multinomial", "multiply", "name_scope",
    "negative", "nest", "newaxis", "nn", "no_gradient", "no_op", "no_regularizer", "norm",
    "not_equal", "one_hot", "ones", "ones_initializer", "ones_like", "op_scope",
    "orthogonal_initializer", "pad", "parallel_stack", "placeholder", "placeholder_with_default",
    "polygamma", "pow", "print", "qint16", "qint32", "qint8", "quint16", "quint8", "random",
    "random_normal", "random_normal_initializer", "random_shuffle", "random_uniform",
    "random_uniform_initializer", "range", "rank", "raw_ops", "real", "realdiv", "reciprocal",
    "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_sum", "register_tensor_conversion_function", "repeat",
    "report_uninitialized_variables", "required_space_to_batch_paddings", "reset_default_graph",
    "reshape", "resource", "resource_variables_enabled", "reverse", "reverse_sequence",
    "reverse_v2", "rint", "roll", "round", "rsqrt", "saturate_cast", "scalar_mul", "scan",
    "scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd",
    "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update",
    "searchsorted", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "sequence_mask", "set_random_seed", "setdiff1d", "shape", "shape_n", "sigmoid", "sign", "sin",
    "sinh", "size", "slice", "sort", "space_to_batch", "space_to_batch_nd", "space_to_depth",
    "sparse_mask", "sparse_matmul", "sparse_placeholder", "split", "sqrt", "square",
    "squared_difference", "squeeze", "stack", "stop_gradient", "strided_slice", "string",
    "subtract", "switch_case", "tables_initializer", "tan", "tanh", "tensor_scatter_add",
    "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensor_scatter_sub",
    "tensor_scatter_update", "tensordot", "tile", "to_bfloat16", "to_complex128", "to_complex64",
    "to_double", "to_float", "to_int32", "to_int64", "trace", "train", "trainable_variables",
    "transpose", "truediv", "truncated_normal", "truncated_normal_initializer", "truncatediv",
    "truncatemod", "tuple", "uint16", "uint32", "uint64", "uint8",
    "uniform_unit_scaling_initializer", "unique", "unique_with_counts", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sqrt_n", "unsorted_segment_sum", "unstack", "variable_axis_size_partitioner",
    "variable_creator_scope", "variable_op_scope", "variable_scope", "variables_initializer",
    "variance_scaling_initializer", "variant", "verify_tensor_all_finite", "where", "where_v2",
    "while_loop", "zeros", "zeros_initializer", "zeros_like", "zeta",
]


def __getattr__(name: str) -> typing.Any:
    # unittest takes time to import, and most programs have no tests.
    if name == "test":
        return importlib.import_module("dataflow.test")
    raise AttributeError(f"module 'dataflow' has no attribute {name!r}")
