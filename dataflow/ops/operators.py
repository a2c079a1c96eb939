"""Python's operators on tensors, with the node names that TensorFlow 1 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.linalg.matmul as linalg_matmul
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.bitwise as math_bitwise
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.math.power as math_power
import dataflow.ops.math.unary as math_unary
import dataflow.ops.sparse.operators as sparse_operators
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.values import dtypes

Function = Callable[..., Any]


def _add(x: Any, y: Any, name: str) -> Any:
    if not isinstance(y, (Tensor, SparseTensor)):
        y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
    op_type = "Add" if x.dtype.base_dtype is dtypes.string else "AddV2"
    return single(op_type, x, y, name=name)


def _multiply(x: Any, y: Any, name: str) -> Any:
    if isinstance(y, SparseTensor):
        return sparse_operators.multiplied(y, x, name)
    if _is_bool(x) or _is_bool(y):
        first, second = (cast(v, dtypes.int32) for v in (x, y))
        return cast(math_binary.multiply(first, second, name=name), dtypes.bool)
    return math_binary.multiply(x, y, name)


def _is_bool(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype.base_dtype is dtypes.bool


def _mod(x: Any, y: Any, name: str) -> Any:
    with name_scope(name, "mod", [x, y]) as scope:
        return single("FloorMod", x, y, name=scope)


def _logical_or_bitwise(logical: Function, bitwise: Function) -> Function:
    def apply(x: Any, y: Any, name: str) -> Any:
        if x.dtype.base_dtype is dtypes.bool:
            return logical(x, y, name)
        return bitwise(x, y)

    return apply


def _invert(x: Tensor) -> Tensor:
    if x.dtype.base_dtype is dtypes.bool:
        return math_compare.logical_not(x)
    return math_bitwise.invert(x)


def _negative(x: Tensor) -> Tensor:
    return math_unary.negative(x)


def _absolute(x: Tensor) -> Tensor:
    return math_unary.abs(x)


def _install_binary(scope: str, function: Function) -> None:
    """Installs an operator and its reflected form; `scope` is both its name and the node's."""
    reflected = f"__r{scope}__"

    @shortened
    def operator(x: Any, y: Any) -> Any:
        with name_scope(None, scope, [x, y]) as name:
            try:
                return function(x, y, name=name)
            except (TypeError, ValueError):
                # The other operand may know what to do with a tensor.
                other = getattr(type(y), reflected, None)
                if other is None:
                    raise
                try:
                    result = other(y, x)
                except (TypeError, ValueError):
                    result = NotImplemented
                if result is NotImplemented:
                    raise
                return result

    @shortened
    def reflected_operator(y: Any, x: Any) -> Any:
        with name_scope(None, scope, [x, y]) as name:
            return function(convert_to_tensor(x, y.dtype.base_dtype, name="x"), y, name=name)

    Tensor._override_operator(f"__{scope}__", operator)
    Tensor._override_operator(reflected, reflected_operator)


for _scope, _function in (
    ("add", _add),
    ("sub", math_binary.subtract),
    ("mul", _multiply),
    ("div", math_division.div),
    ("truediv", math_division.truediv),
    ("floordiv", math_division.floordiv),
    ("mod", _mod),
    ("pow", math_power.pow),
    ("matmul", linalg_matmul.matmul),
    ("and", _logical_or_bitwise(math_compare.logical_and, math_bitwise.bitwise_and)),
    ("or", _logical_or_bitwise(math_compare.logical_or, math_bitwise.bitwise_or)),
    ("xor", _logical_or_bitwise(math_compare.logical_xor, math_bitwise.bitwise_xor)),
):
    _install_binary(_scope, _function)
for _name, _function in (
    ("__neg__", _negative),
    ("__abs__", _absolute),
    ("__invert__", _invert),
    ("__lt__", math_compare.less),
    ("__le__", math_compare.less_equal),
    ("__gt__", math_compare.greater),
    ("__ge__", math_compare.greater_equal),
):
    Tensor._override_operator(_name, _function)
