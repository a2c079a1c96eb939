"""Checks, in the step, of the values that densities are asked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.library.check_values import assert_equal, assert_non_negative
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.math.rounding import floor


def integer_form(x: Any, validate_args: bool, message: str) -> Any:
    """The value, which the step finds to hold whole numbers if that is asked for."""
    if not validate_args or x.dtype.is_integer:
        return x
    return with_dependencies([assert_equal(x, floor(x), message=message)], x)


def counts(x: Any, validate_args: bool) -> Any:
    """The value, which the step finds to hold whole numbers from 0 on if that is asked for."""
    if not validate_args:
        return x
    positive = assert_non_negative(x, message=f"'{x.op.name}' must be non-negative.")
    message = f"'{x.op.name}' cannot contain fractional components."
    return with_dependencies([positive], integer_form(x, True, message))


def given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a constructor, of its local names."""
    return {key: value for key, value in parameters.items() if key not in ("self", "__class__")}
