"""tensorflow.python.keras.utils.conv_utils and generic_utils: lengths, and names of layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.keras import backend
from dataflow.library.layers.naming import snake_case
from dataflow.porting.spellings import lengths
from dataflow.porting.spellings.lengths import conv_input_length as conv_input_length
from dataflow.porting.spellings.lengths import convert_data_format as convert_data_format
from dataflow.porting.spellings.lengths import normalize_tuple as normalize_tuple

to_snake_case = snake_case


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """How long a convolution's output is, or None if its input's length is not known."""
    # What is padded before the first element only makes outputs as long as on both sides.
    padding = "same" if padding == "causal" else padding
    return lengths.conv_output_length(input_length, filter_size, padding, stride, dilation)


def deconv_output_length(
    input_length: int | None,
    filter_size: int,
    padding: str,
    output_padding: int | None = None,
    stride: int = 0,
    dilation: int = 1,
) -> int | None:
    """How long a transposed convolution's output is, or None if its input's is not known.

    Args:
      input_length: The input's length.
      filter_size: The filter's.
      padding: "same", "valid" or "full".
      output_padding: What is added at one side; None for the shortest output that has the input.
      stride: The stride.
      dilation: The distance of the filter's elements.
    """
    if input_length is None:
        return None
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    if output_padding is None:
        return lengths.deconv_output_length(input_length, reach, padding, stride)
    pad = {"same": reach // 2, "valid": 0, "full": reach - 1}[padding]
    return (input_length - 1) * stride + reach - 2 * pad + output_padding


def normalize_data_format(value: str | None) -> str:
    """In small letters; that of Keras if it is None.

    Raises:
      ValueError: If it is neither of the two that there are.
    """
    return lengths.normalize_data_format(backend.image_data_format() if value is None else value)


def normalize_padding(value: Any) -> Any:
    """In small letters; lists as they are.

    Raises:
      ValueError: If it is none that there is.
    """
    if isinstance(value, list | tuple):
        return value
    padding = value.lower()
    if padding not in ("valid", "same", "causal"):
        raise ValueError(
            "The `padding` argument must be a list/tuple or one of "
            '"valid", "same" (or "causal", only for `Conv1D). Received: ' + str(padding)
        )
    return padding


def convert_kernel(kernel: Any) -> Any:
    """A filter of Theano's, which turns its own round.

    Raises:
      ValueError: It is none of one to three dimensions.
    """
    kernel = np.asarray(kernel)
    if not 3 <= kernel.ndim <= 5:
        raise ValueError("Invalid kernel shape:", kernel.shape)
    return np.flip(kernel, tuple(range(kernel.ndim - 2)))
