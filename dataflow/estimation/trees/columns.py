"""Columns as trees take them: which features each of them is, and how many buckets these have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, Inputs
from dataflow.feature_columns.numbers import BucketizedColumn
from dataflow.feature_columns.vectors import IndicatorColumn
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.boosted_trees.calls import boosted_trees_bucketize
from dataflow.ops.array.concat import unstack
from dataflow.ops.array.shape import squeeze
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes

_T = TypeVar("_T")

_BUCKETS_OF_CATEGORIES: Final = 2
"""An example has a category or has it not."""


def sorted_columns(columns: Iterable[Any]) -> list[Any]:
    """Columns by name: the order of their features."""
    return sorted(columns, key=lambda column: str(column.name))


def float_columns(columns: Sequence[Any]) -> list[Any]:
    """Those whose numbers are put into buckets by quantiles.

    Raises:
      ValueError: A column is of another kind than trees take.
    """
    return [
        column
        for column in columns
        if _of_kind(column, lambda _: False, lambda _: False, lambda dense: _is_floating(dense))
    ]


def features_of(column: Any) -> int:
    """How many features a column is: one for each category or number.

    Raises:
      ValueError: It is of another kind than trees take.
    """
    return _of_kind(
        column,
        lambda _: 1,
        lambda indicator: int(indicator.categorical_column.num_buckets),
        _width,
    )


def count_features(columns: Sequence[Any]) -> int:
    """How many features columns are together; see `features_of`."""
    return sum(map(features_of, columns))


def names_of_features(columns: Sequence[Any]) -> list[str]:
    """By the ids of features the names of their columns; of categories without "_indicator"."""
    names = []
    for column in columns:
        named = column.categorical_column if isinstance(column, IndicatorColumn) else column
        names += [str(named.name)] * features_of(column)
    return names


def grouped_by_buckets(
    columns: Sequence[Any], num_quantiles: int
) -> tuple[list[int], list[list[int]]]:
    """Numbers of buckets, and for each of them the ids of features that have so many.

    All bucketized columns get as many buckets as the one that has the most.

    Args:
      columns: By name.
      num_quantiles: The buckets of numbers.

    Raises:
      ValueError: A column is of another kind than trees take.
    """
    groups: dict[int, list[int]] = {}
    bucketized: list[int] = []
    most, first = 2, 0
    for column in columns:
        ids = range(first, first + features_of(column))
        first = ids.stop
        if isinstance(column, IndicatorColumn):
            groups.setdefault(_BUCKETS_OF_CATEGORIES, []).extend(ids)
        elif isinstance(column, BucketizedColumn):
            most = max(most, len(column.boundaries) + 1)
            bucketized.extend(ids)
        else:
            groups.setdefault(num_quantiles, []).extend(ids)
    if bucketized:
        groups.setdefault(most, []).extend(bucketized)
    return list(groups), list(groups.values())


def boundaries_by_column(
    columns: Sequence[Any], boundaries: Sequence[Tensor]
) -> dict[str, list[Tensor]]:
    """By the names of columns of numbers the boundaries of their features."""
    found, first = {}, 0
    for column in columns:
        found[str(column.name)] = list(boundaries[first : first + _width(column)])
        first += _width(column)
    return found


def transformed(features: Mapping[str, Any], columns: Sequence[Any]) -> dict[Any, Tensor]:
    """What columns make of features, by column."""
    inputs, found = Inputs(features), {}
    with scopes.name_scope(None, "transform_features", tuple(features.values())):
        for column in columns:
            with scopes.name_scope(None, column.name):
                found[column] = inputs.get(column)
    return found


def as_features(
    made: Mapping[Any, Tensor],
    columns: Sequence[Any],
    boundaries: Mapping[str, Sequence[Tensor]] | None = None,
) -> list[Tensor]:
    """The features that columns are, each of shape [batch].

    Args:
      made: What the columns have made.
      columns: By name.
      boundaries: Of columns of numbers, by name; without them the numbers are the features.

    Raises:
      ValueError: A column is of another kind than trees take, or has several dimensions.
    """
    found: list[Tensor] = []
    for column in columns:
        found += _of_kind(
            column,
            lambda bucketized: [_only_number(made[bucketized], bucketized)],
            lambda indicator: _categories(made[indicator], indicator),
            lambda dense: _numbers(made[dense], dense, boundaries),
        )
    return found


def _of_kind(
    column: Any,
    bucketized: Callable[[Any], _T],
    indicator: Callable[[Any], _T],
    dense: Callable[[Any], _T],
) -> _T:
    """What the function gives that is for a column's kind."""
    if isinstance(column, BucketizedColumn):
        return bucketized(column)
    if isinstance(column, IndicatorColumn):
        return indicator(column)
    if isinstance(column, CategoricalColumn):
        raise ValueError(f"CategoricalColumn must be wrapped by IndicatorColumn, got: {column}")
    if isinstance(column, DenseColumn) and hasattr(column, "dtype"):
        return dense(column)
    raise ValueError(f"Encountered unexpected column {column}")


def _is_floating(column: Any) -> bool:
    if not column.dtype.is_floating:
        raise ValueError(
            f"A numeric column of integers must be wrapped by BucketizedColumn, got: {column}"
        )
    return True


def _width(column: Any) -> int:
    return int(column.variable_shape[0]) if len(column.variable_shape) else 1


def _only_number(buckets: Tensor, column: Any) -> Tensor:
    found = squeeze(buckets, axis=1)
    if found.shape.rank is not None and found.shape.rank > 1:
        raise ValueError(
            "For now, only supports features equivalent to rank 1 but column "
            f"`{column.source_column.name}` got: {buckets.shape}"
        )
    return found


def _categories(counts: Tensor, column: Any) -> list[Tensor]:
    found = cast(counts, dtypes.int32, name="ToInt32")
    if found.shape.rank is not None and found.shape.rank > 2:
        raise ValueError(
            "Rank of indicator column must be no more than 2, but column "
            f"`{column.categorical_column.name}` got: {counts.shape}"
        )
    return unstack(found, axis=1)


def _numbers(
    numbers: Tensor, column: Any, boundaries: Mapping[str, Sequence[Tensor]] | None
) -> list[Tensor]:
    if len(column.variable_shape) > 1:
        raise ValueError(
            "For now, we only support Dense column with rank of 1, but column "
            f"`{column.name}` got: {tuple(column.variable_shape)}"
        )
    found = unstack(numbers, axis=1)
    if not boundaries:
        return found
    buckets: list[Tensor] = boosted_trees_bucketize(found, boundaries[column.name])
    return buckets
