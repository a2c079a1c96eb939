"""tf.compat.v2 where it is not tf, and what of it needs eager execution."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from dataflow.differentiation.computation import UnconnectedGradients as _Unconnected
from dataflow.differentiation.tape import GradientTape as GradientTape
from dataflow.keras.initializers import RandomNormal as _RandomNormal
from dataflow.keras.initializers import RandomUniform as _RandomUniform
from dataflow.porting.v2.debugging import assert_equal as assert_equal
from dataflow.porting.v2.debugging import assert_greater as assert_greater
from dataflow.porting.v2.debugging import assert_less as assert_less
from dataflow.porting.v2.debugging import assert_rank as assert_rank
from dataflow.porting.v2.linalg import norm as norm
from dataflow.porting.v2.math import argmax as argmax
from dataflow.porting.v2.math import argmin as argmin
from dataflow.porting.v2.math import reduce_all as reduce_all
from dataflow.porting.v2.math import reduce_any as reduce_any
from dataflow.porting.v2.math import reduce_logsumexp as reduce_logsumexp
from dataflow.porting.v2.math import reduce_max as reduce_max
from dataflow.porting.v2.math import reduce_mean as reduce_mean
from dataflow.porting.v2.math import reduce_min as reduce_min
from dataflow.porting.v2.math import reduce_prod as reduce_prod
from dataflow.porting.v2.math import reduce_sum as reduce_sum
from dataflow.porting.v2.math import scalar_mul as scalar_mul
from dataflow.porting.v2.nn import space_to_batch as space_to_batch
from dataflow.porting.v2.respell import respelled, unavailable
from dataflow.porting.v2.variable import Variable as Variable
from dataflow.values import dtypes as _dtypes

_EAGER: Final = "graphs and sessions are what runs here"

newaxis = None
boolean_mask = respelled("boolean_mask", "tensor mask", axis=None, name="boolean_mask")
case = respelled("case", "pred_fn_pairs", default=None, exclusive=False, strict=False, name="case")
cond = respelled("cond", "pred", true_fn=None, false_fn=None, name=None)
constant_initializer = respelled("constant_initializer", "", value=0)
convert_to_tensor = respelled("convert_to_tensor", "value", dtype=None, dtype_hint=None, name=None)
device = respelled("device", "device_name:device_name_or_function")
expand_dims = respelled("expand_dims", "input axis", name=None)
gather = respelled(
    "gather", "params indices", validate_indices=None, axis=None, batch_dims=0, name=None
)
gather_nd = respelled("gather_nd", "params indices", batch_dims=0, name=None)
get_static_value = respelled("get_static_value", "tensor", partial=False)
gradients = respelled(
    "gradients",
    "ys xs",
    grad_ys=None,
    name="gradients",
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients=_Unconnected.NONE,
)
hessians = respelled(
    "hessians", "ys xs", gate_gradients=False, aggregation_method=None, name="hessians"
)
name_scope = respelled("name_scope", "name")
ones_like = respelled("ones_like", "input:tensor", dtype=None, name=None)
pad = respelled("pad", "tensor paddings", mode="CONSTANT", constant_values=0, name=None)
reverse_sequence = respelled(
    "reverse_sequence", "input seq_lengths", seq_axis=None, batch_axis=None, name=None
)
squeeze = respelled("squeeze", "input", axis=None, name=None)
transpose = respelled("transpose", "a", perm=None, conjugate=False, name="transpose")
tuple = respelled("tuple", "tensors", control_inputs=None, name=None)
where = respelled("where_v2", "condition", x=None, y=None, name=None)
while_loop = respelled(
    "while_loop",
    "cond body loop_vars",
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    maximum_iterations=None,
    name=None,
    fixed={"return_same_structure": True},
)
zeros_like = respelled("zeros_like", "input:tensor", dtype=None, name=None)
ones_initializer = respelled("ones_initializer", "")
zeros_initializer = respelled("zeros_initializer", "")
_shape = respelled("shape", "input name out_type")
_size = respelled("size", "input name out_type")
_batch_to_space = respelled("batch_to_space_nd", "input block_shape crops name")


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """`tf.batch_to_space_nd`; a number is the size of blocks in two dimensions."""
    block = [block_shape, block_shape] if isinstance(block_shape, int) else block_shape
    return _batch_to_space(input, block, crops, name)


def shape(input: Any, out_type: Any = _dtypes.int32, name: str | None = None) -> Any:
    """`tf.shape`."""
    return _shape(input, name, out_type)


def size(input: Any, out_type: Any = _dtypes.int32, name: str | None = None) -> Any:
    """`tf.size`."""
    return _size(input, name, out_type)


class random_normal_initializer(_RandomNormal):
    """Of a normal distribution; its deviation is 0.05 by default, not 1."""


class random_uniform_initializer(_RandomUniform):
    """Of a uniform distribution; from -0.05 to 0.05 by default, not from 0 to 1."""


def enable_v2_behavior() -> NoReturn:
    """Cannot be: there are graphs here, and no eager execution.

    Raises:
      NotImplementedError: Always.
    """
    raise NotImplementedError(
        "tf.compat.v2.enable_v2_behavior: dataflow runs graphs in sessions, as TensorFlow 1 does, "
        "and has no eager execution. Build graphs with tf.compat.v2's functions instead."
    )


function = unavailable("function", _EAGER)
