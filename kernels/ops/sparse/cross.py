"""Kernels of crosses of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.hashes.formulas import FARMHASH, Hash, siphash
from dataflow.kernels.hashes.texts import hashed
from dataflow.kernels.sparse.crosses import (
    Column,
    columns_of,
    combinations,
    in_buckets,
    joined_hashes,
    row_count,
)
from dataflow.values import dtypes

_LISTS = ("indices", "values", "shapes", "dense_inputs")
_OUTPUTS = ("output_indices", "output_values", "output_shape")
_SEED_BITS = 2**64 - 1
_SHORT = 4
"""Of integers TensorFlow hashes so many bytes."""


@kernel("SparseCross", host_inputs=_LISTS, host_outputs=_OUTPUTS)
def sparse_cross(node: KernelNode, xp: Any) -> Callable[..., Any]:
    split = _splitter(node)
    is_text = node.attr("out_type") is dtypes.string
    buckets, key = node.attr("num_buckets"), np.uint64(node.attr("hash_key") & _SEED_BITS)
    if node.attr("internal_type") is dtypes.string:
        kinds = (("Input values", "sparse_types"), ("Dense inputs", "dense_types"))
        for what, attr in kinds:
            if dtypes.int64 in node.attr(attr):
                raise invalid(f"{what} should be of internal type string but received int64")

    def run(*inputs: Any) -> Any:
        lists = split(inputs)
        columns = columns_of(*lists)
        indices, shape, picked = combinations(columns, row_count(lists[2], lists[3]))
        if is_text:
            return indices, joined_texts(columns, picked, b"_X_", len(indices)), shape
        hashes = np.full(len(indices), key)
        for column, places in zip(columns, picked, strict=True):
            hashes = joined_hashes(hashes, numbers_of(column.elements, FARMHASH)[places])
        return indices, in_buckets(hashes, buckets), shape

    return run


@kernel("SparseCrossV2", host_inputs=(*_LISTS, "sep"), host_outputs=_OUTPUTS)
def sparse_cross_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    split = _splitter(node)

    def run(*inputs: Any) -> Any:
        *parts, separator = inputs
        lists = split(parts)
        columns = columns_of(*lists)
        if np.ndim(separator):
            raise invalid(
                "Input separator should be a scalar. Received a tensor of shape: "
                f"{shape_text(np.shape(separator))}"
            )
        indices, shape, picked = combinations(columns, row_count(lists[2], lists[3]))
        between = np.asarray(separator, object).item()
        return indices, joined_texts(columns, picked, between, len(indices)), shape

    return run


@kernel(
    "SparseCrossHashed",
    host_inputs=(*_LISTS, "num_buckets", "strong_hash", "salt"),
    host_outputs=_OUTPUTS,
)
def sparse_cross_hashed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    split = _splitter(node)

    def run(*inputs: Any) -> Any:
        *parts, buckets, is_strong, salt = inputs
        lists = split(parts)
        columns = columns_of(*lists)
        if np.ndim(buckets) or np.ndim(is_strong):
            raise invalid("Inputs num_buckets and strong_hash should be scalars")
        if np.size(salt) != 2:
            raise invalid(f'Input "salt" must have length 2 but has length {np.size(salt)}')
        key = [int(part) & _SEED_BITS for part in np.ravel(salt)]
        what = siphash(key) if is_strong else FARMHASH
        indices, shape, picked = combinations(columns, row_count(lists[2], lists[3]))
        hashes: Any = None
        for column, places in zip(columns, picked, strict=True):
            is_hashed = column.is_sparse or bool(is_strong)
            found = numbers_of(column.elements, what, is_hashed)[places]
            hashes = found if hashes is None else joined_hashes(hashes, found)
        if hashes is None:
            hashes = np.zeros(len(indices), np.uint64)
        return indices, in_buckets(hashes, int(buckets)), shape

    return run


def _splitter(node: KernelNode) -> Callable[[Sequence[Any]], tuple[Sequence[Any], ...]]:
    """Cuts inputs into indices, values, shapes and dense columns."""
    count = node.attr("N")
    kinds = len(node.attr("sparse_types"))
    if count != kinds:
        raise invalid(f"Expected {count} input values, got {kinds}")

    def split(inputs: Sequence[Any]) -> tuple[Sequence[Any], ...]:
        parts = [inputs[i * count : (i + 1) * count] for i in range(3)]
        return (*parts, inputs[3 * count :])

    return split


def joined_texts(
    columns: Sequence[Column], picked: Sequence[Any], between: bytes, total: int
) -> Any:
    made = np.empty(total, object)
    texts = [_texts(column.elements) for column in columns]
    parts = [
        [text[place] for place in places.tolist()]
        for text, places in zip(texts, picked, strict=True)
    ]
    made[:] = [between.join(each) for each in zip(*parts, strict=True)] if parts else [b""] * total
    return made


def _texts(elements: Any) -> list[bytes]:
    if elements.dtype == object:
        texts: list[bytes] = elements.tolist()
        return texts
    return [b"%d" % number for number in elements.tolist()]


def numbers_of(elements: Any, what: Hash, is_hashed: bool = False) -> Any:
    """Strings as hashes, and integers as they are, or as hashes of their lower bytes."""
    if elements.dtype == object:
        return hashed(elements.tolist(), what)
    numbers = np.asarray(elements, np.int64)
    if not is_hashed:
        return numbers.view(np.uint64)
    return hashed(
        [part.to_bytes(8, "little", signed=True)[:_SHORT] for part in numbers.tolist()], what
    )
