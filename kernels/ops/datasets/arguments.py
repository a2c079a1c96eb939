"""What kernels of datasets are given: numbers, strings, and what attrs say of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode
from dataflow.kernels.datasets.dataset import Dataset
from dataflow.kernels.datasets.run import Captured
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Described = tuple[Sequence[DType], Sequence[TensorShape]]
"""Element types and shapes of the components of elements."""


def described(node: KernelNode, types: str = "output_types") -> Described:
    """What the attrs of a node say of elements.

    Raises:
      InvalidArgumentError: They have different lengths.
    """
    found, shapes = node.attr(types), node.attr("output_shapes")
    if len(found) != len(shapes):
        raise invalid(f"The attrs of a dataset name {len(found)} types and {len(shapes)} shapes.")
    return found, shapes


def number(value: Any, name: str) -> int:
    """The number that a scalar holds.

    Raises:
      InvalidArgumentError: It has dimensions.
    """
    if np.ndim(value):
        raise invalid(f"{name} must be a scalar")
    return int(np.reshape(value, ()))


def flag(value: Any, name: str) -> bool:
    """The bool that a scalar holds."""
    return bool(number(value, name))


def string(value: Any, name: str) -> bytes:
    """The string that a scalar holds.

    Raises:
      InvalidArgumentError: It has dimensions.
    """
    if np.ndim(value):
        raise invalid(f"{name} must be a scalar")
    found: bytes = np.asarray(value, object).item()
    return found


def strings(value: Any, name: str) -> list[bytes]:
    """The strings of a scalar or vector.

    Raises:
      InvalidArgumentError: It has more dimensions.
    """
    if np.ndim(value) > 1:
        raise invalid(f"`{name}` must be a scalar or a vector.")
    return list(np.asarray(value, object).ravel().tolist())


def captured(node: KernelNode, function: str, values: Sequence[Any]) -> Captured:
    """A function that an attr names, with what it captures."""
    return Captured(node.function(function), tuple(values))


def check_components(wanted: Described, dataset: Dataset, op: str) -> None:
    """Refuses a dataset whose elements have other types than a node that passes them on says.

    Raises:
      InvalidArgumentError: They differ.
    """
    if tuple(wanted[0]) != dataset.types:
        raise invalid(
            f"{op} says that elements have types {[t.name for t in wanted[0]]}, but its input has "
            f"elements of types {[t.name for t in dataset.types]}."
        )
