"""What is cut into parts and joined again: the same only if along one axis, whole and in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow as tf
from tests.pairwise import pairwise

_X = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)

_JOINS: dict[str, tuple[Callable[[Any, int, int], Any], Callable[[Any, int, int], Any]]] = {
    "stack": (
        lambda x, cut, join: tf.stack(tf.unstack(x, axis=cut), axis=join),
        lambda x, cut, join: np.stack([np.take(x, i, cut) for i in range(2)], join),
    ),
    "reversed stack": (
        lambda x, cut, join: tf.stack(tf.unstack(x, axis=cut)[::-1], axis=join),
        lambda x, cut, join: np.stack([np.take(x, i, cut) for i in (1, 0)], join),
    ),
    "stack of one": (
        lambda x, cut, join: tf.stack(tf.unstack(x, axis=cut)[:1], axis=join),
        lambda x, cut, join: np.stack([np.take(x, 0, cut)], join),
    ),
    "concat": (
        lambda x, cut, join: tf.concat(tf.split(x, 2, axis=cut), axis=join),
        lambda x, cut, join: np.concatenate(np.split(x, 2, cut), join),
    ),
    "reversed concat": (
        lambda x, cut, join: tf.concat(tf.split(x, 2, axis=cut)[::-1], axis=join),
        lambda x, cut, join: np.concatenate(np.split(x, 2, cut)[::-1], join),
    ),
    "concat of one twice": (
        lambda x, cut, join: tf.concat([tf.split(x, 2, axis=cut)[0]] * 2, axis=join),
        lambda x, cut, join: np.concatenate([np.split(x, 2, cut)[0]] * 2, join),
    ),
}


@pairwise({"how": _JOINS, "cut": range(4), "join": range(4)})
def test_values(how: str, cut: int, join: int) -> None:
    ours, expected = _JOINS[how]
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, _X.shape)
        found = session.run(ours(x, cut, join), {x: _X})
    np.testing.assert_array_equal(found, expected(_X, cut, join))
