"""Checks of ranks and types: while the graph is built, as far as they are known then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.compare as math_compare
from dataflow.control_flow.assertion import Assert
from dataflow.graph import constant_value as constants
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import Data, message_prefix
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import no_op
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


def assert_rank(
    x: Any,
    rank: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless a tensor has a rank.

    Args:
      x: A tensor, dense or sparse.
      rank: The rank: an int32 scalar.
      data: What to print when it fails.
      summarize: How many elements of each tensor to print.
      message: A text to print in front.
      name: Name scope of the operations.

    Raises:
      ValueError: The ranks are known already and differ, or `rank` is no scalar.
    """
    with name_scope(name, "assert_rank", [x, rank, *(data or ())]):
        x = x if isinstance(x, SparseTensor) else convert_to_tensor(x, name="x")
        check = _RankCheck(x, [convert_to_tensor(rank, name="rank")], message)
        shown = check.data("must have rank") if data is None else data
        return check.make(lambda have, want: have == want[0], _is_rank, shown, summarize, "{}")


def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless a tensor has at least a rank; see `assert_rank`."""
    with name_scope(name, "assert_rank_at_least", [x, rank, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        check = _RankCheck(x, [convert_to_tensor(rank, name="rank")], message)
        shown = check.data("must have rank at least") if data is None else data
        return check.make(
            lambda have, want: have >= want[0], _has_rank, shown, summarize, "at least {}"
        )


def assert_rank_in(
    x: Any,
    ranks: Iterable[Any],
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless a tensor has one of some ranks; see `assert_rank`."""
    ranks = list(ranks)
    with name_scope(name, "assert_rank_in", [x, *ranks, *(data or ())]):
        x = x if isinstance(x, SparseTensor) else convert_to_tensor(x, name="x")
        wanted = [convert_to_tensor(rank, name="rank") for rank in ranks]
        check = _RankCheck(x, wanted, message)
        shown = check.data("must have rank in") if data is None else data
        return check.make(
            lambda have, want: have in want, _is_one_of, shown, summarize, "in {}", several=True
        )


@dispatched
def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> Operation:
    """Checks the element type of a tensor.

    Raises:
      TypeError: It is another one.
    """
    wanted = dtypes.as_dtype(tf_type)
    with name_scope(name, "assert_type", [tensor]):
        if not isinstance(tensor, SparseTensor):
            tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != wanted:
            raise TypeError(
                f"{message_prefix(message)}{getattr(tensor, 'name', 'tensor')} must be of type "
                f"{wanted!r}; got {tensor.dtype!r}"
            )
        return no_op("statically_determined_correct_type")


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Operation:
    """Checks that a tensor has integer elements.

    Raises:
      TypeError: It has not.
    """
    with name_scope(name, "assert_integer", [x]):
        tensor = convert_to_tensor(x, name="x")
        if not tensor.dtype.is_integer:
            raise TypeError(
                f'{message_prefix(message)}Expected "x" to be integer type.  Found: {tensor.name} '
                f"of dtype {tensor.dtype}"
            )
        return no_op("statically_determined_was_integer")


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """Checks that a tensor is a scalar, and returns it.

    Raises:
      ValueError: It is none, or its rank is not known.
    """
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            raise ValueError(
                f"{message_prefix(message)}Expected scalar shape for {tensor.name}, saw shape: "
                f"{tensor.shape}."
            )
        result: Tensor = tensor
        return result


def assert_proper_iterable(values: Any) -> None:
    """Checks that `values` is a list or the like, not a tensor, array or string.

    Raises:
      TypeError: It is something else.
    """
    if isinstance(values, (Tensor, SparseTensor, np.ndarray, bytes, str)):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def assert_same_float_dtype(tensors: Sequence[Any] | None = None, dtype: Any = None) -> DType:
    """The floating element type that tensors share, float32 if nothing says.

    Args:
      tensors: Tensors, or None for one that does not count.
      dtype: The type they must have.

    Raises:
      ValueError: They have different types, or the type is not floating.
    """
    found: DType | None = dtypes.as_dtype(dtype) if dtype else None
    source = ""
    for item in tensors or ():
        if item is None:
            continue
        label = item.name if hasattr(item, "name") else str(item)
        if found is None:
            found, source = item.dtype.base_dtype, f" as {label}"
        elif found != item.dtype.base_dtype:
            raise ValueError(
                f"{label}, type={item.dtype.base_dtype}, must be of the same type "
                f"({found}){source}."
            )
    if found is None:
        return dtypes.float32
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found}.")
    return found


class _RankCheck:
    """A tensor, and the ranks it may have."""

    def __init__(self, x: Any, ranks: list[Tensor], message: str | None) -> None:
        self._x = x
        self._ranks = ranks
        self._prefix = message_prefix(message)
        self._name = "" if isinstance(x, SparseTensor) else x.name

    def data(self, text: str) -> list[Any]:
        """What to print when the check fails."""
        shape = array_shape.shape(self._x)
        return [self._prefix, f"Tensor {self._name} {text}", *self._ranks, _RECEIVED, shape]

    def make(
        self,
        holds: Callable[[int, list[int]], bool],
        operation: Callable[[Tensor, list[Tensor]], Any],
        data: Sequence[Any],
        summarize: int | None,
        wanted: str,
        several: bool = False,
    ) -> Operation:
        """The operation that checks; the rank is checked at once if it is known.

        Args:
          holds: Whether a rank is right, given those known.
          operation: The same in the graph.
          data: What to print when it is not.
          summarize: How many elements of each tensor to print.
          wanted: How the ranks stand in the text of the error.
          several: Whether they are shown as a tuple.
        """
        for rank in self._ranks:
            assert_type(rank, dtypes.int32)
        values = [constants.constant_value(rank) for rank in self._ranks]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            if any(value.ndim for value in known):
                raise ValueError("Rank must be a scalar.")
            ranks = [int(value) for value in known]
            have = self._x.get_shape().rank
            if have is not None:
                if not holds(have, ranks):
                    shown = wanted.format(tuple(ranks) if several else ranks[0])
                    raise ValueError(
                        f"{self._prefix}Tensor {self._name} must have rank {shown}.  Received rank "
                        f"{have}, shape {self._x.get_shape()}"
                    )
                return no_op(name="static_checks_determined_all_ok")
        condition = operation(array_shape.rank(self._x), self._ranks)
        for rank, value in zip(self._ranks, values, strict=True):
            if value is None:
                scalar = assert_rank(rank, 0, data=["Rank must be a scalar. Received rank: ", rank])
                condition = with_dependencies([scalar], condition)
        return Assert(condition, data, summarize=summarize)


_RECEIVED = "Received shape: "


def _is_rank(rank: Tensor, wanted: list[Tensor]) -> Any:
    return math_compare.equal(rank, wanted[0])


def _has_rank(rank: Tensor, wanted: list[Tensor]) -> Any:
    return math_compare.greater_equal(rank, wanted[0])


def _is_one_of(rank: Tensor, wanted: list[Tensor]) -> Any:
    if not wanted:
        return convert_to_tensor(False)
    condition = math_compare.equal(wanted[0], rank)
    for each in wanted[1:]:
        condition = math_compare.logical_or(condition, math_compare.equal(each, rank))
    return condition
