"""tf.contrib.labeled_tensor: tensors whose axes have names and labels."""

import dataflow.contrib.labeled_tensor.elementwise as _elementwise
import dataflow.contrib.labeled_tensor.tensors as _tensors
from dataflow.contrib.labeled_tensor import nn as nn
from dataflow.contrib.labeled_tensor.arrangement import boolean_mask as boolean_mask
from dataflow.contrib.labeled_tensor.arrangement import concat as concat
from dataflow.contrib.labeled_tensor.arrangement import pack as pack
from dataflow.contrib.labeled_tensor.arrangement import pad as pad
from dataflow.contrib.labeled_tensor.arrangement import random_crop as random_crop
from dataflow.contrib.labeled_tensor.arrangement import rename_axis as rename_axis
from dataflow.contrib.labeled_tensor.arrangement import reshape as reshape
from dataflow.contrib.labeled_tensor.arrangement import select as select
from dataflow.contrib.labeled_tensor.arrangement import squeeze as squeeze
from dataflow.contrib.labeled_tensor.arrangement import tile as tile
from dataflow.contrib.labeled_tensor.arrangement import unpack as unpack
from dataflow.contrib.labeled_tensor.arrangement import where as where
from dataflow.contrib.labeled_tensor.axes import Axes as Axes
from dataflow.contrib.labeled_tensor.axes import Axis as Axis
from dataflow.contrib.labeled_tensor.axes import as_axis as as_axis
from dataflow.contrib.labeled_tensor.elementwise import acos as acos
from dataflow.contrib.labeled_tensor.elementwise import add as add
from dataflow.contrib.labeled_tensor.elementwise import asin as asin
from dataflow.contrib.labeled_tensor.elementwise import atan as atan
from dataflow.contrib.labeled_tensor.elementwise import ceil as ceil
from dataflow.contrib.labeled_tensor.elementwise import cos as cos
from dataflow.contrib.labeled_tensor.elementwise import digamma as digamma
from dataflow.contrib.labeled_tensor.elementwise import div as div
from dataflow.contrib.labeled_tensor.elementwise import equal as equal
from dataflow.contrib.labeled_tensor.elementwise import erf as erf
from dataflow.contrib.labeled_tensor.elementwise import erfc as erfc
from dataflow.contrib.labeled_tensor.elementwise import exp as exp
from dataflow.contrib.labeled_tensor.elementwise import floor as floor
from dataflow.contrib.labeled_tensor.elementwise import greater as greater
from dataflow.contrib.labeled_tensor.elementwise import greater_equal as greater_equal
from dataflow.contrib.labeled_tensor.elementwise import igamma as igamma
from dataflow.contrib.labeled_tensor.elementwise import igammac as igammac
from dataflow.contrib.labeled_tensor.elementwise import less as less
from dataflow.contrib.labeled_tensor.elementwise import less_equal as less_equal
from dataflow.contrib.labeled_tensor.elementwise import lgamma as lgamma
from dataflow.contrib.labeled_tensor.elementwise import log as log
from dataflow.contrib.labeled_tensor.elementwise import logical_and as logical_and
from dataflow.contrib.labeled_tensor.elementwise import logical_not as logical_not
from dataflow.contrib.labeled_tensor.elementwise import logical_or as logical_or
from dataflow.contrib.labeled_tensor.elementwise import logical_xor as logical_xor
from dataflow.contrib.labeled_tensor.elementwise import maximum as maximum
from dataflow.contrib.labeled_tensor.elementwise import minimum as minimum
from dataflow.contrib.labeled_tensor.elementwise import mod as mod
from dataflow.contrib.labeled_tensor.elementwise import mul as mul
from dataflow.contrib.labeled_tensor.elementwise import neg as neg
from dataflow.contrib.labeled_tensor.elementwise import not_equal as not_equal
from dataflow.contrib.labeled_tensor.elementwise import polygamma as polygamma
from dataflow.contrib.labeled_tensor.elementwise import reciprocal as reciprocal
from dataflow.contrib.labeled_tensor.elementwise import rsqrt as rsqrt
from dataflow.contrib.labeled_tensor.elementwise import sigmoid as sigmoid
from dataflow.contrib.labeled_tensor.elementwise import sign as sign
from dataflow.contrib.labeled_tensor.elementwise import sin as sin
from dataflow.contrib.labeled_tensor.elementwise import sqrt as sqrt
from dataflow.contrib.labeled_tensor.elementwise import square as square
from dataflow.contrib.labeled_tensor.elementwise import squared_difference as squared_difference
from dataflow.contrib.labeled_tensor.elementwise import sub as sub
from dataflow.contrib.labeled_tensor.elementwise import tan as tan
from dataflow.contrib.labeled_tensor.elementwise import tanh as tanh
from dataflow.contrib.labeled_tensor.elementwise import zeta as zeta
from dataflow.contrib.labeled_tensor.inputs import FixedLenFeature as FixedLenFeature
from dataflow.contrib.labeled_tensor.inputs import ReshapeCoder as ReshapeCoder
from dataflow.contrib.labeled_tensor.inputs import batch as batch
from dataflow.contrib.labeled_tensor.inputs import parse_example as parse_example
from dataflow.contrib.labeled_tensor.inputs import parse_single_example as parse_single_example
from dataflow.contrib.labeled_tensor.inputs import placeholder as placeholder
from dataflow.contrib.labeled_tensor.inputs import shuffle_batch as shuffle_batch
from dataflow.contrib.labeled_tensor.reductions import cast as cast
from dataflow.contrib.labeled_tensor.reductions import constant as constant
from dataflow.contrib.labeled_tensor.reductions import define_reduce_op as define_reduce_op
from dataflow.contrib.labeled_tensor.reductions import foldl as foldl
from dataflow.contrib.labeled_tensor.reductions import map_fn as map_fn
from dataflow.contrib.labeled_tensor.reductions import matmul as matmul
from dataflow.contrib.labeled_tensor.reductions import ones_like as ones_like
from dataflow.contrib.labeled_tensor.reductions import reduce_all as reduce_all
from dataflow.contrib.labeled_tensor.reductions import reduce_any as reduce_any
from dataflow.contrib.labeled_tensor.reductions import reduce_logsumexp as reduce_logsumexp
from dataflow.contrib.labeled_tensor.reductions import reduce_max as reduce_max
from dataflow.contrib.labeled_tensor.reductions import reduce_mean as reduce_mean
from dataflow.contrib.labeled_tensor.reductions import reduce_min as reduce_min
from dataflow.contrib.labeled_tensor.reductions import reduce_prod as reduce_prod
from dataflow.contrib.labeled_tensor.reductions import reduce_sum as reduce_sum
from dataflow.contrib.labeled_tensor.reductions import (
    verify_tensor_all_finite as verify_tensor_all_finite,
)
from dataflow.contrib.labeled_tensor.reductions import zeros_like as zeros_like
from dataflow.contrib.labeled_tensor.tensors import AxisOrderError as AxisOrderError
from dataflow.contrib.labeled_tensor.tensors import LabeledTensor as LabeledTensor
from dataflow.contrib.labeled_tensor.tensors import align as align
from dataflow.contrib.labeled_tensor.tensors import axis_order_scope as axis_order_scope
from dataflow.contrib.labeled_tensor.tensors import check_axis_order as check_axis_order
from dataflow.contrib.labeled_tensor.tensors import (
    convert_to_labeled_tensor as convert_to_labeled_tensor,
)
from dataflow.contrib.labeled_tensor.tensors import define_binary_op as define_binary_op
from dataflow.contrib.labeled_tensor.tensors import define_unary_op as define_unary_op
from dataflow.contrib.labeled_tensor.tensors import expand_dims as expand_dims
from dataflow.contrib.labeled_tensor.tensors import identity as identity
from dataflow.contrib.labeled_tensor.tensors import impose_axis_order as impose_axis_order
from dataflow.contrib.labeled_tensor.tensors import transpose as transpose

abs = _elementwise.abs_function
pow = _elementwise.pow_function
round = _elementwise.round_function
slice = _tensors.slice_function
