"""Rows for what ranks the elements of the last axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle

from tests.ops.case import FLOAT32_64, REAL, Bad, Case, Values
from tests.ops.early import make_old
from tests.ops.program import Inputs, Program, Step, run, slopes


def _top(*shape: int, k: int) -> Any:
    return lambda v: [v.distinct(*shape), np.array(k, "int32")]


def _bad(shape: tuple[int, ...], k: Any, text: str, when: str) -> Bad:
    return Bad(lambda v: [v.any(*shape), np.array(k, "int32")], text, when=when)


def _ties(v: Values) -> list[np.ndarray]:
    return [v.any(3, 40).round(), np.array(9, "int32")]


_PREDICTIONS = np.array(
    [[0.1, 0.5, 0.4], [3, 1, 2], [np.inf, 1, 0], [1, 1, 1], [1, 2, 3], [np.nan, 1, 2]], "float32"
)


def _predictions(targets: list[int], k: int) -> Any:
    return lambda v: [_PREDICTIONS, np.array(targets, "int32"), np.array(k, "int32")]


def _bad_in_top(p: tuple[int, ...], targets: Any, k: Any, text: str, when: str) -> Bad:
    return Bad(
        lambda v: [v.any(*p).astype("float32"), np.array(targets, "int32"), np.array(k, "int32")],
        text,
        when=when,
    )


def _old_top(tf: Any, x: Any, k: int) -> Any:
    """The op of old graphs. TensorFlow has lost its kernel: there the new one stands in."""
    op = tf.raw_ops.TopKV2 if tf is oracle else make_old(tf).TopK
    return op(input=x, k=k)


def _old(tf: Any, v: Inputs) -> Iterator[Step]:
    for shape, k in (((3, 9), 4), ((6,), 6), ((2, 0), 0)):
        yield run(*_old_top(tf, v.fed(v.distinct(*shape)), k))


def _old_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.known(v.distinct(3, 9))
    yield slopes(tf, [_old_top(tf, x, 4)[0]], [x])


def _approximate(tf: Any, v: Inputs) -> Iterator[Step]:
    """TensorFlow's own kernel finds the greatest along the last axis only."""
    for shape, axis in (((3, 9, 4), 1), ((3, 9, 4), -3), ((7, 3), -1), ((90, 2), 0)):
        x = v.known(v.distinct(*shape))
        for wants_max in (True, False):
            yield run(*_ranked(tf, x, axis, wants_max))


def _ranked(tf: Any, x: Any, axis: int, wants_max: bool, k: int = 2) -> Any:
    if tf is not oracle:
        find = tf.math.approx_max_k if wants_max else tf.math.approx_min_k
        return find(x, k, axis, aggregate_to_topk=wants_max)
    order = list(range(x.shape.rank))
    order[axis], order[-1] = order[-1], order[axis]
    sign = 1 if wants_max else -1
    values, places = tf.nn.top_k(tf.transpose(x, order) * tf.cast(sign, x.dtype), k)
    return tf.transpose(values, order) * tf.cast(sign, x.dtype), tf.transpose(places, order)


def _approximate_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.known(v.distinct(3, 9, 4))
    for axis in (0, 1, -1):
        for wants_max in (True, False):
            values = _ranked(tf, x, axis, wants_max)[0]
            yield slopes(tf, [values * values], [x])
    yield slopes(tf, tf.math.approx_max_k(x, 2)[:1], [x])


