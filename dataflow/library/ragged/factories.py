"""Ragged tensors made of values and of what says how they are cut into rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library import check_values
from dataflow.library.ragged import segments
from dataflow.library.ragged.row_partition import RowPartition
from dataflow.library.ragged.values import RaggedTensorValue
from dataflow.values import dtypes


def _check_validate(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


def _check_list(value: Any, name: str) -> None:
    if isinstance(value, Tensor):
        raise TypeError(f"{name} must be a list of Tensors")


_Made = TypeVar("_Made", bound="RaggedFactories")


def _nested(make: Callable[..., Any], values: Any, levels: Sequence[Any], validate: bool) -> Any:
    """Values cut by what `make` takes for each level, the outermost first."""
    _check_validate(validate)
    for level in reversed(levels):
        values = make(values, level, validate=validate)
    return values


class RaggedFactories:
    """The class methods of `RaggedTensor` that make one."""

    _row_partition: RowPartition

    def __init__(self, values: Any, row_partition: RowPartition, internal: bool = False) -> None:
        raise NotImplementedError

    @classmethod
    def _from_row_partition(
        cls: type[_Made], values: Any, row_partition: RowPartition, validate: bool = True
    ) -> _Made:
        """Values cut by a row partition.

        Raises:
          TypeError: It is none, or `validate` is no bool.
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError(
                f"Argument `row_partition` must be a RowPartition. Received {row_partition}."
            )
        _check_validate(validate)
        values, row_partition = cls._matched(values, row_partition)
        if validate:
            if isinstance(values, RaggedFactories):
                rows = values._row_partition.nrows()
            else:
                rows = segments.first_size(values, row_partition.dtype)
            checks = [
                check_values.assert_equal(
                    row_partition.row_splits()[-1],
                    rows,
                    message="Arguments to _from_row_partition do not form a valid RaggedTensor",
                )
            ]
            row_partition = row_partition.with_dependencies(checks)
        return cls(values=values, internal=True, row_partition=row_partition)

    @classmethod
    def _matched(cls, values: Any, partition: RowPartition) -> tuple[Any, RowPartition]:
        """Values as a tensor or a ragged one, which counts its rows as the partition does.

        Raises:
          ValueError: It counts them in another type.
        """
        values = cls._as_values(values, partition.dtype)
        if isinstance(values, RaggedFactories):
            kind = values._row_partition.dtype
            if kind != partition.dtype:
                raise ValueError(
                    "Argument `row_partition` of RaggedTensor with name: None must have same dtype "
                    f"as Argument `values`. ({partition.dtype} vs. {kind})."
                )
        return values, partition

    @classmethod
    def _as_values(cls, values: Any, splits_dtype: Any) -> Any:
        if isinstance(values, (RaggedFactories, Tensor)):
            return values
        if isinstance(values, RaggedTensorValue):
            splits = convert_to_tensor(values.row_splits, dtype=splits_dtype, name="row_splits")
            return cls.from_row_splits(values.values, splits, validate=False)
        return convert_to_tensor(values, name="values")

    @classmethod
    def from_value_rowids(
        cls: type[_Made],
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> _Made:
        """Values, and the row that each is in.

        Args:
          values: A tensor, or a ragged one, whose first dimension is cut into rows.
          value_rowids: A vector of integers that do not fall.
          nrows: How many rows there are; by default as many as have values.
          name: Prefix of the operations' names.
          validate: Whether steps check that the arguments fit together.

        Raises:
          ValueError: `nrows` is known to be too small or negative.
          InvalidArgumentError: The arguments do not fit.
        """
        _check_validate(validate)
        with scopes.name_scope(name, "RaggedFromValueRowIds", [values, value_rowids, nrows]):
            partition = RowPartition.from_value_rowids(
                value_rowids, nrows, validate, _preferred(values)
            )
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_splits(
        cls: type[_Made],
        values: Any,
        row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> _Made:
        """Values, and where rows begin and end: see `from_value_rowids`.

        Args:
          values: A tensor, or a ragged one, whose first dimension is cut into rows.
          row_splits: A vector of integers that do not fall, from 0 to the number of values.
          name: Prefix of the operations' names.
          validate: Whether steps check that the arguments fit together.
        """
        _check_validate(validate)
        with scopes.name_scope(name, "RaggedFromRowSplits", [values, row_splits]):
            partition = RowPartition.from_row_splits(row_splits, validate, _preferred(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_lengths(
        cls: type[_Made],
        values: Any,
        row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> _Made:
        """Values, and how long rows are: see `from_value_rowids`.

        Args:
          values: A tensor, or a ragged one, whose first dimension is cut into rows.
          row_lengths: A vector of integers that add up to the number of values.
          name: Prefix of the operations' names.
          validate: Whether steps check that the arguments fit together.
        """
        _check_validate(validate)
        with scopes.name_scope(name, "RaggedFromRowLengths", [values, row_lengths]):
            partition = RowPartition.from_row_lengths(row_lengths, validate, _preferred(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_starts(
        cls: type[_Made],
        values: Any,
        row_starts: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> _Made:
        """Values, and where rows begin: see `from_value_rowids`.

        Args:
          values: A tensor, or a ragged one, whose first dimension is cut into rows.
          row_starts: A vector of integers that do not fall, from 0.
          name: Prefix of the operations' names.
          validate: Whether steps check that the arguments fit together.
        """
        _check_validate(validate)
        with scopes.name_scope(name, "RaggedFromRowStarts", [values, row_starts]):
            values = cls._as_values(values, dtypes.int64)
            kind = _preferred(values)
            partition = RowPartition.from_row_starts(
                row_starts, _first(values), validate=validate, dtype=kind
            )
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_limits(
        cls: type[_Made],
        values: Any,
        row_limits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> _Made:
        """Values, and where rows end: see `from_value_rowids`.

        Args:
          values: A tensor, or a ragged one, whose first dimension is cut into rows.
          row_limits: A vector of integers that do not fall, up to the number of values.
          name: Prefix of the operations' names.
          validate: Whether steps check that the arguments fit together.
        """
        _check_validate(validate)
        with scopes.name_scope(name, "RaggedFromRowLimits", [values, row_limits]):
            partition = RowPartition.from_row_limits(row_limits, validate, _preferred(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_uniform_row_length(
        cls: type[_Made],
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> _Made:
        """Values, and the length of all rows: see `from_value_rowids`.

        Args:
          values: A tensor, or a ragged one, whose first dimension is cut into rows.
          uniform_row_length: A scalar.
          nrows: How many rows there are; needed where the length is 0.
          validate: Whether steps check that the arguments fit together.
          name: Prefix of the operations' names.
        """
        _check_validate(validate)
        with scopes.name_scope(name, "RaggedFromUniformRowLength", [values, nrows]):
            values = cls._as_values(values, dtypes.int64)
            partition = RowPartition.from_uniform_row_length(
                uniform_row_length, _first(values), nrows, validate, _preferred(values)
            )
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Values cut into rows level by level, the outermost first.

        Args:
          flat_values: A tensor.
          nested_value_rowids: For each level the row of each value.
          nested_nrows: For each level how many rows there are.
          name: Prefix of the operations' names.
          validate: Whether steps check that the arguments fit together.

        Raises:
          TypeError: A list is none.
          ValueError: The lists have different lengths.
        """
        _check_validate(validate)
        _check_list(nested_value_rowids, "nested_value_rowids")
        counts: Sequence[Any] = [None] * len(nested_value_rowids)
        if nested_nrows is not None:
            _check_list(nested_nrows, "nested_nrows")
            counts = nested_nrows
            if len(counts) != len(nested_value_rowids):
                raise ValueError("nested_nrows must have the same length as nested_value_rowids")
        scoped = [flat_values, *nested_value_rowids]
        with scopes.name_scope(name, "RaggedFromNestedValueRowIds", scoped):
            result = flat_values
            pairs = list(zip(nested_value_rowids, counts, strict=True))
            for rowids, count in reversed(pairs):
                result = cls.from_value_rowids(result, rowids, count, validate=validate)
            return result

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Values cut into rows level by level, by the row splits of the outermost first.

        Raises:
          TypeError: `nested_row_splits` is no list.
        """
        _check_list(nested_row_splits, "nested_row_splits")
        with scopes.name_scope(name, "RaggedFromNestedRowSplits", [flat_values]):
            return _nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Values cut into rows level by level, by the lengths of the outermost first.

        Raises:
          TypeError: `nested_row_lengths` is no list.
        """
        _check_list(nested_row_lengths, "nested_row_lengths")
        with scopes.name_scope(name, "RaggedFromNestedRowlengths", [flat_values]):
            return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def _from_nested_row_partitions(
        cls, flat_values: Any, partitions: Sequence[RowPartition], validate: bool = False
    ) -> Any:
        """Values cut by row partitions, the outermost first."""
        result = flat_values
        for partition in reversed(partitions):
            result = cls._from_row_partition(result, partition, validate)
        return result


def _preferred(values: Any) -> Any:
    """The type in which ragged values count their rows; None for others."""
    if isinstance(values, RaggedFactories):
        return values._row_partition.dtype
    if isinstance(values, RaggedTensorValue):
        return dtypes.as_dtype(values.row_splits.dtype)
    return None


def _first(values: Any) -> Any:
    """The number of entries of values."""
    if isinstance(values, RaggedFactories):
        return values._row_partition.nrows()
    return segments.first_size(values, dtypes.int64)
