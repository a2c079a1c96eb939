"""Kernels of stacks; a handle is the stack itself, which ends with the step that made it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.values.dtypes import DType

_NUMBERS: Final = itertools.count()


class Stack:
    """Tensors of one element type, last in, first out. Safe to use from many threads."""

    __slots__ = ("dtype", "elements", "limit", "name")

    def __init__(self, name: str, dtype: DType, limit: int) -> None:
        """Makes an empty stack.

        Args:
          name: Its name, for messages.
          dtype: Element type of its tensors.
          limit: Most tensors it may hold; negative for any number.
        """
        self.name = name
        self.dtype = dtype
        self.limit = limit
        self.elements: list[Any] | None = []
        """None once it is closed."""

    @property
    def value(self) -> np.ndarray[Any, Any]:
        """The handle as the string reference of old graphs."""
        return np.array([b"_stacks", self.name.encode()], object)

    def closed(self) -> Exception:
        """The error of using it after it was closed."""
        return invalid(f"Stack[{self.name}] has already been closed.")


def _bind_maker(node: KernelNode) -> Callable[[int], Stack]:
    dtype = node.attr("elem_type")
    prefix = node.attr("stack_name").decode(errors="backslashreplace") or node.name
    return lambda limit: Stack(f"{prefix}_{next(_NUMBERS)}", dtype, limit)


@kernel("StackV2", host_inputs=("max_size",))
def stack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A new stack each time it runs, so that iterations and steps share none."""
    make = _bind_maker(node)

    def run(max_size: Any) -> Stack:
        if np.ndim(max_size):
            raise invalid(
                f"Stack size must be a scalar, but had shape: {shape_text(np.shape(max_size))}"
            )
        return make(int(max_size))

    return run


@kernel("Stack")
def old_stack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    make = _bind_maker(node)
    return lambda: make(-1)


@kernel("StackPushV2", "StackPush")
def push(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Keeps the tensor itself: nobody writes to it."""
    dtype = node.attr("T")

    def run(stack: Stack, elem: Any) -> Any:
        if stack.dtype is not dtype:
            raise invalid(
                f"Must have type {stack.dtype.as_datatype_enum} but got {dtype.as_datatype_enum}"
            )
        elements = stack.elements
        if elements is None:
            raise stack.closed()
        if 0 <= stack.limit <= len(elements):
            raise invalid(f"Stack[{stack.name}] overflowed its max_size ({stack.limit})")
        elements.append(elem)
        return elem

    return run


@kernel("StackPopV2", "StackPop")
def pop(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("elem_type")

    def run(stack: Stack) -> Any:
        elements = stack.elements
        if elements is None:
            raise stack.closed()
        if not elements:
            raise invalid(f"Stack[{stack.name}] is empty when calling Pop().")
        if stack.dtype is not dtype:
            raise InternalError(
                None,
                None,
                f"Output 0 of type {type_name(stack.dtype)} does not match declared output type "
                f"{type_name(dtype)} for node {{{{node {node.name}}}}}",
            )
        return elements.pop()

    return run


@kernel("StackCloseV2", "StackClose")
def close(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(stack: Stack) -> None:
        stack.elements = None

    return run