_SEARCHED = ((200, 8), (200, 9), (200, 20), (199, 20), (300, 21), (1000, 40))
"""Sizes and numbers of what is looked for one after the other, and what is not."""
PROGRAMS = [
    Program("ApproxTopK", _approximate, ("float32", "bfloat16"), crosses=False),
    Program("ApproxTopK", _approximate_slopes, ("float32",), gradients=True, crosses=False),
    Program("TopK", _old, FLOAT32_64, crosses=False),
    Program("TopK", _old_slopes, FLOAT32_64, gradients=True, crosses=False),
]
CASES = [
    *(
        Case(
            "TopKV2",
            _top(*shape, k=k),
            REAL if shape == (2, 5) else FLOAT32_64,
            static=(1,) if static else (),
            gradients=(0,) if 0 not in shape else (),
            label=f"{shape}{k}{static}",
        )
        for shape, k in (((2, 5), 3), ((7,), 7), ((2, 3, 4), 1), ((4,), 0), ((0, 3), 2))
        for static in (True, False)
    ),
    Case(
        "ApproxTopK",
        lambda v: [v.distinct(2, 3, 5)],
        ("float16", "bfloat16", "float32"),
        attrs={"k": 2, "recall_target": 0.5},
        static=(0,),
    ),
    # Long rows are not sorted whole.
    Case("TopKV2", _top(3, 500, k=5), label="long"),
    *(Case("TopKV2", _top(6, size, k=k), label=f"{size} {k}") for size, k in _SEARCHED),
    Case("TopKV2", lambda v: [v.any(3, 500).round(), np.array(5, "int32")], label="long ties"),
    Case("TopKV2", _ties, label="ties", gradients=(0,), numeric=False),
    Case(
        "TopKV2",
        lambda v: [v.any(2, 5), np.array(2, "int64")],
        attrs={"index_type": "int16"},
        static=(1,),
        label="index",
        bad=(
            _bad((2, 3), 4, "input must have last dimension >= k = 4 but is 3", "build"),
            _bad((2, 3), [1], "Input must be scalar but has rank 1", "build"),
            _bad((2, 3), -1, "must be non-negative but is -1", "build"),
            _bad((), 1, "Shape must be at least rank 1 but is rank 0", "build"),
            _bad((2, 3), 4, "input must have at least k columns. Had 3, needed 4", "run"),
            _bad((2, 3), -1, "Need k >= 0, got -1", "run"),
            _bad((), 1, r"input must be >= 1-D, got shape \[\]", "run"),
            _bad((2, 3), [1], r"k must be scalar, got shape \[1\]", "run"),
        ),
    ),
    *(
        Case(
            "InTopKV2",
            _predictions(targets, k),
            ("float32",),
            label=f"{targets}{k}",
            bad=(
                _bad_in_top(
                    (3, 3), [1, 2], 1, "Dimensions must be equal, but are 3 and 2", "build"
                ),
                _bad_in_top((3,), [1, 2, 0], 1, "Shape must be rank 2 but is rank 1", "build"),
                _bad_in_top((3, 3), [1, 2], 1, "must match length of targets 2", "run"),
                _bad_in_top((3,), [1, 2], 1, "predictions must be 2-dimensional", "run"),
                _bad_in_top((2, 3), [[1, 2]], 1, "targets must be 1-dimensional", "run"),
                _bad_in_top((2, 3), [1, 2], [1], r"k must be 0-D, got shape \[1\]", "run"),
            )
            if k == 1
            else (),
        )
        for targets, k in (
            ([1, 0, 1, 2, 7, 1], 1),
            ([0, 1, 2, 0, 1, 2], 2),
            ([2, 2, 0, 1, -1, 0], 3),
        )
    ),
    Case(
        "InTopK",
        lambda v: [_PREDICTIONS, np.array([1, 0, 1, 2, 7, 1], "int64")],
        ("float32",),
        attrs={"k": 2},
    ),
    *(
        Case(
            "NthElement",
            lambda v, n=n: [v.distinct(2, 3, 5), np.array(n, "int32")],
            REAL,
            static=(1,),
            attrs={"reverse": reverse},
            label=f"{n}{reverse}",
            gradients=(0,),
            bad=(
                _bad((2, 3), 3, "Input must have last dimension > n = 3 but is 3", "build"),
                _bad((2, 3), -1, "must be non-negative but is -1", "build"),
                _bad((), 0, "Shape must be at least rank 1 but is rank 0", "build"),
                _bad((2, 3), 3, "Input must have last dimension > n = 3", "run"),
                _bad((2, 3), -1, "n must be non-negative but is -1", "run"),
                _bad((), 0, "Input must be at least rank 1 but is rank 0", "run"),
                _bad((2, 3), [0], "N must be scalar but has rank 1", "run"),
            ),
        )
        for n, reverse in ((0, False), (3, False), (1, True))
    ),
]
