"""What is kept of examples between steps: nodes they have come to, logits and buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import dataflow.ops.array.fill as array_fill
from dataflow.control_flow.cond_v2 import cond_v2
from dataflow.estimation.trees.columns import as_features, count_features, transformed
from dataflow.feature_columns.vectors import IndicatorColumn
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.bits import bitcast
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import expand_dims, squeeze
from dataflow.ops.array.split import split
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.variables.variable import Variable

NO_NODE: Final = -1
"""The node of an example that no tree has seen."""


class States(Protocol):
    """For each example of a batch its last tree, its node in it, and its logits up to there."""

    def lookup(self) -> tuple[Any, Any, Any]:
        """The trees and nodes, shape [batch], and the logits, shape [batch, logits_dimension]."""

    def insert(self, tree_ids: Tensor, node_ids: Tensor, logits: Tensor) -> Operation:
        """An operation that keeps other ones."""


def kept(initial_value: Any, name: str) -> Any:
    """A variable behind a handle, of any shape, that no optimizer trains."""
    return Variable(
        initial_value, trainable=False, validate_shape=False, name=name, use_resource=True
    )


class TableStates:
    """States by the ids of examples, in a table that checkpoints do not hold."""

    def __init__(self, example_ids: Any, logits_dimension: int) -> None:
        """Makes the table.

        Args:
          example_ids: Shape [batch], int64 or string.
          logits_dimension: How many logits there are.

        Raises:
          ValueError: The ids are of another type or rank.
        """
        self._example_ids = convert_to_tensor(example_ids)
        dtype = self._example_ids.dtype.base_dtype
        if dtype == dtypes.int64:
            unused: tuple[Any, Any] = (-(1 << 62), -(1 << 61))
        elif dtype == dtypes.string:
            unused = ("", "NEVER_USED_DELETED_KEY")
        else:
            raise ValueError(f"Unsupported example_id_feature dtype {dtype}.")
        if self._example_ids.shape.rank not in (None, 1):
            raise ValueError(f"example_id should have rank 1, but got {self._example_ids}")
        empty, deleted = (convert_to_tensor(key, dtype=dtype) for key in unused)
        # Floats: what is no logit is kept by its bits.
        self._table = single(
            "MutableDenseHashTableV2",
            empty,
            deleted,
            value_dtype=dtypes.float32,
            value_shape=[2 + logits_dimension],
        )
        self._logits_dimension = logits_dimension

    def lookup(self) -> tuple[Tensor, Tensor, Tensor]:
        """See `States`."""
        default = [0.0, float(NO_NODE), *[0.0] * self._logits_dimension]
        found = single("LookupTableFindV2", self._table, self._example_ids, default)
        trees, nodes, logits = split(found, [1, 1, self._logits_dimension], axis=1)
        ids = [squeeze(bitcast(each, dtypes.int32), axis=1) for each in (trees, nodes)]
        logits.set_shape([self._example_ids.shape.with_rank(1)[0], self._logits_dimension])
        return ids[0], ids[1], logits

    def insert(self, tree_ids: Tensor, node_ids: Tensor, logits: Tensor) -> Operation:
        """See `States`."""
        ids = [expand_dims(bitcast(each, dtypes.float32), 1) for each in (tree_ids, node_ids)]
        rows = concat([*ids, logits], axis=1, name="value_concat_for_cache_insert")
        made: Operation = apply_op("LookupTableInsertV2", self._table, self._example_ids, rows)
        return made


class VariableStates:
    """States of all examples, where each batch is all of them."""

    def __init__(self, batch_size: Any, logits_dimension: int) -> None:
        """Makes variables for so many examples."""
        trees = array_fill.zeros([batch_size], dtype=dtypes.int32)
        self._tree_ids = kept(trees, "tree_ids_cache")
        nodes: Any = array_fill.ones([batch_size], dtype=dtypes.int32)
        self._node_ids = kept(NO_NODE * nodes, "node_ids_cache")
        logits = array_fill.zeros([batch_size, logits_dimension], dtype=dtypes.float32)
        self._logits = kept(logits, "logits_cache")

    def lookup(self) -> tuple[Any, Any, Any]:
        """See `States`."""
        return self._tree_ids, self._node_ids, self._logits

    def insert(self, tree_ids: Tensor, node_ids: Tensor, logits: Tensor) -> Operation:
        """See `States`."""
        return group(
            self._tree_ids.assign(tree_ids),
            self._node_ids.assign(node_ids),
            self._logits.assign(logits),
            name="cache_insert",
        )


def first_states(batch_size: Any, logits_dimension: int) -> tuple[Tensor, Tensor, Tensor]:
    """As `States.lookup`, where nothing is kept."""
    nodes: Any = array_fill.ones([batch_size], dtype=dtypes.int32)
    return (
        array_fill.zeros([batch_size], dtype=dtypes.int32),
        NO_NODE * nodes,
        array_fill.zeros([batch_size, logits_dimension], dtype=dtypes.float32),
    )


def kept_features(
    features: Mapping[str, Any],
    columns: Sequence[Any],
    batch_size: Any,
    boundaries: Mapping[str, Sequence[Tensor]],
    are_boundaries_ready: Any,
) -> tuple[list[Tensor], Any]:
    """The features that columns are, from variables while there are no boundaries.

    Returns:
      The features, and what marks them as kept.
    """
    variables = [
        kept(array_fill.zeros([batch_size], dtype=dtypes.int32), f"cached_feature_{number}")
        for number in range(count_features(columns))
    ]
    are_kept = kept(False, "are_features_cached")
    categories = [column for column in columns if isinstance(column, IndicatorColumn)]
    others = [column for column in columns if not isinstance(column, IndicatorColumn)]
    # Tables of words must be in the graph itself, which initializes them.
    known = transformed(features, categories) if categories else {}

    def made() -> list[Tensor]:
        return as_features({**transformed(features, others), **known}, columns, boundaries)

    def made_and_kept() -> tuple[list[Any], Any]:
        values = [v.assign(each) for v, each in zip(variables, made(), strict=True)]
        with scopes.control_dependencies(values):
            return values, are_kept.assign(True)

    def from_variables() -> tuple[list[Any], Any]:
        return list(variables), no_op()

    found: tuple[list[Tensor], Any] = cond_v2(
        are_boundaries_ready,
        lambda: (made(), no_op()),
        lambda: cond_v2(are_kept, from_variables, made_and_kept),
    )
    return found
