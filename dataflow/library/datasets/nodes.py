"""Nodes that make datasets: what their inputs are called and what attrs say of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.graph import random_seed, scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import structures
from dataflow.library.datasets.functions import ElementFunction
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal, logical_and
from dataflow.values import dtypes

AUTOTUNE: Final = -1
INFINITE: Final = -1
UNKNOWN: Final = -2
SHARD_HINT: Final = -1


def number(value: Any, name: str, default: int | None = None) -> Tensor:
    """A scalar int64; a tensor may be an int32, as TensorFlow 1 has some."""
    given = default if value is None else value
    if isinstance(given, Tensor) and given.dtype == dtypes.int32:
        given = cast(given, dtypes.int64)
    return convert_to_tensor(given, dtype=dtypes.int64, name=name)


def flag(value: Any, name: str) -> Tensor:
    """A scalar bool."""
    return convert_to_tensor(value, dtype=dtypes.bool, name=name)


def text(value: Any, name: str, default: str = "") -> Tensor:
    """A tensor of strings."""
    given = default if value is None else value
    return convert_to_tensor(given, dtype=dtypes.string, name=name)


def seeds(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of an op, of which not both are 0 unless any will do."""
    first, second = random_seed.get_seed(seed)
    if first is None:
        first = 0
    first_tensor = convert_to_tensor(first, dtype=dtypes.int64, name="seed")
    if second is None:
        return first_tensor, convert_to_tensor(0, dtype=dtypes.int64, name="seed2")
    with scopes.name_scope("seed2") as scope:
        second_tensor = convert_to_tensor(second, dtype=dtypes.int64)
        both_zero = logical_and(equal(first_tensor, np.int64(0)), equal(second_tensor, np.int64(0)))
        greatest = convert_to_tensor(2**31 - 1, dtype=dtypes.int64)
        return first_tensor, where_v2(both_zero, greatest, second_tensor, name=scope)


def described(spec: Any, types: str = "output_types") -> dict[str, Any]:
    """The attrs that say what elements are."""
    return {types: structures.flat_types(spec), "output_shapes": structures.flat_shapes(spec)}


def dataset_node(op: str, spec: Any, *inputs: Any, name: str | None = None, **attrs: Any) -> Tensor:
    """Adds a node that makes a dataset; gives its variant.

    Args:
      op: The op type.
      spec: Describes the elements.
      *inputs: The node's inputs.
      name: Its name.
      **attrs: Further attrs.
    """
    made: Tensor = apply_op(op, *inputs, name=name, **described(spec), **attrs)
    return made


def captures(function: ElementFunction) -> Sequence[Tensor]:
    """What a function captures."""
    return list(function.captured)
