"""Ragged tensors of features: values, and those that say how they are cut into rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.division as division
import dataflow.ops.reductions.scan as scans
from dataflow.graph.scopes import control_dependencies
from dataflow.library.check_values import assert_equal
from dataflow.library.parsing.configs import RaggedFeature
from dataflow.library.ragged import segments
from dataflow.library.ragged.reductions import reduce_max
from dataflow.library.ragged.tensor import RaggedTensor
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single

_MAKERS: dict[type, Callable[..., Any]] = {
    RaggedFeature.RowSplits: RaggedTensor.from_row_splits,
    RaggedFeature.RowLengths: RaggedTensor.from_row_lengths,
    RaggedFeature.RowStarts: RaggedTensor.from_row_starts,
    RaggedFeature.RowLimits: RaggedTensor.from_row_limits,
    RaggedFeature.ValueRowIds: RaggedTensor.from_value_rowids,
}


def with_rows(
    serialized: Any, values: Sequence[Any], splits: Sequence[Any], inner: Sequence[Any] = ()
) -> list[Any]:
    """The ragged features that were read: of one example only the values.

    Args:
      serialized: The message, or a vector of them.
      values: The values of each feature.
      splits: Which of them belong to which message.
      inner: Which of them belong to which step.
    """
    is_single = serialized.shape.rank == 0
    if inner:
        if is_single:
            pairs = zip(values, inner, strict=True)
            return [RaggedTensor.from_row_splits(*pair, validate=False) for pair in pairs]
        triples = zip(values, splits, inner, strict=True)
        return [
            RaggedTensor.from_nested_row_splits(value, parts, validate=False)
            for value, *parts in triples
        ]
    if is_single:
        return list(values)
    pairs = zip(values, splits, strict=True)
    return [RaggedTensor.from_row_splits(*pair, validate=False) for pair in pairs]


def cut(key: str, feature: RaggedFeature, found: Mapping[str, Any]) -> Any:
    """The ragged tensor that a feature stands for, of what was read."""
    value = found[feature.value_key or key]
    if not isinstance(value, RaggedTensor):
        for partition in reversed(feature.partitions):
            value = _cut(value, partition, feature, found)
        return value
    outer = None
    if value.ragged_rank > 1:
        # Messages and their steps count as one dimension meanwhile.
        outer, value = value.row_splits, value.values
    for partition in reversed(feature.partitions):
        value = _cut_batch(value, partition, key, feature, found, outer)
    if outer is None:
        return value
    return RaggedTensor.from_row_splits(value, outer, validate=feature.validate)


def _cut(values: Any, partition: Any, feature: RaggedFeature, found: Mapping[str, Any]) -> Any:
    if isinstance(partition, RaggedFeature.UniformRowLength):
        if not isinstance(values, RaggedTensor):
            return _reshaped(values, partition.length)
        length = constant(partition.length, feature.row_splits_dtype)
        return RaggedTensor.from_uniform_row_length(values, length, validate=feature.validate)
    given = cast(found[partition.key], feature.row_splits_dtype)
    return _MAKERS[type(partition)](values, given, validate=feature.validate)


def _reshaped(values: Any, length: int) -> Any:
    sizes: Any = array_shape.shape(values)
    return array_shape.reshape(values, concat([[-1, length], sizes[1:]], 0))


def _cut_batch(
    x: Any,
    partition: Any,
    key: str,
    feature: RaggedFeature,
    found: Mapping[str, Any],
    outer: Any,
) -> Any:
    validate, kind = feature.validate, x.row_splits.dtype
    if isinstance(partition, RaggedFeature.UniformRowLength):
        length = constant(partition.length, kind)
        if x.ragged_rank > 1:
            inner = RaggedTensor.from_uniform_row_length(x.values, length, validate=validate)
        else:
            inner = _reshaped(x.values, partition.length)
        splits = division.floordiv(x.row_splits, length)
        return RaggedTensor.from_row_splits(inner, splits, validate=validate)
    given: Any = found[partition.key]
    given = given.with_flat_values(cast(given.flat_values, kind)).with_row_splits_dtype(kind)
    checks = []
    if outer is not None:
        if validate:
            text = f"Feature {key}: values and partitions are not aligned"
            checks.append(assert_equal(outer, given.row_splits, message=text))
        given = given.values
    with control_dependencies(checks):
        starts: Any = x.row_starts()
        if isinstance(partition, RaggedFeature.RowLengths):
            rows = RaggedTensor.from_row_lengths(x.values, given.values, validate=validate)
            return given.with_values(rows)
        if isinstance(partition, RaggedFeature.ValueRowIds):
            one = constant(1, kind)
            counts = single("Maximum", reduce_max(given + one, 1), constant(0, kind))
            before = scans.cumsum(counts, exclusive=True)
            shifted = given.values + segments.repeated(before, given.row_lengths())
            rows = RaggedTensor.from_value_rowids(x.values, shifted, validate=validate)
            return RaggedTensor.from_row_lengths(rows, counts, validate=validate)
        if isinstance(partition, RaggedFeature.RowSplits):
            given = given[:, 1:]
        shifted = given.values + segments.repeated(starts, given.row_lengths())
        is_starts = isinstance(partition, RaggedFeature.RowStarts)
        maker = RaggedTensor.from_row_starts if is_starts else RaggedTensor.from_row_limits
        return given.with_values(maker(x.values, shifted, validate=validate))
