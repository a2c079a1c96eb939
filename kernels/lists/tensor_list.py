"""A list of tensors: an immutable value that shares its memory with the lists made from it."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.partial_shapes import Dims, agree, dims_text, merged_dims
from dataflow.kernels.lists.stacking import zeros_of
from dataflow.values.dtypes import DType

_SET: Final = 0
_DROP: Final = 1
_APPEND: Final = 2

Change = tuple[int, int, Any, "TensorList"]
"""What turns a later list into this one: the kind, a place, an element, and the later list."""


class ListKind:
    """What all lists that stem from one have in common."""

    __slots__ = ("dims", "dtype", "limit", "lock")

    def __init__(self, dtype: DType, dims: Dims | None, limit: int) -> None:
        self.dtype = dtype
        self.dims = dims
        self.limit = limit
        self.lock = threading.Lock()


class TensorList:
    """A list of tensors of one element type; None stands for an element that was never set.

    Of the lists that stem from each other, the one made or read last holds a Python list, the
    others the one change that leads to them from their neighbour: to append, replace or drop an
    element takes constant time, and so does reading the newest (H. Baker, "Shallow Binding Makes
    Functional Arrays Fast", 1991). Safe to use from many threads.
    """

    __slots__ = ("_content", "kind", "length")

    shape: tuple[int, ...] = ()
    """A list is a scalar tensor."""
    ndim = 0

    def __init__(
        self, dtype: DType, dims: Dims | None, elements: Iterable[Any] = (), limit: int = -1
    ) -> None:
        """Makes a list that shares nothing.

        Args:
          dtype: Element type.
          dims: The elements' shape as far as known; None for any rank.
          elements: Tensors that nobody writes to any more, or None.
          limit: Most elements it may get; negative for any number.
        """
        content = list(elements)
        self.kind = ListKind(dtype, dims, limit)
        self.length = len(content)
        """Number of elements."""
        self._content: list[Any] | Change = content

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.kind.dtype

    @property
    def dims(self) -> Dims | None:
        """The elements' shape as far as known."""
        return self.kind.dims

    @property
    def limit(self) -> int:
        """Most elements it may get; negative for any number."""
        return self.kind.limit

    def elements(self) -> list[Any]:
        """A copy of the Python list."""
        with self.kind.lock:
            return self._own()[:]

    def get(self, index: int) -> Any:
        """The element at a place of the list."""
        with self.kind.lock:
            return self._own()[index]

    def pushed(self, element: Any) -> TensorList:
        """The list with one more element."""
        with self.kind.lock:
            content = self._own()
            content.append(element)
            return self._next(content, (_DROP, 0, None))

    def popped(self) -> tuple[TensorList, Any]:
        """The list without its last element, and that element; there must be one."""
        with self.kind.lock:
            content = self._own()
            element = content.pop()
            return self._next(content, (_APPEND, 0, element)), element

    def replaced(self, index: int, element: Any) -> TensorList:
        """The list with another element at a place of it."""
        with self.kind.lock:
            content = self._own()
            old, content[index] = content[index], element
            return self._next(content, (_SET, index, old))

    def with_elements(self, elements: Iterable[Any]) -> TensorList:
        """A list of the same kind."""
        return TensorList(self.dtype, self.dims, elements, self.limit)

    def zeros_like(self, xp: Any) -> TensorList:
        """The list with zeros for the elements that are set."""
        return self.with_elements(
            None if element is None else zeros_of(xp, element, self.dtype)
            for element in self.elements()
        )

    def added_to(self, other: Any, xp: Any) -> TensorList:
        """The sums of the elements of two lists.

        Raises:
          InvalidArgumentError: They differ in length, element type or shapes.
        """
        if not isinstance(other, TensorList):
            raise invalid("Trying to add a list of tensors to something else.")
        if self.dtype is not other.dtype:
            raise invalid("Trying to add two lists of tensors of different dtypes.")
        if self.length != other.length:
            raise invalid(
                "Trying to add two lists of tensors with different lengths. One is "
                f"{self.length} and the other is {other.length}"
            )
        if not agree(self.dims, other.dims):
            raise invalid(
                "Trying to add two lists of tensors with incompatible element shapes. One is "
                f"{dims_text(self.dims)} and the other is {dims_text(other.dims)}"
            )
        merged = merged_dims(self.dims, other.dims)
        pairs = zip(self.elements(), other.elements(), strict=True)
        sums = [_sum(a, b, xp) for a, b in pairs]
        return TensorList(self.dtype, merged, sums, self.limit)

    def _own(self) -> list[Any]:
        """The Python list of this very list; the lock must be held."""
        content = self._content
        if type(content) is list:
            return content
        path: list[TensorList] = []
        node = self
        while type(node._content) is tuple:
            path.append(node)
            node = node._content[3]
        content = node._content
        assert type(content) is list
        for target in reversed(path):
            change = target._content
            assert type(change) is tuple
            kind, index, element, later = change
            if kind == _SET:
                later._content = (_SET, index, content[index], target)
                content[index] = element
            elif kind == _DROP:
                later._content = (_APPEND, 0, content.pop(), target)
            else:
                content.append(element)
                later._content = (_DROP, 0, None, target)
            target._content = content
        return content

    def _next(self, content: list[Any], back: tuple[int, int, Any]) -> TensorList:
        """The list that holds `content` from now on, from which `back` leads to this one."""
        later = _blank(TensorList)
        later.kind = self.kind
        later.length = len(content)
        later._content = content
        self._content = (*back, later)
        return later


_blank = object.__new__


def _sum(a: Any, b: Any, xp: Any) -> Any:
    if a is None:
        return b
    if b is None:
        return a
    if np.shape(a) != np.shape(b):
        raise invalid(
            "Trying to add two tensors with incompatible element shapes. One is "
            f"{shape_text(np.shape(a))} and the other is {shape_text(np.shape(b))}"
        )
    if isinstance(a, TensorList):
        return a.added_to(b, xp)
    return xp.add(a, b)
