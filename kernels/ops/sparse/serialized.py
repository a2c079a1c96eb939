"""Kernels of sparse tensors as strings, or as variants that hold their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.optional import TENSOR, Optional
from dataflow.kernels.parsing.tensors import read_tensor, write_tensor
from dataflow.kernels.parsing.wire import MalformedError
from dataflow.kernels.sparse.coordinates import sizes_of
from dataflow.kernels.sparse.rows import Parts, check_ranks, rows_of, side_by_side
from dataflow.values import dtypes

_Part = tuple[dtypes.DType, Any]
_Read = Callable[[Any], _Part]
_INPUTS = ("sparse_indices", "sparse_values", "sparse_shape")


@kernel("SerializeSparse", host_inputs=_INPUTS, host_outputs=("serialized_sparse",))
def serialize_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    write = _writer(node)

    def run(*parts: Any) -> Any:
        check_ranks(*parts)
        return write([parts])[0]

    return run


@kernel("SerializeManySparse", host_inputs=_INPUTS, host_outputs=("serialized_sparse",))
def serialize_many_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    write = _writer(node)
    return lambda *parts: write(rows_of(*parts))


def _writer(node: KernelNode) -> Callable[[Sequence[Any]], Any]:
    """Makes a matrix, with a row for each sparse tensor, of strings or of variants."""
    kinds = (dtypes.int64, node.attr("T"), dtypes.int64)
    is_variant = node.attr("out_type") is dtypes.variant

    def one(part: Any, kind: dtypes.DType) -> Any:
        if is_variant:
            return Optional((np.array(part),), (kind,), TENSOR)
        return write_tensor(part, kind, packs_strings=True)

    def write(rows: Sequence[Any]) -> Any:
        made = np.empty((len(rows), 3), object)
        for place, parts in enumerate(rows):
            made[place] = [one(part, kind) for part, kind in zip(parts, kinds, strict=True)]
        return made

    return write


@kernel("DeserializeSparse", host_inputs=("serialized_sparse",), host_outputs=_INPUTS)
def deserialize_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _reader(node, _held if node.attr("Tserialized") is dtypes.variant else _parsed)


@kernel("DeserializeManySparse", host_inputs=("serialized_sparse",), host_outputs=_INPUTS)
def deserialize_many_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _reader(node, _parsed)


def _reader(node: KernelNode, read: _Read) -> Callable[..., Any]:
    dtype = node.attr("dtype")

    def run(serialized: Any) -> Any:
        strings = np.asarray(serialized, object)
        shown = shape_text(strings.shape)
        if not strings.ndim:
            raise invalid(f"Serialized sparse should have non-zero rank {shown}")
        if strings.shape[-1] != 3:
            raise invalid(f"Serialized sparse should have 3 as the last dimension {shown}")
        if not strings.size:
            raise invalid(
                "Serialized sparse should have at least 1 serialized tensor, but has a zero "
                f"dimension {shown}"
            )
        tensors = [
            _tensor([read(part) for part in row], dtype, place)
            for place, row in enumerate(strings.reshape(-1, 3).tolist())
        ]
        if strings.ndim == 1:
            return tensors[0]
        for _, _, shape in tensors:
            sizes_of(shape)
        indices, values, shape = side_by_side(tensors, "shape")
        outer = strings.shape[:-1]
        if len(outer) > 1:
            places = np.stack(np.unravel_index(indices[:, 0], outer), axis=1)
            indices = np.concatenate([places, indices[:, 1:]], axis=1)
            shape = np.concatenate([outer, shape[1:]]).astype(np.int64)
        return indices, values, shape

    return run


def _tensor(row: Sequence[_Part], dtype: dtypes.DType, place: int) -> Parts:
    """The sparse tensor of three tensors."""
    (_, indices), (kind, values), (_, shape) = row
    if indices.ndim != 2:
        raise invalid(
            f"Expected serialized_sparse[{place}, 0] to represent an index matrix but received "
            f"shape {shape_text(indices.shape)}"
        )
    if values.ndim != 1:
        raise invalid(
            f"Expected serialized_sparse[{place}, 1] to represent a values vector but received "
            f"shape {shape_text(values.shape)}"
        )
    if kind != dtype:
        raise invalid(
            f"Requested SparseTensor of type {type_name(dtype)} but SparseTensor[{place}]"
            f".values.dtype() == {type_name(kind)}"
        )
    if len(indices) != values.size:
        raise invalid(
            f"Expected row counts of SparseTensor[{place}].indices and "
            f"SparseTensor[{place}].values to match but they do not: {len(indices)} vs. "
            f"{values.size}"
        )
    if shape.ndim != 1:
        raise invalid(
            f"Expected serialized_sparse[{place}, 1] to be a shape vector but its shape is "
            f"{shape_text(shape.shape)}"
        )
    if indices.shape[1] != shape.size:
        raise invalid(
            f"Expected column counts of SparseTensor[{place}].indices to match size of "
            f"SparseTensor[{place}].shape but they do not: {indices.shape[1]} vs. "
            f"{shape.size}"
        )
    if indices.dtype != np.int64 or shape.dtype != np.int64:
        raise invalid(f"The indices and the shape of SparseTensor[{place}] must be int64")
    return indices, values, shape


def _held(variant: Any) -> _Part:
    """The tensor that a variant holds."""
    held = variant.components if isinstance(variant, Optional) else None
    if held is None or len(held) != 1 or len(variant.dtypes) != 1:
        raise invalid("A variant holds no tensor that a part of a sparse tensor could be")
    return variant.dtypes[0], np.asarray(held[0])


def _parsed(data: bytes) -> _Part:
    """The tensor that a string holds."""
    try:
        return read_tensor(data)
    except MalformedError:
        raise invalid("Could not parse serialized proto") from None
    except InvalidArgumentError:
        raise invalid("Could not construct tensor from proto") from None
