"""Distributions whose batch shape is what their parameters broadcast to."""

from __future__ import annotations

import functools
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_positive
from dataflow.library.distributions.base import Distribution
from dataflow.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def positive(
    value: Any,
    name: str,
    validate_args: bool,
    dtype: Any = None,
    message: str | None = None,
) -> Tensor:
    """A parameter as a tensor that, if that is asked for, the step finds positive.

    Raises:
      TypeError: It is of no floating type.
    """
    tensor: Any = convert_to_tensor(value, dtype=dtype, name=name)
    if not validate_args:
        return tensor  # type: ignore[no-any-return]
    checked: Tensor = with_dependencies([assert_positive(tensor, message=message)], tensor)
    return checked


def check_same_type(*tensors: Any) -> None:
    """Refuses tensors of several types."""
    for tensor in tensors[1:]:
        if tensor.dtype.base_dtype != tensors[0].dtype.base_dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {tensors[0].dtype.name} for Tensor with dtype "
                f"{tensor.dtype.name}: {tensor}"
            )


class Broadcast(Distribution):
    """Of numbers, one for each element of what the parameters broadcast to."""

    def _arguments(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _batch_shape(self) -> Any:
        return functools.reduce(broadcast_static_shape, (each.shape for each in self._arguments()))

    def _batch_shape_tensor(self) -> Tensor:
        return functools.reduce(
            broadcast_dynamic_shape, (array_shape.shape(each) for each in self._arguments())
        )

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _event_shape_tensor(self) -> Tensor:
        return constant([], dtype=dtypes.int32)

    def _draws(self, n: Any) -> Tensor:
        """The shape of n draws."""
        return array_concat.concat([[n], self.batch_shape_tensor()], 0)
