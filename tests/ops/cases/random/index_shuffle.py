"""Rows for places in a permutation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

_Args = Callable[[Values], list[Any]]


def _args(index: Any, seed: Any, last: Any) -> _Args:
    def args(v: Values) -> list[Any]:
        return [np.asarray(index, v.dtype), np.asarray(seed), np.asarray(last, v.dtype)]

    return args


SEED = np.array([5, 9, 2], np.int32)
SEEDS = np.array([[-1, 2**40 + 5, 3], [2**33, 0, 8], [4, 4, 4]], np.int64)


def _bad(index: Any, seed: Any, last: Any, text: str, when: str = "run") -> Bad:
    return Bad(_args(index, seed, last), text, when=when)


def _row(label: str, args: _Args, dtypes: tuple[str, ...] = ("int32",), **options: Any) -> Case:
    # TensorFlow refuses to build with a seed whose size is not known.
    return Case("RandomIndexShuffle", args, dtypes, static=(1,), label=label, **options)


CASES = [
    _row(
        "few",
        _args(range(11), SEED, 10),
        ("int32", "uint32", "int64", "uint64"),
        bad=(
            _bad([[1]], SEED, 5, "Index bust be a scalar or vector"),
            _bad([1, 2], SEED, [[5]], r"Maxval must be .* but got \[1,1\]"),
            _bad([1, 2, 3], SEED, [5, 5], r"Maxval must be .* but got \[2\]"),
            _bad([1, -1], SEED, 5, "index must be >= 0 but was -1"),
            _bad([0, 0], SEED, -5, "max_index must be >= 0 but was -5"),
            _bad([1, 2], SEED, [5, 1], "max_index must be >= index, but 1 < 2"),
            _bad([1, 2], SEED[:2], 5, r"Seed must have shape .* but got \[2\]", "any"),
            _bad([1, 2], SEEDS, 5, r"Seed has shape \[3, 3\] but must have shape", "build"),
            _bad([1, 2, 3], SEED, [5, 5], r"Max index has shape \[2\] but must", "build"),
            _bad([1, 2, 3, 4], SEEDS, 5, r"Seed must be a vector of size .* but got \[3,3\]"),
        ),
    ),
    _row("scalar", _args(3, SEED, 2**31 - 1)),
    _row("one", _args(0, SEED, 0)),
    _row("many seeds", _args(1, SEEDS, 9)),
    _row("ends", _args([5, 7, 3], SEEDS, [70000, 9, 2**31 - 1]), attrs={"rounds": 6}),
    # 65536 is beyond the 16 bits that TensorFlow takes for it.
    _row("power of two", _args([0, 65536, 65535], SEED, 65536)),
    _row("wide", _args([2**61, 4], SEED, 2**62 + 3), ("int64",), attrs={"rounds": 8}),
    _row("whole", _args([2**63, 4], SEED, 2**64 - 1), ("uint64",)),
]
