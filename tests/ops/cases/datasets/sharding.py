"""Rows for pipelines that are divided among workers; `tests/library` has those of files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import alike, numbers, pulled
from tests.ops.program import Inputs, Program, Step, fails

ONE = ("float32",)
REFUSED = "InvalidArgumentError"
AUTO, FILE, DATA, HINT, OFF = 0, 1, 2, 3, -1


def _worker(tf: Any, op: str, count: int, place: int, policy: int = AUTO) -> Any:
    return getattr(tf.raw_ops, op)(
        input_dataset=numbers(tf, 7),
        num_workers=np.int64(count),
        index=np.int64(place),
        auto_shard_policy=policy,
        **alike(tf),
    )


def _divided(op: str) -> Any:
    def program(tf: Any, v: Inputs) -> Iterator[Step]:
        for count, place, policy, size in (
            (2, 0, AUTO, 4),
            (2, 1, DATA, 3),
            (4, 3, DATA, 1),
            (9, 8, AUTO, 0),
            (2, 1, OFF, 7),
            (2, 1, HINT, 7),
            (1, 0, FILE, 7),
        ):
            yield from pulled(tf, _worker(tf, op, count, place, policy), size)

    return program


def _refused(op: str) -> Any:
    def program(tf: Any, v: Inputs) -> Iterator[Step]:
        for count, place, policy, error, text in (
            (0, 0, AUTO, REFUSED, "num_workers must be greater than zero"),
            (2, 2, AUTO, REFUSED, "index must be between 0 and 1"),
            (2, -1, AUTO, REFUSED, "index must be between 0 and 1"),
            (2, 0, 4, REFUSED, "auto_shard_policy is invalid"),
            (2, 0, FILE, "NotFoundError", "Found an unshardable source dataset"),
        ):
            yield fails(error, text, _worker(tf, op, count, place, policy))

    return program


PROGRAMS = [
    Program(op, program(op), ONE)
    for op in ("AutoShardDataset", "ExperimentalAutoShardDataset")
    for program in (_divided, _refused)
]
