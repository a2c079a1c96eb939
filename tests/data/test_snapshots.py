"""Datasets that are written once: what is computed again, and what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf


def _taken(dataset: Any, count: int | None = None) -> list[int]:
    """The elements that a new session takes, all or so many."""
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    found: list[int] = []
    with tf.Session() as session:
        while count is None or len(found) < count:
            try:
                found.append(int(session.run(following)))
            except tf.errors.OutOfRangeError:
                break
    return found


def test_what_is_stored_is_not_computed_again(tmp_path: Path) -> None:
    seen: list[int] = []

    def count(number: Any) -> Any:
        seen.append(int(number))
        return np.int64(number + 5)

    def pipeline(size: int) -> Any:
        numbers = tf.data.Dataset.range(size).map(lambda n: tf.py_func(count, [n], tf.int64))
        return numbers.apply(
            tf.data.experimental.snapshot(str(tmp_path), shard_func=lambda n: n % 2)
        )

    with tf.Graph().as_default():
        # A run that does not come to its end leaves nothing to read.
        assert _taken(pipeline(3), 2) == [5, 6]
        seen.clear()
        dataset = pipeline(3)
        assert _taken(dataset) == [5, 6, 7] and seen == [0, 1, 2]
        assert sorted(_taken(dataset)) == [5, 6, 7] and seen == [0, 1, 2]
        assert sorted(_taken(pipeline(4))) == [5, 6, 7, 8] and len(seen) == 7


def test_what_cannot_be_a_shard_is_refused(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(3)
        with pytest.raises(TypeError, match="Invalid `shard_func`"):
            dataset.snapshot(str(tmp_path), shard_func=lambda n: "x")
        bad = dataset.snapshot(str(tmp_path), compression="LZ")
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            _taken(bad)
        assert "not 'LZ'" in caught.value.message
