"""Rows for maps of sparse tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import NUMBERS
from tests.ops.program import Inputs, Program, Step, fails, infers, run


def _one_by_one(tf: Any, v: Inputs) -> Iterator[Step]:
    """Each is taken once; the batch is as large as the largest of them."""
    raw, shared, numbers = tf.raw_ops, f"rows_one_{v.name}", []
    for indices, shape in (([[0, 1], [2, 0]], [3, 2]), ([[1, 4]], [2, 5]), ([], [1, 1])):
        array = np.array(indices, np.int64).reshape(-1, 2)
        numbers.append(
            raw.AddSparseToTensorsMap(
                sparse_indices=v.fed(array),
                sparse_values=v.known(v.any(len(array))),
                sparse_shape=v.known(shape, np.int64),
                shared_name=shared,
            )
        )
    yield infers(*numbers)
    for number in numbers:
        yield run(number)
    taken = raw.TakeManySparseFromTensorsMap(
        sparse_handles=v.known([1, 0, 2], np.int64), dtype=v.element, shared_name=shared
    )
    yield infers(*taken)
    yield run(*taken)
    yield fails("InvalidArgumentError", "Unable to find SparseTensor: 1 in map", *taken)


def _many(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, shared = tf.raw_ops, f"rows_many_{v.name}"
    indices = np.array([[0, 0, 1], [0, 1, 0], [2, 0, 0]], np.int64)
    numbers = raw.AddManySparseToTensorsMap(
        sparse_indices=v.fed(indices),
        sparse_values=v.known(v.any(3)),
        sparse_shape=v.known([4, 2, 3], np.int64),
        shared_name=shared,
    )
    yield infers(numbers)
    yield run(numbers)
    for chosen in ([2, 1], [0, 3]):
        yield run(
            *raw.TakeManySparseFromTensorsMap(
                sparse_handles=v.known(chosen, np.int64), dtype=v.element, shared_name=shared
            )
        )
    yield fails(
        "InvalidArgumentError",
        r"should be a vector but received shape \[\]",
        raw.AddSparseToTensorsMap(
            sparse_indices=v.known(indices),
            sparse_values=v.hidden(v.any()),
            sparse_shape=v.known([4, 2, 3], np.int64),
        ),
    )


EVERY = (*NUMBERS, "bool", "string")
PROGRAMS = [
    Program("AddSparseToTensorsMap TakeManySparseFromTensorsMap", _one_by_one, EVERY),
    Program("AddManySparseToTensorsMap TakeManySparseFromTensorsMap", _many, EVERY),
]
