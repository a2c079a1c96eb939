"""Kernel of crosses of features whose rows have different lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.hashes.formulas import FARMHASH
from dataflow.kernels.ops.sparse.cross import joined_texts, numbers_of
from dataflow.kernels.sparse.crosses import (
    Column,
    columns_of,
    combinations,
    in_buckets,
    joined_hashes,
)

_SEED_BITS = 2**64 - 1


@kernel(
    "RaggedCross",
    host_inputs=(
        "ragged_values",
        "ragged_row_splits",
        "sparse_indices",
        "sparse_values",
        "sparse_shape",
        "dense_inputs",
    ),
    host_outputs=("output_values", "output_row_splits"),
)
def ragged_cross(node: KernelNode, xp: Any) -> Callable[..., Any]:
    order = node.attr("input_order").decode(errors="replace")
    counts = [
        len(node.attr("ragged_values_types")),
        len(node.attr("ragged_splits_types")),
        *[node.attr("Nsparse")] * 3,
        len(node.attr("dense_types")),
    ]
    if len(node.attr("sparse_values_types")) != counts[2]:
        raise invalid("There must be as many sparse values as sparse indices")
    if counts[0] != counts[1]:
        raise invalid(f"There are values of {counts[0]} ragged inputs, but splits of {counts[1]}")
    have = (order.count("R"), order.count("S"), order.count("D"))
    if have != (counts[0], counts[2], counts[5]) or len(order) != sum(have):
        raise invalid(f"input_order {order!r} does not say where the inputs stand")
    is_hashed, buckets = node.attr("hashed_output"), node.attr("num_buckets")
    key = np.uint64(node.attr("hash_key") & _SEED_BITS)
    kind = node.attr("out_row_splits_type").as_numpy_dtype

    def run(*inputs: Any) -> Any:
        parts: list[Sequence[Any]] = []
        place = 0
        for count in counts:
            parts.append([np.asarray(part) for part in inputs[place : place + count]])
            place += count
        values, splits, indices, sparse_values, shapes, dense = parts
        rows = _row_count(splits, shapes, dense)
        ragged = [_ragged(*pair, rows) for pair in zip(values, splits, strict=True)]
        others = columns_of(indices, sparse_values, shapes, dense)
        sparse_count = len(indices)
        queues = {
            "R": iter(ragged),
            "S": iter(others[:sparse_count]),
            "D": iter(others[sparse_count:]),
        }
        columns = [next(queues[letter]) for letter in order]
        places, _, picked = combinations(columns, rows)
        counts_of_rows = np.bincount(places[:, 0], minlength=rows)
        ends = np.concatenate([[0], np.cumsum(counts_of_rows)]).astype(kind)
        if not is_hashed:
            return joined_texts(columns, picked, b"_X_", len(places)), ends
        hashes = np.full(len(places), key)
        for column, which in zip(columns, picked, strict=True):
            hashes = joined_hashes(hashes, numbers_of(column.elements, FARMHASH)[which])
        return in_buckets(hashes, buckets), ends

    return run


def _row_count(splits: Sequence[Any], shapes: Sequence[Any], dense: Sequence[Any]) -> int:
    """How many rows all inputs have.

    Raises:
      InvalidArgumentError: One has others.
    """
    for part in splits:
        if part.ndim != 1:
            raise invalid("tf.ragged.cross only supports inputs with rank=2.")
        if not part.size:
            raise invalid("tf.ragged.cross: row splits may not be empty")
    for part in shapes:
        if part.ndim != 1 or part.size != 2:
            raise invalid("tf.ragged.cross only supports inputs with rank=2.")
    for part in dense:
        if part.ndim != 2:
            raise invalid("tf.ragged.cross only supports inputs with rank=2.")
    counts: list[int] = [
        *(part.size - 1 for part in splits),
        *(int(part[0]) for part in shapes),
        *(len(part) for part in dense),
    ]
    if len(set(counts)) > 1:
        raise invalid("tf.ragged.cross: inputs must all have the same batch dimension size.")
    if not counts:
        raise invalid("tf.ragged.cross: there must be at least one input")
    return counts[0]


def _ragged(values: Any, splits: Any, rows: int) -> Column:
    if values.ndim != 1:
        raise invalid(f"Ragged values must be a vector, but have shape {shape_text(values.shape)}")
    lengths = np.diff(splits)
    if (lengths < 0).any() or splits[0] or splits[-1] != values.size:
        raise invalid("Invalid ragged splits: they must rise from 0 to the number of values")
    return Column(values, splits[:-1].astype(np.int64), lengths.astype(np.int64), True)
