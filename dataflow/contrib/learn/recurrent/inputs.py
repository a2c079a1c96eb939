"""What nets over sequences take: features side by side, and states by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.contrib.layers.columns.sequences import sequence_input_from_feature_columns
from dataflow.contrib.layers.feature_column_ops import input_from_feature_columns
from dataflow.contrib.learn.recurrent.cells import RNNKeys
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.library.check_types import assert_rank, assert_type
from dataflow.library.check_values import assert_equal
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import expand_dims, shape
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes, nest


def build_sequence_input(
    features: Mapping[str, Any],
    sequence_feature_columns: Any,
    context_feature_columns: Any,
    weight_collections: Any = None,
    scope: Any = None,
) -> Any:
    """The numbers of each step.

    Args:
      features: Tensors by name.
      sequence_feature_columns: Columns of steps.
      context_feature_columns: Columns of whole sequences, which each step has; None for none.
      weight_collections: Where variables are put.
      scope: The scope of the variables.

    Returns:
      float32, [batch, steps, size].

    Raises:
      ValueError: The columns give another rank.
    """
    steps = sequence_input_from_feature_columns(
        dict(features), sequence_feature_columns, weight_collections, scope=scope
    )
    if context_feature_columns is None:
        return steps
    whole = input_from_feature_columns(
        dict(features), context_feature_columns, weight_collections, scope=scope
    )
    checks = []
    for name, given, rank in (("sequence_input", steps, 3), ("context_input", whole, 2)):
        ranks = f"{name} must have rank {rank}"
        checks.append(assert_rank(given, rank, message=ranks, data=[shape(given)]))
        types = f"{name} must have dtype float32; got {given.dtype}."
        checks.append(assert_type(given, dtypes.float32, message=types))
    with control_dependencies(checks):
        length: Any = shape(steps)[1]
        repeated = tile(expand_dims(whole, 1), concat([[1], [length], [1]], 0))
    return concat([steps, repeated], 2)


def state_tuple_to_dict(state: Any) -> dict[str, Any]:
    """The tensors of a state, by "rnn_cell_state_" and their place in it."""
    with name_scope("state_tuple_to_dict"):
        found = {}
        for place, each in enumerate(nest.flatten(state)):
            name = _name(place)
            found[name] = None if each is None else identity(each, name=name)
        return found


def dict_to_state_tuple(input_dict: Mapping[str, Any], cell: Any) -> Any:
    """The state of a cell from tensors by name; None if none is there.

    Raises:
      ValueError: Some are there and some are not.
    """
    sizes = nest.flatten(cell.state_size)
    found = []
    with name_scope("dict_to_state_tuple"):
        for place, size in enumerate(sizes):
            name = _name(place)
            given = input_dict.get(name)
            if given is None:
                continue
            checks = [
                assert_rank(given, 2, name=f"check_state_{place}_rank"),
                assert_equal(shape(given)[1], size, name=f"check_state_{place}_shape"),
            ]
            with control_dependencies(checks):
                found.append(identity(given, name=name))
        if not found:
            return None
        if len(found) != len(sizes):
            raise ValueError(
                f"RNN state was partially specified.Expected zero or {len(sizes)} state Tensors; "
                f"got {len(found)}"
            )
        return nest.pack_sequence_as(cell.state_size, found)


def _name(place: int) -> str:
    return f"{RNNKeys.STATE_PREFIX}_{place}"
