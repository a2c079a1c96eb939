"""Pipelines whose elements are rows of tensors, or come several at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.library.datasets.file_pipelines import PACKED, records, records_that_are_cut


def _rows(tf: Any, count: int = 12) -> Any:
    numbers = np.arange(count * 3, dtype=np.float32).reshape(count, 3)
    names = np.array([f"row {number}" for number in range(count)])
    return tf.data.Dataset.from_tensor_slices((numbers, names, np.arange(count)))


def shuffled_again_and_again(tf: Any) -> Any:
    return _rows(tf).shuffle(5, seed=3).repeat(3).batch(5)


def shuffled_and_repeated(tf: Any) -> Any:
    return _rows(tf).apply(tf.data.experimental.shuffle_and_repeat(7, 2, seed=4)).batch(5)


def shuffled_as_a_whole(tf: Any) -> Any:
    return _rows(tf).shuffle(100, seed=3).batch(5, drop_remainder=True).repeat(2)


def shuffled_twice(tf: Any) -> Any:
    return _rows(tf, 700).shuffle(300, seed=5).shuffle(9, seed=6).batch(128)


def repeated_and_shuffled(tf: Any) -> Any:
    return _rows(tf).repeat(2).shuffle(7, seed=8, reshuffle_each_iteration=False).repeat(2).batch(9)


def shuffled_one_by_one(tf: Any) -> Any:
    return _rows(tf).shuffle(5, seed=3).repeat(2)


def the_first_ones(tf: Any) -> Any:
    return _rows(tf).take(7).repeat(2).batch(4)


def seen_before(tf: Any) -> Any:
    return _rows(tf).skip(2).batch(4)


def padded(tf: Any) -> Any:
    return _rows(tf).padded_batch(5, ([4], [], []), (np.float32(-1), "", np.int64(0)))


def of_inner_datasets(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.range(1, 6).flat_map(lambda x: D.from_tensor_slices(tf.range(x))).batch(4)


def without_rows(tf: Any) -> Any:
    return _rows(tf, 0).shuffle(3).repeat().batch(2)


def turned(tf: Any) -> Any:
    pixels = np.arange(6 * 5 * 4 * 3, dtype=np.float32).reshape(6, 5, 4, 3)
    images = tf.data.Dataset.from_tensor_slices(pixels)
    return images.map(lambda image: tf.transpose(tf.reverse(image, [1]), [1, 0, 2])).batch(4)


def records_in_batches(tf: Any) -> Any:
    return records(tf).repeat(2).batch(3)


def records_that_are_cut_in_batches(tf: Any) -> Any:
    return records_that_are_cut(tf).batch(2)


def packed_records_with_too_much_in_batches(tf: Any) -> Any:
    return tf.data.FixedLengthRecordDataset(PACKED, 3, compression_type="GZIP").batch(3)


PIPELINES = [
    value
    for name, value in dict(globals()).items()
    if callable(value) and getattr(value, "__module__", "") == __name__ and name[0] != "_"
]
