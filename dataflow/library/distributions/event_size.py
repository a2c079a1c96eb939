"""How many classes a distribution over classes may have: so many as its numbers can count."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_shapes import assert_rank_at_least
from dataflow.library.check_values import assert_greater_equal, assert_less_equal
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.values import dtypes

_NO_DIMENSION = "A categorical-distribution parameter must have at least 1 dimension."
_ONE_CLASS = "A categorical-distribution parameter must have at least 2 events."


def largest_integer(dtype: Any) -> int:
    """The largest integer up to which an element type has all.

    Raises:
      TypeError: Of another type than numbers and truth values.
    """
    if dtype.is_floating:
        return int(2 ** (np.finfo(dtype.as_numpy_dtype).nmant + 1))
    if dtype.is_integer:
        return int(np.iinfo(dtype.as_numpy_dtype).max)
    if dtype.base_dtype == dtypes.bool:
        return 1
    raise TypeError(f"Unrecognized dtype: {dtype.name}")


def embed_check_categorical_event_shape(
    categorical_param: Any, name: str = "embed_check_categorical_event_shape"
) -> Tensor:
    """Logits or probabilities, checked to be of two classes at least and not of too many.

    Raises:
      ValueError: Building knows that they are not.
      TypeError: They are no floating point numbers.
    """
    with name_scope(name, values=[categorical_param]):
        x = convert_to_tensor(categorical_param, name="categorical_param")
        if not x.dtype.is_floating:
            text = f"Unable to validate size of unrecognized dtype ({x.dtype.name})."
            raise TypeError(text)
        most = largest_integer(x.dtype.base_dtype)
        if x.shape.rank == 0:
            raise ValueError(_NO_DIMENSION)
        size = None if x.shape.rank is None else x.shape.as_list()[-1]
        if size is None:
            last = array_shape.shape(x, name="x_shape")[-1]
            text = (
                "Number of classes exceeds `dtype` precision, i.e., "
                f"{x.dtype.name} dtype cannot exceed {most} shape."
            )
            checks = [
                assert_rank_at_least(x, 1, message=_NO_DIMENSION),
                assert_greater_equal(last, 2, message=_ONE_CLASS),
                assert_less_equal(last, most, message=text),
            ]
            checked: Tensor = with_dependencies(checks, x)
            return checked
        if size < 2:
            raise ValueError(_ONE_CLASS)
        if size > most:
            raise ValueError(
                "Number of classes exceeds `dtype` precision, i.e., "
                f"{x.dtype.name} implies shape ({size}) cannot exceed {most}."
            )
        return x
