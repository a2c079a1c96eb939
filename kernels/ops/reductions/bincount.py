"""Kernels that count integers, and values by interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel("Bincount", device="CPU")
def bincount(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(arr: Any, size: Any, weights: Any) -> Any:
        length = _checked_size(size)
        if weights.size and weights.size != arr.size:
            raise invalid("Input indices and weights must have the same size.")
        return _counts(arr.reshape(1, -1), length, weights, False, dtype)[0]

    return run


@kernel("DenseBincount", device="CPU")
def dense_bincount(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    binary = node.attr("binary_output")

    def run(values: Any, size: Any, weights: Any) -> Any:
        length = _checked_size(size)
        if values.ndim > 2:
            raise invalid(f"Shape must be at most rank 2 but is rank {values.ndim}")
        if weights.size and weights.shape != values.shape:
            raise invalid(
                "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case "
                f"it acts as all weights equal to 1. Received {shape_text(weights.shape)}"
            )
        if values.ndim == 2:
            return _counts(values, length, weights, binary, dtype)
        return _counts(values.reshape(1, -1), length, weights, binary, dtype)[0]

    return run


def _checked_size(size: Any) -> int:
    if size.ndim:
        raise invalid(f"Shape must be rank 0 but is rank {size.ndim}")
    if size < 0:
        raise invalid(f"size ({size}) must be non-negative")
    return int(size)


def _counts(rows: Any, length: int, weights: Any, binary: bool, dtype: Any) -> Any:
    """For each row the number, or weight, of each integer below `length`."""
    if rows.size and rows.min() < 0:
        raise invalid("Input arr must be non-negative!")
    if len(rows) == 1 and not binary and not weights.size:
        (values,) = rows
        if values.size and values.max() >= length:
            values = values[values < length]
        return np.bincount(values, minlength=length).astype(dtype, copy=False)[None]
    counted = rows < length
    row_of, _ = np.nonzero(counted)
    places = row_of * length + rows[counted]
    total = rows.shape[0] * length
    flat: Any
    if binary:
        flat = np.bincount(places, minlength=total) > 0
    elif weights.size:
        # By hand, as numpy's bincount adds weights up in float64 only.
        flat = np.zeros(total, dtype)
        np.add.at(flat, places, weights.reshape(rows.shape)[counted])
    else:
        flat = np.bincount(places, minlength=total)
    return flat.reshape(rows.shape[0], length).astype(dtype, copy=False)


@kernel("Bucketize")
def bucketize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    boundaries = np.asarray(node.attr("boundaries"), dtype=np.float32)
    if (boundaries[1:] < boundaries[:-1]).any():
        raise invalid("Expected sorted boundaries")
    on_device = xp.asarray(boundaries)
    return lambda x: xp.searchsorted(on_device, x, side="right").astype(np.int32)


@kernel("HistogramFixedWidth", host_inputs=("value_range", "nbins"))
def histogram(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(values: Any, value_range: Any, nbins: Any) -> Any:
        if value_range.shape != (2,):
            raise invalid("value_range should be a vector of 2 elements.")
        if nbins.ndim:
            raise invalid("nbins should be a scalar.")
        if nbins <= 0:
            raise invalid(f"nbins should be a positive number, but got '{nbins}'")
        low, high = value_range.tolist()
        if not low < high:
            raise invalid(
                "value_range should satisfy value_range[0] < value_range[1], but got "
                f"'[{value_range[0]:g}, {value_range[1]:g}]'"
            )
        if values.dtype.kind not in "iu" and xp.isnan(values).any():
            raise invalid("Histogram values must not contain NaN")
        step = (high - low) / int(nbins)
        places = (xp.clip(values.reshape(-1), low, high).astype(np.float64) - low) / step
        places = xp.minimum(places.astype(np.int64), int(nbins) - 1)
        return xp.bincount(places, minlength=int(nbins)).astype(dtype)

    return run
