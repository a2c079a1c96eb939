"""What a program expects of a feature: its type and form."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.values import dtypes


class VarLenFeature(NamedTuple):
    """A feature of any length, which becomes a sparse tensor."""

    dtype: Any
    """Element type: int64, float32 or string."""


class SparseFeature(NamedTuple):
    """A sparse tensor that several features of an example hold: its indices and its values.

    `VarLenFeature` is simpler, and should do in most cases.
    """

    index_key: Any
    """Key of the indices, or a list of keys, one for each dimension."""
    value_key: Any
    """Key of the values."""
    dtype: Any
    """Their type."""
    size: Any
    """The size of the dimension, or a list of sizes."""
    already_sorted: Any = False
    """Whether the indices are in order, so that nothing needs to be sorted."""


class FixedLenFeature(NamedTuple):
    """A feature with a fixed number of elements."""

    shape: Any
    """Shape of the tensor that it becomes."""
    dtype: Any
    """Element type: int64, float32 or string."""
    default_value: Any = None
    """What stands for it where it is missing; None if it must be there."""


class FixedLenSequenceFeature(NamedTuple):
    """A feature that becomes a tensor whose first dimension may differ between examples."""

    shape: Any
    """Shape without the first dimension."""
    dtype: Any
    """Element type: int64, float32 or string."""
    allow_missing: Any = False
    """Whether it may be missing, and counts as empty then."""
    default_value: Any = None
    """What fills up shorter ones in a batch; 0 or "" if None."""


class _RowSplits(NamedTuple):
    key: Any


class _RowLengths(NamedTuple):
    key: Any


class _RowStarts(NamedTuple):
    key: Any


class _RowLimits(NamedTuple):
    key: Any


class _ValueRowIds(NamedTuple):
    key: Any


class _UniformRowLength(NamedTuple):
    length: Any


for _class in (_RowSplits, _RowLengths, _RowStarts, _RowLimits, _ValueRowIds, _UniformRowLength):
    _class.__name__ = _class.__qualname__ = _class.__name__.removeprefix("_")


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: Any
    partitions: Any
    row_splits_dtype: Any
    validate: Any


class RaggedFeature(_RaggedFields):
    """A ragged tensor that one feature holds, or several: values and how they are cut into rows.

    Args:
      dtype: Element type: int64, float32 or string.
      value_key: Key of the values; the feature's own by default.
      partitions: How values are cut, the outermost first: `RowSplits(key)`, `RowLengths(key)`,
        `RowStarts(key)`, `RowLimits(key)`, `ValueRowIds(key)` or `UniformRowLength(length)`.
      row_splits_dtype: int32 or int64: in which type rows are counted.
      validate: Whether steps check that the parts fit together.

    Raises:
      TypeError: A partition is none of these.
      ValueError: `value_key` and `dtype` say too little, or an option is of no such kind.
    """

    RowSplits = _RowSplits
    RowLengths = _RowLengths
    RowStarts = _RowStarts
    RowLimits = _RowLimits
    ValueRowIds = _ValueRowIds
    UniformRowLength = _UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: Any = None,
        partitions: Any = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: Any = False,
    ) -> RaggedFeature:
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(
                f"Argument `value_key` must be a string; got {value_key!r} of type "
                f"{type(value_key).__name__}."
            )
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(
                "Argument `partitions` must be a list or tuple. Received partitions="
                f"{partitions} of type {type(partitions).__name__}."
            )
        kinds = (_RowSplits, _RowLengths, _RowStarts, _RowLimits, _ValueRowIds, _UniformRowLength)
        for partition in partitions:
            if not isinstance(partition, kinds):
                raise TypeError(
                    "Argument `partitions` must be a list of partition objects "
                    f"{[kind.__name__ for kind in kinds]}; got {partitions!r}."
                )
        if not isinstance(validate, bool):
            raise TypeError(
                f"Argument `validate` must be a bool; got {validate} of type "
                f"{type(validate).__name__}."
            )
        return super().__new__(
            cls,
            dtypes.as_dtype(dtype),
            value_key,
            tuple(partitions),
            dtypes.as_dtype(row_splits_dtype),
            validate,
        )
