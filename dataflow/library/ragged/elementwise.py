"""Functions of elements on ragged tensors: of one, and of two that are broadcast."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.tensor import Tensor
from dataflow.library import check_values
from dataflow.library.ragged import segments
from dataflow.library.ragged.shaping import expanded
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, is_ragged
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.single import single

MISMATCH = "Unable to broadcast: dimension size mismatch in dimension"


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function makes of the innermost values, in the same rows.

    Args:
      op: Gets the arguments with the innermost values in the place of ragged tensors.
      *args: Its arguments; ragged ones, also in lists, have the same rows.
      **kwargs: Its arguments by name.

    Returns:
      A ragged tensor; what `op` returns if none is among the arguments.

    Raises:
      ValueError: The results are known not to be as many as the values.
      InvalidArgumentError: At run time: the rows differ.
    """
    ragged: list[RaggedTensor] = []

    def taken(value: Any) -> Any:
        if is_ragged(value):
            value = as_ragged_or_tensor(value)
            ragged.append(value)
            return value
        if isinstance(value, (list, tuple)):
            return [taken(item) for item in value]
        if isinstance(value, dict):
            return {key: taken(item) for key, item in value.items()}
        return value

    inner_args, inner_options = taken(args), taken(kwargs)
    if not ragged:
        return op(*args, **kwargs)
    first = _with_checked_rows(ragged)

    def flat(value: Any) -> Any:
        if isinstance(value, RaggedTensor):
            return value.flat_values
        if isinstance(value, list):
            return [flat(item) for item in value]
        if isinstance(value, dict):
            return {key: flat(item) for key, item in value.items()}
        return value

    result = op(*flat(inner_args), **flat(inner_options))
    if not isinstance(result, (Tensor, RaggedTensor)):
        result = as_ragged_or_tensor(result)
    known, need = result.shape.dims_tuple, first.flat_values.shape.dims_tuple
    if known is not None and not known:
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same "
            "outer-dimension size as flat_values of any ragged inputs. (output shape: (); "
            f"expected outer dimension size: {need[0] if need else None})"
        )
    if known and need and None not in (known[0], need[0]) and known[0] != need[0]:
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same "
            "outer-dimension size as flat_values of any ragged inputs. (output shape: "
            f"{result.shape}; expected outer dimension size: {need[0]})"
        )
    return first.with_flat_values(result)


