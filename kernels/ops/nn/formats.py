"""Kernels that carry axes and sizes from one data format to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


def _formats(node: KernelNode) -> tuple[str, str]:
    """The format that is left, and the one that is wanted.

    Raises:
      InvalidArgumentError: They are not the same axes in another order.
    """
    source, wanted = (node.attr(name).decode("latin-1") for name in ("src_format", "dst_format"))
    for which, name, value in (
        ("Source", "src_format", source),
        ("Destination", "dst_format", wanted),
    ):
        if len(value) not in (4, 5):
            raise invalid(f"{which} format must be of length 4 or 5, received {name} = {value}")
    if sorted(source) != sorted(wanted) or len(set(source)) < len(source):
        raise invalid(
            f"Destination and source format must determine a permutation, got {source} and {wanted}"
        )
    return source, wanted


@kernel("DataFormatDimMap", host_inputs=("x",), host_outputs=("y",))
def dim_map(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source, wanted = _formats(node)
    places = np.array([wanted.index(axis) for axis in source], node.attr("T").as_numpy_dtype)
    return lambda x: places[x % len(source)]


@kernel("DataFormatVecPermute", host_inputs=("x",), host_outputs=("y",))
def permute(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source, wanted = _formats(node)
    whole = [source.index(axis) for axis in wanted]
    spatial = [axis for axis in source if axis not in "NC"]
    inner = [spatial.index(axis) for axis in wanted if axis not in "NC"]

    def run(x: Any) -> Any:
        rank, shape = x.ndim, shape_text(x.shape)
        if rank not in (1, 2):
            raise invalid(f"input must be a vector or 2D tensor, but got shape {shape}")
        full = len(source)
        if x.shape[0] not in (full, full - 2):
            what = "1D input" if rank == 1 else "First dimension of 2D input"
            raise invalid(f"{what} must be of size {full - 2} or {full}, but got shape {shape}")
        if rank == 2 and x.shape[1] != 2:
            raise invalid(f"Second dimension of 2D input must be of size 2, but got shape {shape}")
        order = whole if x.shape[0] == full else inner
        if len(order) != x.shape[0]:
            raise invalid(f"Formats without N and C have no sizes of space: {source}")
        return x[order]

    return run
