"""Kernels that keep sparse tensors in dense ones, of strings or variants, and take them out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import OpError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.values import dtypes, tensor_proto
from dataflow.values.dtypes import DType

_PARTS: Final = ("sparse_indices", "sparse_values", "sparse_shape")
"""What a sparse tensor is made of; it stays in host memory."""


def _check(indices: Any, values: Any, shape: Any) -> None:
    if np.ndim(indices) != 2:
        raise invalid(
            f"Input indices should be a matrix but received shape {shape_text(np.shape(indices))}"
        )
    if np.ndim(values) != 1:
        raise invalid(
            f"Input values should be a vector but received shape {shape_text(np.shape(values))}"
        )
    if np.ndim(shape) != 1:
        raise invalid(
            f"Input shape should be a vector but received shape {shape_text(np.shape(shape))}"
        )
    if len(indices) != len(values) or indices.shape[1] != len(shape):
        raise invalid(
            f"The parts of a sparse tensor do not fit: indices {shape_text(np.shape(indices))}, "
            f"values {shape_text(np.shape(values))}, shape {shape_text(np.shape(shape))}"
        )


def _kept(node: KernelNode) -> Callable[[Any, Any, Any], list[Any]]:
    """Makes the three of the parts of a sparse tensor."""
    if node.attr("out_type") == dtypes.variant:
        return lambda *parts: list(parts)
    types = (dtypes.int64, node.attr("T"), dtypes.int64)

    def as_strings(*parts: Any) -> list[Any]:
        return [
            tensor_proto.make_tensor_proto(np.asarray(part), dtype=dtype).SerializeToString()
            for part, dtype in zip(parts, types, strict=True)
        ]

    return as_strings


@kernel("SerializeSparse", host_inputs=_PARTS)
def serialize_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    keep = _kept(node)

    def run(indices: Any, values: Any, shape: Any) -> Any:
        _check(indices, values, shape)
        kept = np.empty(3, object)
        for place, part in enumerate(keep(indices, values, shape)):
            kept[place] = part
        return kept

    return run


@kernel("SerializeManySparse", host_inputs=_PARTS)
def serialize_many_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    keep = _kept(node)

    def run(indices: Any, values: Any, shape: Any) -> Any:
        _check(indices, values, shape)
        if len(shape) < 2:
            raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
        count = int(shape[0])
        if not 0 <= count <= max(len(values), 1 << 24):
            raise invalid(f"A sparse tensor cannot be taken apart into {count} slices.")
        firsts = np.asarray(indices[:, 0])
        if (np.diff(firsts) < 0).any() or ((firsts < 0) | (firsts >= count)).any():
            raise invalid("indices of a sparse tensor that is taken apart must be in order")
        ends = np.searchsorted(firsts, np.arange(count + 1)).tolist()
        kept = np.empty((count, 3), object)
        rest = shape[1:]
        for row in range(count):
            low, high = ends[row], ends[row + 1]
            parts = keep(indices[low:high, 1:].copy(), values[low:high], rest)
            for place, part in enumerate(parts):
                kept[row, place] = part
        return kept

    return run


@kernel("DeserializeSparse", host_outputs=_PARTS)
def deserialize_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("dtype")
    from_strings = node.attr("Tserialized") == dtypes.string

    def run(serialized: Any) -> tuple[Any, Any, Any]:
        outer = np.shape(serialized)
        if not outer:
            raise invalid("Serialized sparse should have non-zero rank ")
        if outer[-1] != 3:
            raise invalid(
                f"Serialized sparse should have 3 as the last dimension {shape_text(outer)}"
            )
        rows = np.asarray(serialized, object).reshape(-1, 3)
        if not len(rows):
            raise invalid(
                "Serialized sparse should have at least 1 non-zero dimension size "
                f"{shape_text(outer)}"
            )
        parts = [_taken(row, dtype, from_strings) for row in rows]
        if len(outer) == 1:
            return parts[0]
        return _stacked(parts, outer[:-1])

    return run


def _taken(row: Any, dtype: DType, from_strings: bool) -> tuple[Any, Any, Any]:
    found = []
    for part, wanted in zip(row, (dtypes.int64, dtype, dtypes.int64), strict=True):
        value = _parsed(part) if from_strings else part
        if not isinstance(value, (np.ndarray, np.generic)):
            raise invalid("Could not get a tensor from a serialized sparse tensor.")
        kind = object if wanted == dtypes.string else wanted.as_numpy_dtype
        if value.dtype != np.dtype(kind):
            raise invalid(
                f"Requested SparseTensor of type {wanted.name} but SparseTensor has a part of type "
                f"{value.dtype}"
            )
        found.append(value)
    indices, values, shape = found
    _check(indices, values, shape)
    return indices, values, shape


def _parsed(part: Any) -> Any:
    message = TensorProto()
    try:
        message.ParseFromString(part)
        return tensor_proto.make_ndarray(message)
    except OpError:
        raise
    except Exception:
        raise invalid("Could not parse a tensor of a serialized sparse tensor.") from None


def _stacked(parts: Sequence[tuple[Any, Any, Any]], outer: tuple[int, ...]) -> tuple[Any, Any, Any]:
    rank = len(parts[0][2])
    largest = np.zeros(rank, np.int64)
    indices, values = [], []
    for place, (where, what, shape) in enumerate(parts):
        if len(shape) != rank:
            raise invalid(
                "Inconsistent shape across SparseTensors: rank prior to SparseTensor"
                f"[{place}] was: {rank} but rank of SparseTensor[{place}] is: {len(shape)}"
            )
        largest = np.maximum(largest, shape)
        first = np.array(np.unravel_index(place, outer), np.int64)
        indices.append(np.concatenate([np.tile(first, (len(where), 1)), where], axis=1))
        values.append(what)
    whole = np.concatenate([np.array(outer, np.int64), largest])
    return np.concatenate(indices), np.concatenate(values), whole
