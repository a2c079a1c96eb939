"""Operators of the survey that move numbers: transpositions, parts, indices, choices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from survey.program import Operator, ascending, below, normal

_SIDE = 1000
_ORDERS = ([1, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2], [2, 1, 0], [0, 2, 3, 1], [0, 3, 1, 2])
_SHAPES = {2: (1000, 1000), 3: (100, 100, 100), 4: (32, 28, 28, 32)}


def _moved() -> Iterator[Operator]:
    square = [normal(_SIDE, _SIDE)]
    for order in _ORDERS:
        operand = normal(*_SHAPES[len(order)])
        yield Operator(
            f"transposed by {order}", [operand], lambda tf, x, o=order: tf.transpose(x, o) + 1.0
        )
    yield Operator("a transposed factor", square * 2, lambda tf, x, y: tf.transpose(x) * y)
    for axis in (0, 1, 2):
        cube = normal(100, 100, 64)
        yield Operator(f"concat along {axis}", [cube, cube], lambda tf, *x, a=axis: tf.concat(x, a))
        yield Operator(
            f"stack along {axis}", [normal(300, 1000)], lambda tf, x, a=axis: tf.stack([x, x], a)
        )
        yield Operator(
            f"split along {axis}", [cube], lambda tf, x, a=axis: tf.add_n(tf.split(x, 2, a))
        )
    yield Operator("a part", square, lambda tf, x: x[100:900, 50:950])
    yield Operator("every second", square, lambda tf, x: x[::2, ::3])
    yield Operator("reversed", square, lambda tf, x: tf.reverse(x, [1]))
    yield Operator("padded", square, lambda tf, x: tf.pad(x, [[3, 3], [5, 5]]))
    yield Operator("mirrored", square, lambda tf, x: tf.pad(x, [[3, 3], [5, 5]], "REFLECT"))
    yield Operator("tiled", [normal(100, 100)], lambda tf, x: tf.tile(x, [10, 10]))
    yield Operator(
        "broadcast", [normal(8, 1, 28, 64)], lambda tf, x: tf.broadcast_to(x, [8, 28, 28, 64])
    )
    yield Operator("a band", square, lambda tf, x: tf.matrix_band_part(x, -1, 0))
    yield Operator("a diagonal", square, lambda tf, x: tf.matrix_diag_part(x))
    yield Operator(
        "space to depth", [normal(16, 56, 56, 16)], lambda tf, x: tf.space_to_depth(x, 2)
    )
    yield Operator(
        "depth to space", [normal(16, 28, 28, 64)], lambda tf, x: tf.depth_to_space(x, 2)
    )


def _indexed() -> Iterator[Operator]:
    rows, where = normal(5000, 64), below(5000, 20_000)
    yield Operator("gather", [rows, where], lambda tf, x, i: tf.gather(x, i))
    yield Operator(
        "gather of columns",
        [normal(_SIDE, _SIDE), below(_SIDE, 500)],
        lambda tf, x, i: tf.gather(x, i, axis=1),
    )
    yield Operator(
        "gather_nd",
        [normal(_SIDE, _SIDE), below(_SIDE, 10_000, 2)],
        lambda tf, x, i: tf.gather_nd(x, i),
    )
    yield Operator(
        "scatter_nd",
        [below(_SIDE, 10_000, 1), normal(10_000, 16)],
        lambda tf, i, x: tf.scatter_nd(i, x, [_SIDE, 16]),
    )
    for name in ("segment_sum", "segment_mean", "segment_max"):
        yield Operator(
            name,
            [normal(20_000, 32), ascending(500, 20_000)],
            lambda tf, x, i, n=name: getattr(tf, n)(x, i),
        )
        yield Operator(
            f"unsorted_{name}",
            [normal(20_000, 32), below(500, 20_000)],
            lambda tf, x, i, n=name: getattr(tf, f"unsorted_{n}")(x, i, 500),
        )
    yield Operator("one_hot", [below(100, 10_000)], lambda tf, i: tf.one_hot(i, 100), False)
    yield Operator("unique", [below(5000, 100_000)], lambda tf, i: tf.unique(i)[0], False)
    yield Operator(
        "sequence_mask", [below(200, _SIDE)], lambda tf, n: tf.sequence_mask(n, 200), False
    )
    yield Operator(
        "dynamic_partition",
        [normal(10_000, 32), below(4, 10_000)],
        lambda tf, x, i: tf.concat(tf.dynamic_partition(x, i, 4), 0),
    )
    yield Operator(
        "reverse_sequence",
        [normal(64, 100, 32), below(100, 64)],
        lambda tf, x, n: tf.reverse_sequence(x, n, seq_axis=1, batch_axis=0),
    )


def _chosen() -> Iterator[Operator]:
    square = normal(_SIDE, _SIDE)
    yield Operator("where", [square] * 2, lambda tf, x, y: tf.where(x > 0.0, x, y))
    yield Operator("where, or 0", [square], lambda tf, x: tf.where_v2(x > 0.5, x, 0.0))
    yield Operator("boolean_mask", [square], lambda tf, x: tf.boolean_mask(x, x > 0.5))
    yield Operator("clipped", [square], lambda tf, x: tf.clip_by_value(x, -1.0, 1.0))
    yield Operator("top_k", [square], lambda tf, x: tf.nn.top_k(x, 5)[0])
    yield Operator("sorted", [normal(200, _SIDE)], lambda tf, x: tf.sort(x), False)
    yield Operator("dropout", [square], lambda tf, x: tf.nn.dropout(x, rate=0.3), random=True)
    for name in ("random_uniform", "random_normal", "truncated_normal"):
        yield Operator(
            name,
            [lambda _: np.ones(1, np.float32)],
            lambda tf, x, n=name: getattr(tf, n)([_SIDE, _SIDE]) * x,
            False,
            random=True,
        )


ARRAYS: tuple[Operator, ...] = (*_moved(), *_indexed(), *_chosen())
