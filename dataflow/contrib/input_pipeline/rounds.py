"""Strings of a list, one after the other, round and round."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import colocate_with, control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.gather import gather
from dataflow.ops.array.shape import reshape, size
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.math.compare import equal
from dataflow.ops.math.division import floormod
from dataflow.ops.state.reference import assign_add, assign_sub, count_up_to
from dataflow.values import dtypes
from dataflow.variables.scope import get_variable, variable_scope


def obtain_next(string_list_tensor: Any, counter: Any) -> Tensor:
    """The string after the one that was given last.

    Args:
      string_list_tensor: Strings, of rank 1.
      counter: An int64 variable, scalar: where the last one stands, -1 before the first.

    Returns:
      A string, scalar.

    Raises:
      ValueError: The strings have another rank.
    """
    with name_scope(None, "ObtainNext", [string_list_tensor, counter]):
        strings = convert_to_tensor(string_list_tensor, dtypes.string)
        strings.shape.assert_has_rank(1)
        count = size(strings, out_type=dtypes.int64)
        turn = assign_add(counter, constant(1, dtypes.int64), use_locking=True)
        # Who begins a round takes it off the counter: others may have gone on by then, so that what
        # they have added must stay.
        done = count * cast(equal(turn, count), dtypes.int64)
        with control_dependencies([assign_sub(counter, done, use_locking=True)]):
            return reshape(gather(strings, floormod(turn, count)), [])


def seek_next(
    string_list: Sequence[str],
    shuffle: bool = False,
    seed: int | None = None,
    num_epochs: int | None = None,
) -> Tensor:
    """The next of some strings, which global variables below "obtain_next" keep count of.

    Args:
      string_list: The strings.
      shuffle: Whether each round has an order of its own.
      seed: Of these orders.
      num_epochs: How many rounds there are; without an end if None. After the last one there is an
        OutOfRangeError.

    Returns:
      A string, scalar.
    """
    expanded = _rounds(list(string_list), shuffle, seed, num_epochs)
    with variable_scope("obtain_next"):
        counter = _state("obtain_next_counter", constant(-1, dtypes.int64))
        with colocate_with(counter):
            strings = _state("obtain_next_expanded_list", constant(expanded))
        if not num_epochs:
            return obtain_next(strings, counter)
        so_far = _state("obtain_next_filename_counter", constant(0, dtypes.int64))
        with control_dependencies([count_up_to(so_far, len(expanded))]):
            return obtain_next(strings, counter)


def _rounds(strings: list[str], shuffle: bool, seed: int | None, num_epochs: Any) -> list[str]:
    draws = random.Random(seed) if seed else random
    found = []
    for _ in range(num_epochs or 1):
        if shuffle:
            draws.shuffle(strings)
        found.extend(strings)
    return found


def _state(name: str, initial: Tensor) -> Any:
    return get_variable(name, initializer=initial, dtype=initial.dtype, trainable=False)
