"""Handles of resources, and variants: what a kernel's must refer to, and how they lie in arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.values import dtypes

OBJECTS: Final = (dtypes.resource, dtypes.variant)
"""The types whose scalars are no arrays, but the objects themselves."""


def in_array(value: Any) -> np.ndarray[Any, Any]:
    """A value of such a type as an array."""
    if type(value) is np.ndarray:
        return value
    array = np.empty((), object)
    array[()] = value
    return array


class Referable:
    """A resource that old graphs see as a reference to strings."""

    name: str

    @property
    def value(self) -> np.ndarray[Any, Any]:
        """The two strings: of the container, which is not told, and of the name."""
        return np.array([b"", self.name.encode()], object)


def checked(call: Callable[..., Any], kind: type, place: int) -> Callable[..., Any]:
    """The callable, which refuses a handle of another kind of resource at a place.

    A graph that was loaded may join any two nodes by a handle.
    """

    def run(*arguments: Any) -> Any:
        if not isinstance(arguments[place], kind):
            raise invalid(
                "Trying to access a resource using the wrong type: the handle refers to a "
                f"{type(arguments[place]).__name__}, and this op works with a {kind.__name__}."
            )
        return call(*arguments)

    return run
