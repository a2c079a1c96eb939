"""Whether values are what a function was traced for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.specs import TensorSpec
from dataflow.variables.base import BaseVariable


def matched(expected: Any, given: Any, may_convert: bool) -> list[Any] | None:
    """What the tensors of a signature are given, in order; None if the values do not fit.

    Args:
      expected: A structure of TensorSpecs, and of values that must be equal.
      given: A structure of tensors and values.
      may_convert: Whether other values become tensors.
    """
    found: list[Any] = []
    return found if _fits(expected, given, may_convert, found) else None


def _fits(expected: Any, given: Any, may_convert: bool, found: list[Any]) -> bool:
    if isinstance(expected, TensorSpec):
        return _is_tensor(expected, given, may_convert, found)
    if isinstance(expected, Mapping):
        if not isinstance(given, Mapping) or set(expected) != set(given):
            return False
        keys = sorted(expected)
        return all(_fits(expected[key], given[key], may_convert, found) for key in keys)
    if isinstance(expected, (list, tuple)):
        if not isinstance(given, (list, tuple)) or len(expected) != len(given):
            return False
        pairs = zip(expected, given, strict=True)
        return all(_fits(left, right, may_convert, found) for left, right in pairs)
    if isinstance(given, (Tensor, BaseVariable, np.ndarray)):
        return False
    return type(expected) is type(given) and bool(expected == given)


def _is_tensor(spec: TensorSpec, given: Any, may_convert: bool, found: list[Any]) -> bool:
    if isinstance(given, TensorSpec):
        found.append(given)
        return given.dtype == spec.dtype and spec.shape.is_compatible_with(given.shape)
    if not isinstance(given, (Tensor, BaseVariable)):
        if not may_convert:
            return False
        try:
            given = convert_to_tensor(given, spec.dtype)
        except (TypeError, ValueError):
            return False
    found.append(given)
    kind = given.dtype.base_dtype
    return kind == spec.dtype and bool(spec.shape.is_compatible_with(given.shape))