def _with_checked_rows(ragged: Sequence[RaggedTensor]) -> RaggedTensor:
    """The first one, whose rows are used only after they were compared with the others'."""
    first = ragged[0]
    for other in ragged[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise ValueError("All ragged inputs must have the same ragged_rank.")
    checks = [
        check_values.assert_equal(mine, theirs, message="Inputs do not have identical row splits")
        for other in ragged[1:]
        for mine, theirs in zip(first.nested_row_splits, other.nested_row_splits, strict=True)
        if mine is not theirs
    ]
    if not checks:
        return first
    partitions = [part.with_dependencies(checks) for part in first._nested_row_partitions]
    made: RaggedTensor = RaggedTensor._from_nested_row_partitions(first.flat_values, partitions)
    return made


def unary(function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """A function of the elements of its first argument."""
    if args:
        x, others, named = args[0], args[1:], dict(options)
        first: str | None = None
    else:
        first, x = next(iter(options.items()))
        others, named = (), {key: value for key, value in options.items() if key != first}
    if not is_ragged(x):
        return NotImplemented
    x = as_ragged_or_tensor(x)
    if first is None:
        return x.with_flat_values(function(x.flat_values, *others, **named))
    return x.with_flat_values(function(**{first: x.flat_values}, **named))


def binary(function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """A function of the elements of its first two arguments, which are broadcast."""
    named = dict(options)
    values = list(args[:2])
    keys: list[str] = []
    for key in list(named):
        if len(values) < 2 and key != "name":
            keys.append(key)
            values.append(named.pop(key))
    if len(values) < 2:
        return NotImplemented
    x, y = values
    x, y, rows = broadcast(*converted(x, y))
    left = x.flat_values if isinstance(x, RaggedTensor) else x
    right = y.flat_values if isinstance(y, RaggedTensor) else y
    by_place = [left, right][: 2 - len(keys)]
    by_name = dict(zip(keys, [left, right][2 - len(keys) :], strict=True))
    made = function(*by_place, *args[2:], **by_name, **named)
    return made if rows is None else rows.with_flat_values(made)


def converted(x: Any, y: Any) -> tuple[Any, Any]:
    """Both as tensors, or ragged ones, of one element type if that can be."""
    if is_ragged(x):
        x = as_ragged_or_tensor(x)
    if is_ragged(y):
        y = as_ragged_or_tensor(y)
    if isinstance(x, (Tensor, RaggedTensor)):
        y = as_ragged_or_tensor(y, preferred_dtype=x.dtype.base_dtype)
    else:
        x = as_ragged_or_tensor(x, preferred_dtype=y.dtype.base_dtype)
    return x, y


def broadcast(x: Any, y: Any) -> tuple[Any, Any, RaggedTensor | None]:
    """Two operands with the same rows, and one that has them; None if neither is ragged."""
    if not isinstance(x, RaggedTensor) and not isinstance(y, RaggedTensor):
        return x, y, None
    if not isinstance(x, RaggedTensor) and x.shape.rank == 0:
        return x, y, y
    if not isinstance(y, RaggedTensor) and y.shape.rank == 0:
        return x, y, x
    if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
        pairs = zip(x.nested_row_splits, y.nested_row_splits, strict=False)
        if x.ragged_rank == y.ragged_rank and all(a is b for a, b in pairs):
            return x, y, x
    if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
        kind = _common_dtype(x, y)
        x, y = x.with_row_splits_dtype(kind), y.with_row_splits_dtype(kind)
    first, second = _aligned(x, y)
    depth = max(
        each.ragged_rank if isinstance(each, RaggedTensor) else 0 for each in (first, second)
    )
    return _same_rows(first, second, depth)


def _common_dtype(x: RaggedTensor, y: RaggedTensor) -> Any:
    kind = x.row_splits.dtype
    if kind != y.row_splits.dtype:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    return kind


def _aligned(x: Any, y: Any) -> tuple[Any, Any]:
    """Both with as many dimensions, by dimensions of size 1 in front.

    Raises:
      ValueError: A rank is not known.
    """
    ranks = [x.shape.rank, y.shape.rank]
    if None in ranks:
        raise ValueError("Unable to broadcast: unknown rank")
    while x.shape.rank < y.shape.rank:
        x = expanded(x, 0)
    while y.shape.rank < x.shape.rank:
        y = expanded(y, 0)
    return x, y


class _Side:
    """An operand level by level: which of its rows each row of the result is made of."""

    def __init__(self, x: Any, kind: Any) -> None:
        self._partitions = list(x._nested_row_partitions) if isinstance(x, RaggedTensor) else []
        self._flat = x.flat_values if isinstance(x, RaggedTensor) else x
        self._sizes: Any = array_shape.shape(self._flat, out_type=kind)
        self._dims = self._flat.shape.dims_tuple
        self._kind = kind
        rows = self._partitions[0].nrows() if self._partitions else self._sizes[0]
        self.count: Any = rows
        self.picked: Any = None
        self._level = 0
        self.known = x.shape.dims_tuple

    def is_single(self, axis: int) -> Any:
        """Whether the dimension's size is 1 and may be broadcast: a bool if that is known."""
        if axis == 0:
            known = self.known[0]
            return single("Equal", self.count, 1) if known is None else known == 1
        if axis <= len(self._partitions):
            partition = self._partitions[axis - 1]
            known = partition.static_uniform_row_length
            length = partition.uniform_row_length()
            if length is None:
                return False
            return single("Equal", length, 1) if known is None else known == 1
        known = self.known[axis]
        size = self._sizes[axis - len(self._partitions)]
        return single("Equal", size, 1) if known is None else known == 1

    def lengths(self, axis: int) -> tuple[Any, Any]:
        """Where the picked rows begin, and how long they are."""
        if axis <= len(self._partitions):
            partition = self._partitions[axis - 1]
            return (
                gather(partition.row_starts(), self.picked),
                gather(partition.row_lengths(), self.picked),
            )
        size = self._sizes[axis - len(self._partitions)]
        return self.picked * size, self.picked * 0 + size

    def values(self, depth: int) -> Any:
        """The innermost values of the rows of the result."""
        merged = depth - len(self._partitions)
        flat = self._flat
        if merged > 0:
            shape = concat([[-1], cast(self._sizes[merged + 1 :], self._kind)], 0)
            flat = array_shape.reshape(flat, shape)
            dims = self._dims
            if dims is not None:
                flat.set_shape([None, *dims[merged + 1 :]])
        return gather(flat, self.picked)


def _same_rows(x: Any, y: Any, depth: int) -> tuple[Any, Any, RaggedTensor]:
    kind = (x if isinstance(x, RaggedTensor) else y).row_splits.dtype
    sides = [_Side(x, kind), _Side(y, kind)]
    singles = [side.is_single(0) for side in sides]
    count = _chosen(singles[0], sides[1].count, sides[0].count)
    checks = [_check(singles, [cast(count, kind)] * 2, [side.count for side in sides])]
    count = with_dependencies([c for c in checks if c is not None], count)
    numbers: Any = segments.numbers(count, kind)
    for side, alone in zip(sides, singles, strict=True):
        side.picked = _chosen(alone, numbers * 0, numbers)
    splits: list[Any] = []
    for axis in range(1, depth + 1):
        singles = [side.is_single(axis) for side in sides]
        starts_lengths = [side.lengths(axis) for side in sides]
        lengths = _chosen(singles[0], starts_lengths[1][1], starts_lengths[0][1])
        check = _check(singles, [lengths] * 2, [part[1] for part in starts_lengths])
        if check is not None:
            lengths = with_dependencies([check], lengths)
        new: Any = segments.splits_of(lengths)
        splits.append(new)
        owners = segments.repeated(
            segments.numbers(segments.first_size(lengths, kind), kind), lengths
        )
        within: Any = segments.numbers(new[-1], kind) - gather(new, owners)
        for side, alone, (starts, _) in zip(sides, singles, starts_lengths, strict=True):
            begin: Any = gather(starts, owners)
            side.picked = begin + _chosen(alone, within * 0, within)
    made = [
        RaggedTensor.from_nested_row_splits(side.values(depth), splits, validate=False)
        for side in sides
    ]
    return made[0], made[1], made[0]


def _chosen(condition: Any, yes: Any, no: Any) -> Any:
    if isinstance(condition, bool):
        return yes if condition else no
    return where_v2(condition, yes, no)


def _check(singles: Sequence[Any], wanted: Sequence[Any], have: Sequence[Any]) -> Any:
    """That sizes are those of the result, or 1; None if nothing is to be checked."""
    if any(alone is True for alone in singles):
        return None
    tests = []
    for alone, want, got in zip(singles, wanted, have, strict=True):
        same = single("Equal", want, got)
        whole = reductions.reduce_all(same)
        tests.append(whole if alone is False else single("LogicalOr", alone, whole))
    return check_values.assert_equal(
        single("LogicalAnd", tests[0], tests[1]), True, message=MISMATCH
    )
