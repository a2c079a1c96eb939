"""How values are cut into rows: row splits, and what else is known of the rows."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.division as division
from dataflow.graph import scopes
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library import check_types, check_values
from dataflow.library.ragged import segments
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


def as_partition(value: Any, name: str, dtype: Any = None) -> Tensor:
    """A tensor of integers that says how values are cut.

    Raises:
      ValueError: It is of another type.
    """
    tensor = convert_to_tensor(value, dtype_hint=dtype or dtypes.int64, name=name)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"{name} must have dtype int32 or int64")
    return tensor


def check_validate(validate: Any) -> None:
    """Refuses a `validate` that is no bool.

    Raises:
      TypeError: It is not.
    """
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")


def _assert_rising(tensor: Any, message: str) -> Any:
    return check_values.assert_less_equal(tensor[:-1], tensor[1:], message=message)


def _assert_not_negative(tensor: Any, message: str) -> Any:
    return check_values.assert_less_equal(constant(0, tensor.dtype), tensor, message=message)


def _assert_zero(tensor: Any, message: str) -> Any:
    return check_values.assert_equal(tensor, constant(0, tensor.dtype), message=message)


class RowPartition:
    """Cuts values into rows; made by the class methods, which take different views of it."""

    def __init__(
        self,
        row_splits: Tensor,
        row_lengths: Tensor | None = None,
        value_rowids: Tensor | None = None,
        nrows: Tensor | None = None,
        uniform_row_length: Tensor | None = None,
        nvals: Tensor | None = None,
    ) -> None:
        row_splits.shape.assert_has_rank(1)
        row_splits.set_shape([None])
        self._row_splits = row_splits
        self._row_lengths = row_lengths
        self._value_rowids = value_rowids
        self._nrows = nrows
        self._uniform_row_length = uniform_row_length
        self._nvals = nvals

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """By the row of each value.

        Raises:
          ValueError: `nrows` is known to be too small or negative.
        """
        check_validate(validate)
        with scopes.name_scope(None, "RowPartitionFromValueRowIds", [value_rowids, nrows]):
            value_rowids = as_partition(value_rowids, "value_rowids", dtype)
            if nrows is None:
                known = constant_value(value_rowids)
                if known is None:
                    nrows = (
                        concat([value_rowids[-1:], constant([-1], value_rowids.dtype)], 0)[0] + 1
                    )
                else:
                    size = int(known.ravel()[-1]) + 1 if known.size else 0
                    nrows = constant(size, value_rowids.dtype, name="nrows")
            else:
                nrows = convert_to_tensor(nrows, value_rowids.dtype, "nrows")
                count, known = constant_value(nrows), constant_value(value_rowids)
                if count is not None and count.ndim == 0:
                    if count < 0:
                        raise ValueError(f"Expected nrows >= 0; got {int(count)}")
                    if known is not None and known.size and not known.ravel()[-1] < count:
                        raise ValueError(
                            f"Expected nrows >= value_rowids[-1] + 1; got nrows={int(count)}, "
                            f"value_rowids[-1]={int(known.ravel()[-1])}"
                        )
            value_rowids.shape.assert_has_rank(1)
            nrows.shape.assert_has_rank(0)
            if validate:
                text = "Arguments to from_value_rowids do not form a valid RowPartition"
                checks = [
                    check_types.assert_rank(value_rowids, 1, message=text),
                    check_types.assert_rank(nrows, 0, message=text),
                    _assert_not_negative(value_rowids[:1], text),
                    _assert_rising(value_rowids, text),
                    check_values.assert_less(value_rowids[-1:], nrows, message=text),
                ]
                value_rowids = with_dependencies(checks, value_rowids)
            splits = segments.segment_ids_to_row_splits(value_rowids, nrows)
            return cls(splits, value_rowids=value_rowids, nrows=nrows)

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """By where rows begin and end.

        Raises:
          ValueError: There is not even the first split.
        """
        check_validate(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        with scopes.name_scope(None, "RowPartitionFromRowSplits", [row_splits]):
            row_splits = as_partition(row_splits, "row_splits", dtype)
            row_splits.shape.assert_has_rank(1)
            if validate:
                text = "Arguments to from_row_splits do not form a valid RaggedTensor:"
                checks = [
                    check_types.assert_rank(row_splits, 1, message=f"{text}rank"),
                    _assert_zero(row_splits[0], f"{text}zero"),
                    _assert_rising(row_splits, f"{text}monotonic"),
                ]
                row_splits = with_dependencies(checks, row_splits)
            return cls(row_splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """By how long rows are."""
        check_validate(validate)
        with scopes.name_scope(None, "RowPartitionFromRowLengths", [row_lengths]):
            row_lengths = as_partition(row_lengths, "row_lengths", dtype)
            row_lengths.shape.assert_has_rank(1)
            if validate:
                text = "Arguments to from_row_lengths do not form a valid RowPartition"
                checks = [
                    check_types.assert_rank(row_lengths, 1, message=text),
                    _assert_not_negative(row_lengths, text),
                ]
                row_lengths = with_dependencies(checks, row_lengths)
            return cls(segments.splits_of(row_lengths), row_lengths=row_lengths)

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """By where rows begin, and how many values there are."""
        check_validate(validate)
        with scopes.name_scope(None, "RowPartitionFromRowStarts", [row_starts]):
            row_starts = as_partition(row_starts, "row_starts", dtype)
            row_starts.shape.assert_has_rank(1)
            nvals = cast(convert_to_tensor(nvals), row_starts.dtype)
            if validate:
                text = "Arguments to from_row_starts do not form a valid RaggedTensor"
                checks = [
                    check_types.assert_rank(row_starts, 1, message=text),
                    _assert_zero(row_starts[:1], text),
                    _assert_rising(row_starts, text),
                    check_values.assert_less_equal(row_starts[-1:], nvals, message=text),
                ]
                row_starts = with_dependencies(checks, row_starts)
            return cls(concat([row_starts, array_shape.reshape(nvals, [1])], 0), nvals=nvals)

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """By where rows end."""
        check_validate(validate)
        with scopes.name_scope(None, "RowPartitionFromRowLimits", [row_limits]):
            row_limits = as_partition(row_limits, "row_limits", dtype)
            row_limits.shape.assert_has_rank(1)
            if validate:
                text = "Arguments to from_row_limits do not form a valid RaggedTensor"
                checks = [
                    check_types.assert_rank(row_limits, 1, message=text),
                    _assert_not_negative(row_limits[:1], text),
                    _assert_rising(row_limits, text),
                ]
                row_limits = with_dependencies(checks, row_limits)
            return cls(concat([constant([0], row_limits.dtype), row_limits], 0))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
    ) -> RowPartition:
        """By the length that all rows have.

        Raises:
          ValueError: The length is known to be negative, or not to fit.
        """
        check_validate(validate)
        if nrows is None and nvals is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        scoped, was_given = [uniform_row_length, nrows], nrows is not None
        with scopes.name_scope(None, "RowPartitionFromUniformRowLength", scoped):
            length = as_partition(uniform_row_length, "uniform_row_length", dtype)
            length.shape.assert_has_rank(0)
            kind = length.dtype
            if nvals is not None:
                nvals = cast(convert_to_tensor(nvals), kind)
            size = _known(length)
            if nrows is None:
                if size == 0:
                    nrows = constant(0, kind)
                else:
                    count = _known(nvals)
                    if None not in (size, count) and size and count is not None:
                        nrows = constant(count // size, kind)
                    else:
                        nrows = division.floordiv(
                            nvals, single("Maximum", length, constant(1, kind))
                        )
                        if size is None:
                            nrows = cast(nrows, kind)
            else:
                nrows = cast(convert_to_tensor(nrows), kind)
            if size is not None and size < 0:
                raise ValueError("uniform_row_length must be >= 0.")
            total, rows = _known(nvals), _known(nrows)
            # What was divided is only found not to fit when it runs.
            is_said = was_given or size == 0
            if is_said and None not in (total, rows, size) and total != rows * size:  # type: ignore[operator]
                raise ValueError(
                    f"uniform_row_length={size} times nrows={rows} must equal nvals={total}"
                )
            if validate:
                checks = [
                    check_types.assert_rank(
                        length, 0, message="uniform_row_length must be a scalar."
                    ),
                    _assert_not_negative(length, "uniform_row_length must be >= 0."),
                ]
                if nvals is not None:
                    text = "Arguments to from_uniform_row_length do not form a valid RowPartition"
                    checks.append(check_values.assert_equal(nrows * length, nvals, message=text))
                length = with_dependencies(checks, length)
            one = constant(1, kind)
            splits = segments.numbers(nrows + one, kind) * length
            if rows is not None:
                splits.set_shape([rows + 1])
            return cls(splits, nrows=nrows, uniform_row_length=length, nvals=nvals)

    @property
    def dtype(self) -> DType:
        """int32 or int64."""
        return self._row_splits.dtype

    def row_splits(self) -> Tensor:
        """Where rows begin and end, shape `[nrows + 1]`."""
        return self._row_splits

    def row_lengths(self) -> Tensor:
        """How long each row is."""
        if self._row_lengths is not None:
            return self._row_lengths
        splits: Any = self._row_splits
        lengths: Tensor = splits[1:] - splits[:-1]
        return lengths

    def row_starts(self) -> Tensor:
        """Where each row begins."""
        splits: Any = self._row_splits
        starts: Tensor = splits[:-1]
        return starts

    def row_limits(self) -> Tensor:
        """Where each row ends."""
        splits: Any = self._row_splits
        limits: Tensor = splits[1:]
        return limits

    def value_rowids(self) -> Tensor:
        """The row of each value."""
        if self._value_rowids is not None:
            return self._value_rowids
        return segments.row_splits_to_segment_ids(self._row_splits)

    def nrows(self) -> Tensor:
        """How many rows there are."""
        if self._nrows is not None:
            return self._nrows
        count: Tensor = segments.first_size(self._row_splits, self.dtype) - 1
        return count

    def nvals(self) -> Tensor:
        """How many values there are."""
        if self._nvals is not None:
            return self._nvals
        splits: Any = self._row_splits
        count: Tensor = splits[-1]
        return count

    def uniform_row_length(self) -> Tensor | None:
        """The length that all rows are known to have; None if they may differ."""
        return self._uniform_row_length

    @property
    def static_nrows(self) -> int | None:
        """How many rows there are, if that is known while building."""
        dims = self._row_splits.shape.dims_tuple
        if dims and dims[0] is not None:
            return dims[0] - 1
        return _known(self._nrows)

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, if that is known while building."""
        return _known(self._uniform_row_length)

    def with_dtype(self, dtype: Any) -> RowPartition:
        """The same rows, counted in another type."""
        dtype = dtypes.as_dtype(dtype)
        if dtype is self.dtype:
            return self

        def changed(part: Tensor | None) -> Tensor | None:
            return None if part is None else cast(part, dtype)

        return RowPartition(
            cast(self._row_splits, dtype),
            changed(self._row_lengths),
            changed(self._value_rowids),
            changed(self._nrows),
            changed(self._uniform_row_length),
            changed(self._nvals),
        )

    def with_dependencies(self, checks: Any) -> RowPartition:
        """The same rows, used only after some operations."""
        return RowPartition(
            with_dependencies(checks, self._row_splits),
            self._row_lengths,
            self._value_rowids,
            self._nrows,
            self._uniform_row_length,
            self._nvals,
        )


def _known(tensor: Any) -> int | None:
    """The value of a scalar, if that is known while building."""
    if tensor is None:
        return None
    value = constant_value(tensor)
    return None if value is None or value.ndim else int(value)
