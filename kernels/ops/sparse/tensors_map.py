"""Kernels that keep sparse tensors on a device, under numbers."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.sparse.coordinates import sizes_of
from dataflow.kernels.sparse.rows import Parts, check_ranks, rows_of, side_by_side
from dataflow.values.dtypes import DType

_INPUTS = ("sparse_indices", "sparse_values", "sparse_shape")


class SparseTensorsMap:
    """Sparse tensors by number. Safe to use from many threads."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._kept: dict[int, tuple[DType, Parts]] = {}

    def add(self, tensors: Sequence[Parts], dtype: DType) -> list[int]:
        """Keeps sparse tensors; the numbers that stand for them."""
        owned = [tuple(np.array(part) for part in parts) for parts in tensors]
        with self._lock:
            numbers = [next(self._numbers) for _ in owned]
            for number, (indices, values, shape) in zip(numbers, owned, strict=True):
                self._kept[number] = dtype, (indices, values, shape)
        return numbers

    def take(self, numbers: Sequence[int]) -> list[tuple[DType, Parts]]:
        """The sparse tensors with these numbers, which then stand for nothing.

        Raises:
          InvalidArgumentError: A number stands for nothing.
        """
        found = []
        with self._lock:
            for number in numbers:
                if number not in self._kept:
                    raise invalid(f"Unable to find SparseTensor: {number} in map: {self.name}")
                found.append(self._kept.pop(number))
        return found


def _finder(node: KernelNode) -> Callable[[], SparseTensorsMap]:
    """The map of the name that nodes share, or of the node's own name."""
    name = node.attr("shared_name").decode(errors="backslashreplace") or node.name
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create
    return lambda: find(container, name, SparseTensorsMap, lambda: SparseTensorsMap(name))


@kernel("AddSparseToTensorsMap", device="CPU")
def add_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    find, dtype = _finder(node), node.attr("T")

    def run(indices: Any, values: Any, shape: Any) -> Any:
        check_ranks(indices, values, shape)
        for size in shape.tolist():
            if size < 0:
                raise invalid(f"Dimension {size} must be >= 0")
        sizes_of(shape)
        if len(indices) != values.size:
            raise invalid(
                "indices and values rows (indexing dimension) must match. (indices = "
                f"{len(indices)}, values = {values.size})"
            )
        if indices.shape[1] != shape.size:
            raise invalid("Order length must be SparseTensor rank.")
        return np.array(find().add([(indices, values, shape)], dtype)[0], np.int64)

    return run


@kernel("AddManySparseToTensorsMap", device="CPU")
def add_many_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    find, dtype = _finder(node), node.attr("T")

    def run(indices: Any, values: Any, shape: Any) -> Any:
        check_ranks(indices, values, shape)
        if len(indices) != values.size:
            raise invalid(
                f"Number of values must match first dimension of indices. Got {values.size} values,"
                f" indices shape: {shape_text(indices.shape)}"
            )
        if indices.shape[1] != shape.size:
            raise invalid(
                "Number of dimensions must match second dimension of indices. Got "
                f"{shape.size} dimensions, indices shape: {shape_text(indices.shape)}"
            )
        rows = rows_of(indices, values, shape)
        # As in TensorFlow, rows that hold something have the lower numbers.
        order = np.argsort([not len(row[0]) for row in rows], kind="stable")
        numbers = np.empty(len(rows), np.int64)
        numbers[order] = find().add([rows[place] for place in order.tolist()], dtype)
        return numbers

    return run


@kernel("TakeManySparseFromTensorsMap", device="CPU")
def take_many_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    find, dtype = _finder(node), node.attr("dtype")

    def run(handles: Any) -> Any:
        if handles.ndim != 1:
            raise invalid(
                f"sparse_handles should be a vector but received shape {shape_text(handles.shape)}"
            )
        if not handles.size:
            raise invalid(
                "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"
            )
        found = find().take(handles.tolist())
        for place, (kind, _) in enumerate(found):
            if kind != dtype:
                raise invalid(
                    f"Requested SparseTensor of type {type_name(dtype)} but SparseTensor[{place}]"
                    f".values.dtype() == {type_name(kind)}"
                )
        return side_by_side([parts for _, parts in found], "rank")

    return run
