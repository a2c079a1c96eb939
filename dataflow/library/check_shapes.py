"""tf.debugging.assert_shapes: checks that the sizes of several tensors fit together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.grouping as grouping
import dataflow.ops.math.compare as math_compare
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.check_types import assert_rank, assert_rank_at_least, assert_rank_in
from dataflow.library.check_values import Data, message_prefix
from dataflow.ops.basic.constant import constant

_ANY_NUMBER = (Ellipsis, "*")
"""Stands, in front, for any number of dimensions."""
_ANY_SIZE = (None, ".")


def assert_shapes(
    shapes: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless tensors have shapes that fit together.

    Args:
      shapes: Pairs of a tensor and its shape, or a dictionary. Each size of a shape is a number,
        None or "." for any size, or a name: dimensions of one name have one size. "..." or "*" in
        front stands for any number of dimensions.
      data: What to print when it fails.
      summarize: How many elements of each tensor to print.
      message: A text to print in front.
      name: Name scope of the operations.

    Raises:
      ValueError: Sizes are known already and do not fit, or a shape is none.
    """
    if isinstance(shapes, dict):
        shapes = shapes.items()
    with scopes.name_scope(name, "assert_shapes", [shapes, data]):
        pairs = [
            (x if isinstance(x, SparseTensor) else convert_to_tensor(x), shape)
            for x, shape in shapes
            if shape is not None
        ]
        prefix = message_prefix(message)
        constraints = [_constraint(x, shape, prefix) for x, shape in pairs]
        ranks = [each.rank_check(data, summarize, message, name) for each in constraints]
        sizes = _SizeCheck(ranks, data, summarize, prefix)
        for each in constraints:
            sizes.add(each)
    with scopes.control_dependencies(ranks):
        return grouping.group(*sizes.checks)


@dataclass(frozen=True, slots=True)
class _Constraint:
    """A tensor, its sizes as far as they are known, and what they shall be."""

    x: Any
    only_last: bool
    """There may be more dimensions in front."""
    sizes: Any
    wanted: Sequence[Any]

    def rank_check(
        self, data: Data, summarize: int | None, message: str | None, name: str | None
    ) -> Operation | None:
        """The operation that checks the rank; None if every rank will do."""
        rank = len(self.wanted)
        if self.only_last:
            if rank < 2:
                return None
            return assert_rank_at_least(self.x, rank, data, summarize, message, name)
        if rank < 2:
            # A scalar counts for a vector of one element.
            return assert_rank_in(self.x, [0, 1], data, summarize, message, name)
        return assert_rank(self.x, rank, data, summarize, message, name)


def _constraint(x: Any, shape: Any, prefix: str) -> _Constraint:
    if not hasattr(shape, "__iter__") and not hasattr(shape, "__getitem__"):
        raise ValueError(
            f"{prefix}Tensor {_label(x)}.  Specified shape must be an iterable.  An iterable has "
            f"the attribute `__iter__` or `__getitem__`.  Received specified shape: {shape}"
        )
    wanted = tuple(shape)
    for index, size in enumerate(wanted[1:], 1):
        if size in _ANY_NUMBER:
            raise ValueError(
                f"{prefix}Tensor {_label(x)} specified shape index {index}.  Symbol `...` or `*` "
                "for a variable number of unspecified dimensions is only allowed as the first entry"
            )
    only_last = bool(wanted) and wanted[0] in _ANY_NUMBER
    wanted = wanted[1:] if only_last else wanted
    return _Constraint(x, only_last, _sizes(x), wanted or (1,))


class _SizeCheck:
    """Compares sizes with numbers, and with each other where they have one name."""

    def __init__(
        self,
        ranks: Sequence[Operation | None],
        data: Data,
        summarize: int | None,
        prefix: str,
    ) -> None:
        self.checks: list[Operation] = []
        self._ranks = [check for check in ranks if check is not None]
        self._data = data
        self._summarize = summarize
        self._prefix = prefix
        self._named: dict[Any, tuple[Any, Any, int]] = {}

    def add(self, constraint: _Constraint) -> None:
        """Checks the sizes of a tensor."""
        for index, size in enumerate(constraint.wanted):
            if size in _ANY_SIZE:
                continue
            dim = index - len(constraint.wanted) if constraint.only_last else index
            with scopes.control_dependencies(self._ranks):
                actual = constraint.sizes[dim]
            if _is_known(size):
                self._compare(constraint.x, dim, actual, int(size), "Specified explicitly")
            elif size in self._named:
                expected, x, at = self._named[size]
                source = f"Specified by tensor {_label(x)} dimension {at}"
                self._compare(constraint.x, dim, actual, expected, source)
            else:
                self._named[size] = (actual, constraint.x, dim)

    def _compare(self, x: Any, dim: int, actual: Any, expected: Any, source: str) -> None:
        if _is_known(actual) and _is_known(expected):
            if int(actual) != int(expected):
                raise ValueError(
                    f"{self._prefix}{source}.  Tensor {_label(x)} dimension {dim} must have size "
                    f"{expected}.  Received size {actual}, shape {x.get_shape()}"
                )
            return
        condition = math_compare.equal(convert_to_tensor(actual), convert_to_tensor(expected))
        data = self._data
        if data is None:
            data = [
                self._prefix,
                source,
                f"Tensor {_label(x)} dimension",
                dim,
                "must have size",
                expected,
                "Received shape: ",
                array_shape.shape(x),
            ]
        self.checks.append(Assert(condition, data, summarize=self._summarize))


def _sizes(x: Any) -> Any:
    """The sizes of a tensor, those that are not known as tensors; of a scalar, 1."""
    shape: Any = array_shape.shape(x)
    static = x.get_shape()
    if static.rank == 0:
        return (1,)
    if static.rank is not None:
        return [shape[i] if size is None else size for i, size in enumerate(static.as_list())]
    is_scalar = math_compare.equal(array_shape.rank(x), 0)
    return cond(is_scalar, lambda: constant([1]), lambda: shape)


def _is_known(size: Any) -> bool:
    try:
        int(size)
    except (TypeError, ValueError):
        return False
    return True


def _label(x: Any) -> str:
    if isinstance(x, SparseTensor):
        return f"shape={x.shape} dtype={x.dtype.name}"
    return str(x.name)
