"""Kernels of maps of sparse tensors, which nodes find by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.stacking import numpy_type
from dataflow.kernels.queues.sparse_map import Sparse, SparseMap, checked

MAX_ROWS: Final = 1 << 24
"""Rows that a tensor may be cut into: a shape can say any number, and each row is an object."""


def _map(node: KernelNode) -> Callable[[], SparseMap]:
    """The map of a shared name, or of the node's."""
    name = node.attr("shared_name").decode(errors="backslashreplace") or node.name
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create
    return lambda: find(container, name, SparseMap, lambda: SparseMap(name))


@kernel("AddSparseToTensorsMap", device="CPU")
def add_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    find, dtype = _map(node), node.attr("T")

    def run(indices: Any, values: Any, shape: Any) -> Any:
        return np.int64(find().add(dtype, [checked(indices, values, shape)])[0])

    return run


@kernel("AddManySparseToTensorsMap", device="CPU")
def add_many_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    find, dtype = _map(node), node.attr("T")

    def run(indices: Any, values: Any, shape: Any) -> Any:
        whole = checked(indices, values, shape)
        if not len(whole.shape):
            raise invalid("Rank of input SparseTensor should be > 1, but saw rank: 0")
        rows = int(whole.shape[0])
        if rows > MAX_ROWS:
            raise invalid(f"A sparse tensor of {rows} rows is cut into no more than {MAX_ROWS}")
        first = whole.indices[:, 0]
        if (first[1:] < first[:-1]).any():
            raise invalid("The rows of the sparse tensor are not in order")
        ends = np.searchsorted(first, np.arange(rows + 1))
        rest, inner = whole.indices[:, 1:], whole.shape[1:]
        # As in TensorFlow, rows that hold something have the lower numbers.
        order = np.argsort(ends[1:] == ends[:-1], kind="stable")
        places = zip(ends[order].tolist(), ends[order + 1].tolist(), strict=True)
        cut = [Sparse(rest[low:high], whole.values[low:high], inner) for low, high in places]
        numbers = np.empty(rows, np.int64)
        numbers[order] = find().add(dtype, cut)
        return numbers

    return run


@kernel("TakeManySparseFromTensorsMap", device="CPU")
def take_many_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    find, dtype = _map(node), node.attr("dtype")

    def run(handles: Any) -> Any:
        if np.ndim(handles) != 1:
            shown = shape_text(np.shape(handles))
            raise invalid(f"sparse_handles should be a vector but received shape {shown}")
        found = find().take(dtype, handles.tolist())
        if not found:
            raise invalid("Must have at least 1 serialized SparseTensor, but input matrix has 0")
        ranks = {len(tensor.shape) for tensor in found}
        if len(ranks) > 1:
            raise invalid(f"Inconsistent rank across SparseTensors: {sorted(ranks)}")
        counts = [len(tensor.values) for tensor in found]
        rows = np.repeat(np.arange(len(found), dtype=np.int64), counts)
        indices = np.concatenate([tensor.indices for tensor in found])
        values = np.concatenate([tensor.values for tensor in found])
        shape = np.max([tensor.shape for tensor in found], axis=0)
        return (
            np.concatenate([rows[:, np.newaxis], indices], axis=1),
            values.astype(numpy_type(dtype), copy=False),
            np.concatenate([[len(found)], shape]).astype(np.int64),
        )

    return run
