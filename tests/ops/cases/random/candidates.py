"""Rows for candidate samplers: with a seed their draws are those of TensorFlow, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case
from tests.ops.program import Build, Inputs, Program, Step, fails, infers, run

RANGES = ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram")
SEEDS = ((7, 0), (0, 3), (12345678901, 5))
TRUE = np.int64([[3, 0], [1, 1], [4, 2]])
WEIGHTS = [0.5, 3.0, 0.25, 8.0, 1.0, 2.5, 0.125]


def _drawn(tf: Any, v: Inputs, kind: str, **attrs: Any) -> list[Any]:
    """Draws with each seed, of distinct and of any candidates."""
    make = getattr(tf.raw_ops, f"{kind}CandidateSampler")
    true = v.hidden(TRUE, np.int64)
    sizes = {True: attrs.pop("distinct"), False: attrs.pop("any")}
    return [
        each
        for unique, size in sizes.items()
        for seed, seed2 in SEEDS
        for each in make(
            true_classes=true,
            num_true=2,
            num_sampled=size,
            unique=unique,
            seed=seed,
            seed2=seed2,
            **attrs,
        )
    ]


def _of_range(kind: str) -> Build:
    def draws(tf: Any, v: Inputs) -> Iterator[Step]:
        sizes = ((5, 5, 3), (8, 3, 9), (1000, 64, 40), (3_000_000_000, 30, 20))
        drawn = [
            each
            for bound, distinct, any_ in sizes
            if "Unigram" not in kind or bound <= 1000
            for each in _drawn(tf, v, kind, range_max=bound, distinct=distinct, any=any_)
        ]
        for _ in range(4):
            yield run(*drawn)
        yield run(*drawn, session="another")

    return draws


def _fixed(tf: Any, v: Inputs) -> Iterator[Step]:
    drawn = [
        *_drawn(tf, v, "FixedUnigram", distinct=6, any=90, range_max=7, unigrams=WEIGHTS),
        *_drawn(
            tf,
            v,
            "FixedUnigram",
            distinct=4,
            any=50,
            range_max=9,
            unigrams=WEIGHTS,
            num_reserved_ids=2,
            distortion=0.75,
        ),
        *_drawn(
            tf,
            v,
            "FixedUnigram",
            distinct=3,
            any=5,
            range_max=5,
            unigrams=[*WEIGHTS, 4.0, 2.0],
            num_shards=2,
            shard=0,
        ),
    ]
    for _ in range(4):
        yield run(*drawn)


def _all(tf: Any, v: Inputs) -> Iterator[Step]:
    make = tf.raw_ops.AllCandidateSampler
    true = v.hidden(TRUE, np.int64)
    yield run(*make(true_classes=true, num_true=2, num_sampled=5, unique=True))
    wrong = make(true_classes=true, num_true=2, num_sampled=3, unique=True)
    yield fails("InvalidArgumentError", r"out of range \[0, 3\), received 3", wrong[0])


def _checked(kind: str) -> Build:
    def checked(tf: Any, v: Inputs) -> Iterator[Step]:
        make = getattr(tf.raw_ops, f"{kind}CandidateSampler")

        def sampled(true: Any, columns: int = 1, size: int = 2) -> Any:
            return make(
                true_classes=v.hidden(true, np.int64),
                num_true=columns,
                num_sampled=size,
                unique=True,
                range_max=5,
                seed=1,
            )[0]

        yield infers(
            *make(
                true_classes=v.fed(TRUE, np.int64),
                num_true=2,
                num_sampled=3,
                unique=False,
                range_max=5,
            )
        )
        for text, fetch in (
            ("true_classes must be a matrix", sampled([1])),
            ("must have num_true columns, expected: 1 was: 2", sampled([[1]], 2)),
            ("Sampler's range is too small", sampled([[1]], size=6)),
            (r"`true_candidate` out of range \[0, 5\), received 5", sampled([[1], [5]])),
            (r"`true_candidate` out of range \[0, 5\), received -1", sampled([[-1], [5]])),
        ):
            yield fails("InvalidArgumentError", text, fetch)

    return checked


def _fixed_checked(tf: Any, v: Inputs) -> Iterator[Step]:
    def sampled(**attrs: Any) -> Any:
        return tf.raw_ops.FixedUnigramCandidateSampler(
            true_classes=v.constant([[1]], np.int64),
            num_true=1,
            num_sampled=2,
            unique=True,
            range_max=3,
            seed=1,
            **attrs,
        )[0]

    for error, text, attrs in (
        ("InvalidArgumentError", "Must provide either vocab_file or unigrams", {}),
        (
            "InvalidArgumentError",
            "Must only provide one of vocab_file and unigrams",
            {"vocab_file": "x", "unigrams": [1.0]},
        ),
        (
            "InvalidArgumentError",
            "range is 3 must be equal to weights size  2",
            {"unigrams": [1.0, 2.0]},
        ),
        ("NotFoundError", "/nowhere/at all; No such file", {"vocab_file": "/nowhere/at all"}),
    ):
        yield fails(error, text, sampled(**attrs))


CASES = [
    *(
        Case(
            "ComputeAccidentalHits",
            lambda v, s=sampled: [TRUE, np.int64(s)],
            ("float32",),
            attrs={"num_true": 2},
            label=str(sampled),
            bad=(
                Bad(lambda v: [TRUE[:, :1], TRUE[0]], "batch_size . num_true matrix", when="run"),
                Bad(lambda v: [TRUE[0], TRUE[0]], "batch_size . num_true matrix", when="run"),
                Bad(lambda v: [TRUE, TRUE], "sampled_candidates must be a vector", when="run"),
                Bad(lambda v: [TRUE, TRUE], "Shape must be rank 1 but is rank 2", when="build"),
            ),
        )
        for sampled in ([1, 9, 3, 1, 0], [7], [])
    ),
]
# Logarithm and exponential of the C library are off by a unit in the last place here and there.
TWO_UNITS = 2.0**-22
PROGRAMS = [
    *(
        Program(f"{kind}CandidateSampler", _of_range(kind), ("float32",), rtol=TWO_UNITS, atol=0.0)
        for kind in RANGES
    ),
    *(
        Program(f"{kind}CandidateSampler", _checked(kind), ("float32",), label="checked")
        for kind in RANGES
    ),
    Program("FixedUnigramCandidateSampler", _fixed, ("float32",), rtol=TWO_UNITS, atol=0.0),
    Program("FixedUnigramCandidateSampler", _fixed_checked, ("float32",), label="checked"),
    Program("AllCandidateSampler", _all, ("float32",)),
]
