"""tensorflow.python.keras.layers.local: which inputs a window of its own filter has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.keras import ops
from dataflow.porting.spellings.keras.connections import conv_kernel_mask


def get_locallyconnected_mask(
    input_shape: Sequence[int],
    kernel_shape: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str,
) -> Any:
    """Which inputs each window has: 1 or 0 for each pair, with axes of size 1 for the channels.

    Args:
      input_shape: Lengths of the input.
      kernel_shape: Lengths of a window.
      strides: Steps between windows.
      padding: "same" or "valid".
      data_format: "channels_first" or "channels_last".

    Raises:
      ValueError: The data format is another one.
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unrecognized data_format: {data_format}")
    mask = conv_kernel_mask(tuple(input_shape), tuple(kernel_shape), tuple(strides), padding)
    rank = len(input_shape)
    axes = (0, rank + 1) if data_format == "channels_first" else (rank, 2 * rank + 1)
    return np.expand_dims(mask, axes)


def make_2d(tensor: Any, split_dim: int) -> Any:
    """A matrix of a tensor: its dimensions before `split_dim` are rows, the others columns."""
    shape = ops.shape(tensor)
    rows, columns = ops.reduce_prod(shape[:split_dim]), ops.reduce_prod(shape[split_dim:])
    return ops.reshape(tensor, ops.stack([rows, columns]))
