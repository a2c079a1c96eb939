"""The kernel of sparse tensors put one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import row_major, sizes_of


@kernel(
    "SparseConcat",
    host_inputs=("indices", "values", "shapes"),
    host_outputs=("output_indices", "output_values", "output_shape"),
)
def sparse_concat(node: KernelNode, xp: Any) -> Callable[..., Any]:
    asked, count = int(node.attr("concat_dim")), int(node.attr("N"))

    def run(*parts: Any) -> Any:
        indices, values, shapes = parts[:count], parts[count : 2 * count], parts[2 * count :]
        _check_ranks(indices, values, shapes)
        rank = shapes[0].size
        if not -rank <= asked < rank:
            raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {asked}")
        axis = asked % rank
        sizes = _checked_sizes(shapes, axis)
        _check_lengths(indices, values, rank)
        joined = np.concatenate(indices)
        starts = np.cumsum([0, *(size[axis] for size in sizes[:-1])])
        joined[:, axis] += np.repeat(starts, [len(each) for each in indices])
        order = row_major(joined)
        shape = np.array(sizes[0], np.int64)
        shape[axis] = sum(size[axis] for size in sizes)
        return joined[order], np.concatenate(values)[order], shape

    return run


def _check_ranks(indices: Sequence[Any], values: Sequence[Any], shapes: Sequence[Any]) -> None:
    for name, what, arrays, rank in (
        ("indices", "a matrix", indices, 2),
        ("values", "a vector", values, 1),
        ("shapes", "a vector", shapes, 1),
    ):
        for place, array in enumerate(arrays):
            if array.ndim != rank:
                raise invalid(
                    f"Input {name} should be {what} but received shape {shape_text(array.shape)} "
                    f"at position {place}"
                )


def _checked_sizes(shapes: Sequence[Any], axis: int) -> list[tuple[int, ...]]:
    sizes: list[tuple[int, ...]] = []
    for place, shape in enumerate(shapes):
        sizes.append(sizes_of(shape))
        first, size = sizes[0], sizes[-1]
        if len(size) != len(first):
            raise invalid(
                f"Ranks of all input tensors must match: expected {len(first)} but got "
                f"{len(size)} at position {place}"
            )
        for each in range(len(first)):
            if each != axis and size[each] != first[each]:
                raise invalid(
                    f"Input shapes must match: expected {first[each]} for dimension {each} but "
                    f"got {size[each]} at position {place}"
                )
    return sizes


def _check_lengths(indices: Sequence[Any], values: Sequence[Any], rank: int) -> None:
    for each, elements in zip(indices, values, strict=True):
        if len(each) != elements.size:
            raise invalid(
                "indices and values rows (indexing dimension) must match. "
                f"(indices = {len(each)}, values = {elements.size})"
            )
        if each.shape[1] != rank:
            raise invalid("Order length must be SparseTensor rank.")
