"""Kernels that sort entries into several tensors, and put them together again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.element_types import ANY
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes


@kernel("DynamicStitch", "ParallelDynamicStitch", dtypes={"T": ANY}, host_inputs=("indices",))
def stitch(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count: int = node.attr("N")
    dtype = node.output_dtypes[0]

    def run(*inputs: Any) -> Any:
        indices, data = inputs[:count], inputs[count:]
        extra = data[0].shape[indices[0].ndim :]
        rows = 0
        for i, (places, values) in enumerate(zip(indices, data, strict=True)):
            _check_start(i, places, values)
            if values.shape[places.ndim :] != extra:
                raise invalid(
                    f"Need data[0].shape[{indices[0].ndim}:] = data[{i}].shape[{places.ndim}:], "
                    f"got data[0].shape = {shape_text(data[0].shape)}, data[{i}].shape = "
                    f"{shape_text(values.shape)}, indices[0].shape = "
                    f"{shape_text(indices[0].shape)}, indices[{i}].shape = "
                    f"{shape_text(places.shape)}"
                )
            if places.size:
                if places.min() < 0:
                    bad = int((places.reshape(-1) < 0).argmax())
                    raise invalid(f"indices[{bad}] is out of range")
                rows = max(rows, int(places.max()) + 1)
        if dtype == dtypes.string:
            merged: Any = np.full((rows, *extra), b"", object)
        else:
            merged = xp.zeros((rows, *extra), dtype.as_numpy_dtype)
        for places, values in zip(indices, data, strict=True):
            merged[xp.asarray(places.reshape(-1))] = values.reshape((places.size, *extra))
        return merged

    return run


def _check_start(i: int, places: Any, values: Any) -> None:
    if values.shape[: places.ndim] != places.shape:
        raise invalid(
            f"data[{i}].shape = {shape_text(values.shape)} does not start with indices[{i}].shape "
            f"= {shape_text(places.shape)}"
        )


@kernel("DynamicPartition", dtypes={"T": (*ANY, dtypes.variant)}, host_inputs=("partitions",))
def partition(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count: int = node.attr("num_partitions")

    def run(data: Any, partitions: Any) -> Any:
        if data.shape[: partitions.ndim] != partitions.shape:
            raise invalid(
                "data.shape must start with partitions.shape, got data.shape = "
                f"{shape_text(data.shape)}, partitions.shape = {shape_text(partitions.shape)}"
            )
        outside = (partitions < 0) | (partitions >= count)
        if outside.any():
            bad = np.unravel_index(int(outside.argmax()), partitions.shape)
            place = shape_text(map(int, bad)) if bad else ""
            raise invalid(f"partitions{place} = {partitions[bad]} is not in [0, {count})")
        flat = partitions.reshape(-1)
        rows = data.reshape((flat.size, *data.shape[partitions.ndim :]))
        return tuple(rows[xp.asarray(np.flatnonzero(flat == i))] for i in range(count))

    return run
