"""tensorflow.python.ops.nn_ops.Convolution, which Keras' and other layers keep between calls."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.nn.convolution import convolution
from dataflow.values.shapes import TensorShape, as_shape


class Convolution:
    """A convolution whose options are told once.

    Args:
      input_shape: Static shape of the inputs: `[batch, *spatial, channels]`, or channels first.
      filter_shape: That of the filters: `[*taps, in channels, out channels]`.
      padding: As `tf.nn.convolution` has it, and so `strides`, `dilation_rate`, `name`
        and `data_format`.

    Raises:
      ValueError: Neither rank is known, the ranks differ, or so do the channels.
    """

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: Any,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        self.input_shape, self.filter_shape = as_shape(input_shape), as_shape(filter_shape)
        _check(self.input_shape, self.filter_shape, data_format)
        self.padding, self.strides, self.dilation_rate = padding, strides, dilation_rate
        self.name, self.data_format = name, data_format

    def __call__(self, inp: Any, filter: Any) -> Tensor:
        """Convolves inputs and filters of the shapes that were told."""
        return convolution(
            inp,
            filter,
            self.padding,
            self.strides,
            self.dilation_rate,
            self.name,
            self.data_format,
        )


def _check(inputs: TensorShape, filters: TensorShape, data_format: str | None) -> None:
    rank = filters.rank if filters.rank is not None else inputs.rank
    if rank is None:
        raise ValueError("rank of input or filter must be known")
    for what, shape in (("input", inputs), ("filter", filters)):
        if shape.rank not in (None, rank):
            raise ValueError(f"{what} tensor must have rank {rank}")
    if inputs.dims is None or filters.dims is None:
        return
    last = data_format is None or not data_format.startswith("NC")
    channels, taken = inputs.dims[rank - 1 if last else 1], filters.dims[rank - 2]
    if not channels.is_compatible_with(taken):
        raise ValueError(
            "number of input channels does not match corresponding dimension of filter, "
            f"{channels} != {taken}"
        )
