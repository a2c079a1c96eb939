"""The ops of features as functions."""

from dataflow.graph.op_functions import function_of

reinterpret_string_to_float = function_of("ReinterpretStringToFloat")
scatter_add_ndim = function_of("ScatterAddNdim")
