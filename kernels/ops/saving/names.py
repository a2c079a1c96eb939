"""Kernels of names of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


def text(value: Any) -> bytes:
    """The bytes of a scalar string tensor."""
    return bytes(np.asarray(one(value), object).item())


def one(value: Any) -> Any:
    """A value that must be a scalar."""
    if np.ndim(value):
        raise invalid(f"A scalar is needed, not a tensor of shape {shape_text(np.shape(value))}")
    return value


def scalar(value: bytes) -> Any:
    """A string tensor of one element."""
    result = np.empty((), object)
    result[()] = value
    return result


@kernel(
    "ShardedFilename",
    host_inputs=("basename", "shard", "num_shards"),
    host_outputs=("filename",),
)
def sharded_filename(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda name, shard, shards: scalar(
        text(name) + f"-{int(one(shard)):05d}-of-{int(one(shards)):05d}".encode()
    )


@kernel("ShardedFilespec", host_inputs=("basename", "num_shards"), host_outputs=("filename",))
def sharded_filespec(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda name, shards: scalar(text(name) + f"-?????-of-{int(one(shards)):05d}".encode())


@kernel("StringJoin", host_inputs=("inputs",), host_outputs=("output",))
def string_join(node: KernelNode, xp: Any) -> Callable[..., Any]:
    separator = node.attr("separator")

    def run(*inputs: Any) -> Any:
        arrays = [np.asarray(value, object) for value in inputs]
        shape = next((array.shape for array in arrays if array.ndim), ())
        if any(array.ndim and array.shape != shape for array in arrays):
            raise invalid(
                "Input shapes do not match: "
                + " vs. ".join(shape_text(array.shape) for array in arrays)
            )
        result = np.empty(shape, object)
        parts = [np.broadcast_to(array, shape) for array in arrays]
        for place in np.ndindex(shape):
            result[place] = separator.join(part[place] for part in parts)
        return result

    return run
