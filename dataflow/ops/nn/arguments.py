"""Arguments of functions that slide a window: sizes, strides, rates and padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.values.shapes import TensorShape

CHANNELS_LAST_FORMATS = frozenset(
    {"NWC", "NHC", "NHWC", "NWHC", "NDHWC", "NDWHC", "NHDWC", "NHWDC", "NWDHC", "NWHDC"}
)


_NO_PAIR: Final = "is not a list/tuple"


def per_dimension(value: Any, rank: int, channel_index: int, name: str) -> list[Any]:
    """One number for each dimension, from one, one a spatial dimension, or all of them.

    Args:
      value: A number or a sequence of 1, `rank` or `rank + 2` numbers; None for ones.
      rank: Number of spatial dimensions.
      channel_index: Position of the channels: 1 if they go before the spatial dimensions.
      name: What the numbers are called in the error.

    Raises:
      ValueError: The sequence has another length.
    """
    if value is None:
        return [1] * (rank + 2)
    values: list[Any] = list(value) if hasattr(value, "__len__") else [value]
    if len(values) == rank + 2:
        return values
    if len(values) == 1:
        values = values * rank
    elif len(values) != rank:
        raise ValueError(
            f"{name} should be of length 1, {rank} or {rank + 2} but was {len(values)}"
        )
    return [1, 1, *values] if channel_index == 1 else [1, *values, 1]


def channel_index_of(data_format: str, rank: int) -> int:
    """Position of the channels in a data format of `rank` spatial dimensions."""
    return 1 if data_format.startswith("NC") else rank + 1


def split_padding(padding: Any, expected_length: int = 4) -> tuple[Any, list[int]]:
    """The name of the padding and the explicit numbers, which a list of pairs stands for.

    Raises:
      ValueError: A list is not one of `expected_length` pairs, or "EXPLICIT" came without one.
    """
    if isinstance(padding, str) and padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` "
            "must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    explicit: list[int] = []
    for i, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            what = f"has size {len(pair)}" if isinstance(pair, (list, tuple)) else _NO_PAIR
            raise ValueError(
                "When padding is a list, each element of padding must be a list/tuple of size 2. "
                f"Element with index {i} of padding {what}"
            )
        explicit.extend(pair)
    if len(padding) != expected_length:
        raise ValueError(
            f"When padding is a list, it must be of size {expected_length}. Got padding of size: "
            f"{len(padding)}"
        )
    return "EXPLICIT", explicit


def static_rank(value: Any) -> int | None:
    """The rank of a tensor or array, None if it is not known."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, TensorShape):
        return shape.rank
    return None if shape is None else len(shape)


def over_batch_dims(
    value: Any, function: Callable[[Any], Tensor], inner_rank: int, name: str | None
) -> Tensor:
    """A function of tensors with one batch dimension, for one with several.

    Args:
      value: Tensor whose last `inner_rank` dimensions the function works on.
      function: Takes and gives a tensor of `inner_rank + 1` dimensions.
      inner_rank: Number of dimensions behind those of the batch.
      name: Name of the scope.
    """
    with name_scope(name, "squeeze_batch_dims", [value]):
        tensor = convert_to_tensor(value, name="input")
        static = tensor.shape
        inner: Any = static[-inner_rank:]
        if not inner.is_fully_defined():
            inner = _shape(tensor)[-inner_rank:]
        batch: Any = static[:-inner_rank]
        if not batch.is_fully_defined():
            batch = _shape(tensor)[:-inner_rank]
        if isinstance(inner, TensorShape):
            flat = array_shape.reshape(tensor, [-1, *inner.as_list()])
        else:
            flat = array_shape.reshape(tensor, array_concat.concat(([-1], inner), axis=-1))
        result = function(flat)
        out_inner: Any = result.shape[-inner_rank:]
        if not out_inner.is_fully_defined():
            out_inner = _shape(result)[-inner_rank:]
        output = array_shape.reshape(result, array_concat.concat((batch, out_inner), axis=-1))
        output.set_shape(static[:-inner_rank].concatenate(output.shape[-inner_rank:]))
        return output


def _shape(tensor: Tensor) -> Any:
    return array_shape.shape(tensor)
