"""Checks of what distributions are given: classes that can be counted, values that are counts."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_rank_at_least
from dataflow.library.check_values import (
    assert_equal,
    assert_greater_equal,
    assert_less_equal,
    assert_non_negative,
)
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import no_op
from dataflow.values import dtypes

_WHOLE = {
    dtypes.float16: dtypes.int16,
    dtypes.float32: dtypes.int32,
    dtypes.float64: dtypes.int64,
}
"""The integers that tell whether a number is one."""
_NO_DIMENSION = "A categorical-distribution parameter must have at least 1 dimension."
_ONE_CLASS = "A categorical-distribution parameter must have at least 2 events."


def _largest_integer_by_dtype(dtype: Any) -> int:
    """The largest integer up to which an element type has all.

    Raises:
      TypeError: Of another type than numbers and truth values.
    """
    if dtype.is_floating:
        return int(2 ** (np.finfo(dtype.as_numpy_dtype).nmant + 1))
    if dtype.is_integer:
        return int(np.iinfo(dtype.as_numpy_dtype).max)
    if dtype.base_dtype == dtypes.bool:
        return 1
    raise TypeError(f"Unrecognized dtype: {dtype.name}")


def _smallest_integer_by_dtype(dtype: Any) -> int:
    is_unsigned = dtype.base_dtype == dtypes.bool or (dtype.is_integer and dtype.is_unsigned)
    return 0 if is_unsigned else -_largest_integer_by_dtype(dtype)


def _is_integer_like_by_dtype(dtype: Any) -> bool:
    _largest_integer_by_dtype(dtype)
    return bool(dtype.is_integer or dtype.base_dtype == dtypes.bool)


def embed_check_integer_casting_closed(
    x: Any,
    target_dtype: Any,
    assert_nonnegative: bool = True,
    name: str = "embed_check_casting_closed",
) -> Tensor:
    """Numbers, checked to come back when they are cast to another type.

    Raises:
      TypeError: Neither is an integer type, or one is of no numbers.
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if not _is_integer_like_by_dtype(x.dtype) and not _is_integer_like_by_dtype(target_dtype):
            raise TypeError(
                f"At least one of {x}.dtype ({x.dtype.name}) and target_dtype "
                f"({target_dtype.name}) must be integer-type."
            )
        checks = []
        if assert_nonnegative:
            checks.append(assert_non_negative(x, message="Elements must be non-negative."))
        most = _largest_integer_by_dtype(target_dtype)
        least = _smallest_integer_by_dtype(target_dtype)
        if x.dtype.is_floating:
            text = f"Elements must be {target_dtype.name}-equivalent."
            checks.append(assert_integer_form(x, int_dtype=target_dtype, message=text))
        else:
            if _largest_integer_by_dtype(x.dtype) > most:
                checks.append(assert_less_equal(x, most, message=f"Elements cannot exceed {most}."))
            if not assert_nonnegative and _smallest_integer_by_dtype(x.dtype) < least:
                text = f"Elements cannot be smaller than {least}."
                checks.append(assert_greater_equal(x, least, message=text))
        checked: Tensor = with_dependencies(checks, x) if checks else x
        return checked


def assert_integer_form(
    x: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    int_dtype: Any = None,
    name: str = "assert_integer_form",
) -> Operation:
    """An operation that fails where a number is no integer.

    Raises:
      TypeError: No integers are known for the element type.
    """
    with name_scope(name, values=[x, data]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_integer:
            return no_op()
        if int_dtype is None:
            int_dtype = _WHOLE.get(x.dtype.base_dtype)
        if int_dtype is None:
            raise TypeError(f"Unrecognized type {x.dtype.name}")
        whole = cast(cast(x, int_dtype), x.dtype)
        text = message or f"{x} has non-integer components"
        return assert_equal(x, whole, data=data, summarize=summarize, message=text, name=name)


def embed_check_nonnegative_integer_form(
    x: Any, name: str = "embed_check_nonnegative_integer_form"
) -> Tensor:
    """Numbers, checked to be counts."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        checks = [assert_non_negative(x, message=f"'{x}' must be non-negative.")]
        if not x.dtype.is_integer:
            text = f"'{x}' cannot contain fractional components."
            checks.append(assert_integer_form(x, message=text))
        checked: Tensor = with_dependencies(checks, x)
        return checked


def embed_check_categorical_event_shape(
    categorical_param: Any, name: str = "embed_check_categorical_event_shape"
) -> Tensor:
    """Logits or probabilities, checked to be of two classes at least and not of too many.

    Raises:
      ValueError: Building knows that they are not.
      TypeError: They are no floating point numbers.
    """
    with name_scope(name, values=[categorical_param]):
        x = convert_to_tensor(categorical_param, name="categorical_param")
        if not x.dtype.is_floating:
            text = f"Unable to validate size of unrecognized dtype ({x.dtype.name})."
            raise TypeError(text)
        most = _largest_integer_by_dtype(x.dtype.base_dtype)
        if x.shape.rank == 0:
            raise ValueError(_NO_DIMENSION)
        size = None if x.shape.rank is None else x.shape.as_list()[-1]
        if size is None:
            last = array_shape.shape(x, name="x_shape")[-1]
            text = (
                "Number of classes exceeds `dtype` precision, i.e., "
                f"{x.dtype.name} dtype cannot exceed {most} shape."
            )
            checks = [
                assert_rank_at_least(x, 1, message=_NO_DIMENSION),
                assert_greater_equal(last, 2, message=_ONE_CLASS),
                assert_less_equal(last, most, message=text),
            ]
            checked: Tensor = with_dependencies(checks, x)
            return checked
        if size < 2:
            raise ValueError(_ONE_CLASS)
        if size > most:
            raise ValueError(
                "Number of classes exceeds `dtype` precision, i.e., "
                f"{x.dtype.name} implies shape ({size}) cannot exceed {most}."
            )
        return x
