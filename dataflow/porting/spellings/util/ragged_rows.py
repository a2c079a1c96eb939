"""tensorflow.python.ops.ragged.ragged_util: what functions of ragged tensors do with splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_equal
from dataflow.library.ragged.ranges import ragged_range
from dataflow.library.ragged.tensor import RaggedTensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.repeat import convert_to_int_tensor as convert_to_int_tensor
from dataflow.ops.array.repeat import repeat as repeat
from dataflow.ops.reductions.scan import cumsum
from dataflow.porting.spellings.ops.arrays import get_positive_axis as get_positive_axis
from dataflow.values import dtypes

_MISMATCH = "Inputs must have identical ragged splits"


def assert_splits_match(nested_splits_lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Operations that fail unless some ragged tensors have equal splits.

    Args:
      nested_splits_lists: The splits of each, from the outermost inwards.

    Raises:
      ValueError: They have not as many.
    """
    first, *others = nested_splits_lists
    if any(len(each) != len(first) for each in others):
        raise ValueError(_MISMATCH)
    return [
        assert_equal(expected, actual, message=_MISMATCH)
        for each in others
        for expected, actual in zip(first, each, strict=True)
    ]


def lengths_to_splits(lengths: Any) -> Tensor:
    """Where rows of these lengths begin and end."""
    return concat([[0], cumsum(lengths)], axis=-1)


def repeat_ranges(params: Any, splits: Any, repeats: Any) -> Tensor:
    """Each range of a tensor several times, before the next one.

    Args:
      params: The tensor.
      splits: Where its ranges begin and end.
      repeats: How often each comes: a number for all or for each.
    """
    splits, repeats = convert_to_tensor(splits), convert_to_tensor(repeats)
    starts, limits = (repeat(ends, repeats, axis=0) for ends in (splits[:-1], splits[1:]))
    return gather(params, ragged_range(starts, limits).flat_values)


def match_row_splits_dtypes(*tensors: Any, return_dtype: bool = False) -> Any:
    """Tensors whose splits have one type.

    Args:
      *tensors: Ragged ones, or others.
      return_dtype: Gives a pair of this type and the tensors.

    Raises:
      ValueError: The types differ.
    """
    types = {each.row_splits.dtype for each in tensors if isinstance(each, RaggedTensor)}
    if len(types) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    return (types.pop() if types else dtypes.int64, tensors) if return_dtype else tensors


def auto_cast_partition_dtype() -> bool:
    """Whether splits of different types become int64 by themselves."""
    return False
