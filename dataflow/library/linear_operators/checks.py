"""What operators keep as it was given, and what they check of it: in the graph and in the step."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_equal, assert_less
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.complex import imag
from dataflow.ops.math.unary import abs as absolute
from dataflow.values import dtypes
from dataflow.variables.base import BaseVariable


def is_ref(x: Any) -> bool:
    """Whether an object is a variable, whose value may change."""
    return isinstance(x, BaseVariable)


def assert_not_ref_type(x: Any, arg_name: str) -> None:
    """Refuses a variable.

    Raises:
      TypeError: It is one.
    """
    if is_ref(x):
        raise TypeError(f"Argument {arg_name} cannot be reference type. Found: {type(x)}")


def base_dtype(dtype: Any) -> Any:
    """An element type, not of a reference."""
    return dtypes.as_dtype(dtype).base_dtype


def dtype_name(dtype: Any) -> str:
    """The name of an element type."""
    return str(dtypes.as_dtype(dtype).name)


def convert_nonref_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """A tensor of a value; None and variables stay what they are.

    Raises:
      TypeError: A variable is of another element type.
    """
    if value is None:
        return None
    if not is_ref(value):
        return convert_to_tensor(value, dtype=dtype, dtype_hint=dtype_hint, name=name)
    if dtype is not None and base_dtype(dtype) != base_dtype(value.dtype):
        raise TypeError(
            f'Mutable type must be of dtype "{dtype_name(dtype)}" but is '
            f'"{dtype_name(base_dtype(value.dtype))}".'
        )
    return value


def assert_no_entries_with_modulus_zero(
    x: Any, message: str | None = None, name: str = "assert_no_entries_with_modulus_zero"
) -> Operation:
    """An operation that fails where a number is 0."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        zero = convert_to_tensor(0, dtype=x.dtype.base_dtype.real_dtype)
        return assert_less(zero, absolute(x), message=message)


def assert_zero_imag_part(
    x: Any, message: str | None = None, name: str = "assert_zero_imag_part"
) -> Operation:
    """An operation that fails where a number is not real."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_floating:
            return no_op()
        zero = convert_to_tensor(0, dtype=x.dtype.base_dtype.real_dtype)
        return assert_equal(zero, imag(x), message=message)


def assert_compatible_matrix_dimensions(operator: Any, x: Any) -> Operation:
    """An operation that fails where a matrix has not as many rows as an operator has columns."""
    return assert_equal(
        shape(x)[-2],
        operator.domain_dimension_tensor(),
        message="Dimensions are not compatible.  shape[-2] of argument to be the same as this "
        "operator",
    )
