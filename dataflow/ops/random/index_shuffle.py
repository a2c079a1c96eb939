"""Where an index lies in a permutation that is never made as a whole."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.pad import pad
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, UNKNOWN, with_rank_at_least, with_rank_at_most
from dataflow.values.shapes import TensorShape

_INTEGERS: Final = "{int32, uint32, int64, uint64}"
_FIRST_SEED: Final = 498247692
"""Stands before the two seeds of the public function; the op wants three."""


def _places(c: InferenceContext) -> TensorShape:
    index = with_rank_at_most(c.input(0), 1).dims_tuple
    seed = with_rank_at_most(with_rank_at_least(c.input(1), 1), 2).dims_tuple
    max_index = with_rank_at_most(c.input(2), 1).dims_tuple
    # TensorFlow refuses a size of a seed that is not known, too; the kernel looks at it.
    if seed is not None and seed[-1] not in (None, 3):
        text = ", ".join("-1" if dim is None else str(dim) for dim in seed)
        raise ValueError(f"Seed must have shape [3] or [n, 3] but got [{text}].")
    has_one_seed = seed is not None and len(seed) == 1
    if index == () and has_one_seed and max_index == ():
        return SCALAR
    if not index and not max_index and (seed is None or has_one_seed):
        return UNKNOWN
    size = index[0] if index else None
    if seed is not None and len(seed) == 2:
        rows = seed[0]
        if _differ(size, rows):
            raise ValueError(
                f"Seed has shape [{rows}, 3] but must have shape [{size}, 3]. since index had "
                f"shape [{size}]."
            )
        size = rows if size is None else size
    if max_index:
        ends = max_index[0]
        if _differ(size, ends):
            raise ValueError(f"Max index has shape [{ends}] but must have shape [{size}].")
        size = ends if size is None else size
    return TensorShape.of((size,))


def _differ(size: int | None, other: int | None) -> bool:
    """Whether two sizes are known, and neither is 1, which the kernel looks at."""
    return size is not None and other is not None and size > 1 and other > 1 and size != other


define_op(
    "RandomIndexShuffle",
    inputs="index: dtype, seed: Tseed, max_index: dtype",
    outputs="output: dtype",
    attrs=["rounds: int = 4", f"dtype: {_INTEGERS}", f"Tseed: {_INTEGERS}"],
    shape=_places,
    gradient=MISSING_GRADIENT,
    doc="The places of indices in a permutation of 0 to max_index, by the cipher Simon.",
)


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """Where indices lie in a random permutation of 0 to `max_index`, which is not made for that.

    Args:
      index: Integers, a scalar or a vector.
      seed: Two integers, or two for each index, of shape [n, 2]: each choice is a permutation.
      max_index: The greatest index, of the type of `index`: one for all, or one for each.

    Returns:
      The places, of the type of `index`; a scalar if nothing is a vector.

    Raises:
      InvalidArgumentError: At run time: an index is negative or beyond `max_index`.
    """
    seeds = convert_to_tensor(seed)
    rank = 1 if seeds.shape.rank is None else seeds.shape.rank
    seeds = pad(seeds, [[0, 0]] * (rank - 1) + [[1, 0]], constant_values=_FIRST_SEED)
    return random_index_shuffle(index, seeds, max_index)


def random_index_shuffle(
    index: Any, seed: Any, max_index: Any, rounds: int = 4, name: str | None = None
) -> Tensor:
    """Where indices lie in a random permutation of 0 to `max_index`.

    Args:
      index: Integers, a scalar or a vector.
      seed: Three integers, or three for each index, of shape [n, 3].
      max_index: The greatest index: one for all, or one for each.
      rounds: How often the numbers are mixed; even, at least 4.
      name: Name of the operation.

    Returns:
      The places, of the type of `index`.

    Raises:
      InvalidArgumentError: At run time: an index is negative or beyond `max_index`.
    """
    return single("RandomIndexShuffle", index, seed, max_index, rounds=rounds, name=name)
