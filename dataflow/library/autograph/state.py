"""The variables of a converted `if` or loop: tensors go through operations, the rest stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from malt.operators.variables import Undefined, UndefinedReturnValue

from dataflow.functions import flow
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.values import nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.variables.base import BaseVariable

_PLAIN = (bool, int, float, complex, str, bytes, np.generic, np.ndarray)


def is_tensor(value: Any) -> bool:
    """Whether Python cannot know the value."""
    return isinstance(value, (Tensor, BaseVariable))


def is_undefined(value: Any) -> bool:
    """Whether it stands for a variable that has no value yet."""
    return isinstance(value, (Undefined, UndefinedReturnValue))


def goes_through(value: Any) -> bool:
    """Whether a part of a variable's value becomes a tensor."""
    return isinstance(value, (Tensor, CompositeTensor, *_PLAIN)) or flow.is_tensor_array(value)


def tensors_of(values: Sequence[Any]) -> list[Any]:
    """The parts of variables' values that become tensors, as tensors."""
    return [
        each
        if isinstance(each, (Tensor, CompositeTensor)) or flow.is_tensor_array(each)
        else convert_to_tensor(each)
        for each in nest.flatten(list(values))
        if goes_through(each)
    ]


def packed(values: Sequence[Any], tensors: Sequence[Any]) -> tuple[Any, ...]:
    """The variables' values, with other tensors in place of those that became tensors."""
    remaining = iter(tensors)
    flat = [next(remaining) if goes_through(each) else each for each in nest.flatten(list(values))]
    return tuple(nest.pack_sequence_as(list(values), flat))


def same_kind(first: Any, second: Any) -> bool:
    """Whether two values have one structure, and the same parts where they are no tensors."""
    try:
        nest.assert_same_structure(first, second)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(first), nest.flatten(second), strict=True)
    return all(
        (goes_through(mine) and goes_through(its)) or mine is its or _equal(mine, its)
        for mine, its in pairs
    )


def _equal(first: Any, second: Any) -> bool:
    if goes_through(first) or goes_through(second):
        return False
    if is_undefined(first) or is_undefined(second):
        return type(first) is type(second)
    return type(first) is type(second) and bool(first == second)
