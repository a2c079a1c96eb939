"""Kernels of servers that put requests together: each request is a batch of its own."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel


@kernel("Batch", device="CPU")
def batch(node: KernelNode, xp: Any) -> Callable[..., Any]:
    most, allowed = node.attr("max_batch_size"), node.attr("allowed_batch_sizes")
    if any(a >= b for a, b in itertools.pairwise(allowed)):
        raise invalid("allowed_batch_sizes entries must be monotonically increasing")
    if allowed and allowed[-1] != most:
        raise invalid("final entry in allowed_batch_sizes must equal max_batch_size")

    def run(*tensors: Any) -> Any:
        if not all(map(np.ndim, tensors)):
            raise invalid("Batching input tensors must have at least one dimension")
        sizes = {len(tensor) for tensor in tensors}
        if len(sizes) != 1:
            raise invalid(
                "Batching input tensors supplied in a given op invocation must have equal "
                "0th-dimension size"
            )
        (size,) = sizes
        if size > most:
            raise invalid(f"Task size {size} is larger than maximum input batch size {most}")
        missing = next((each for each in allowed if each >= size), size) - size
        if missing and size:
            tensors = tuple(
                np.concatenate([tensor, np.repeat(tensor[:1], missing, axis=0)])
                for tensor in tensors
            )
        number = np.int64(secrets.randbits(63))
        return *tensors, np.array([[number, 0, size]], np.int64), number

    return run


def _rows_of(batch_index: Any, number: Any, count: int) -> tuple[int, int]:
    """Where a request's rows begin and end, of so many."""
    index = np.asarray(batch_index)
    if index.ndim != 2 or index.shape[1] != 3:
        raise invalid(f"batch_index must be a matrix of 3 columns, got shape {list(index.shape)}")
    if np.ndim(number):
        raise invalid("id must be a scalar")
    for own, start, end in index.tolist():
        if own == int(number):
            if not 0 <= start <= end <= count:
                raise invalid(f"Rows {start} to {end} are no rows of a batch of {count}")
            return start, end
    raise invalid("The request is none of those in the batch: each makes a batch of its own here")


@kernel("Unbatch", device="CPU")
def unbatch(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(tensor: Any, batch_index: Any, number: Any) -> Any:
        if not np.ndim(tensor):
            raise invalid("batched_tensor must have at least one dimension")
        start, end = _rows_of(batch_index, number, len(tensor))
        return tensor[start:end]

    return run


@kernel("UnbatchGrad", device="CPU")
def unbatch_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(original: Any, batch_index: Any, grad: Any, number: Any) -> Any:
        if not np.ndim(original) or not np.ndim(grad):
            raise invalid("original_input and grad must have at least one dimension")
        start, end = _rows_of(batch_index, number, len(original))
        if len(grad) != end - start:
            raise invalid(f"grad has {len(grad)} rows, and the request has {end - start}")
        return grad

    return run
