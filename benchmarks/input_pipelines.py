"""Input pipelines without an end, each built with the library that it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

BATCH = 128
RECORDS = 4096
_LENGTHS = np.random.default_rng(1).integers(3, 60, RECORDS)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline without an end."""

    name: str
    build: Callable[[Any, Path], Any]
    """Makes what a step fetches."""
    elements: int
    """How many a step takes."""
    is_ordered: bool = True
    """Whether both libraries give the same elements."""


def write_files(tf: Any, folder: Path) -> None:
    """Writes the files that pipelines read."""
    random = np.random.default_rng(0)
    with tf.io.TFRecordWriter(str(folder / "records")) as writer:
        for label in range(RECORDS):
            example = tf.train.Example()
            feature = example.features.feature
            feature["x"].float_list.value.extend(random.random(16))
            feature["label"].int64_list.value.append(label)
            feature["name"].bytes_list.value.append(b"record %d" % label)
            writer.write(example.SerializeToString())
    with tf.io.TFRecordWriter(str(folder / "rows")) as writer:
        for _ in range(RECORDS):
            example = tf.train.Example()
            feature = example.features.feature
            for column in range(8):
                feature[f"number{column}"].float_list.value.append(random.random())
            for column in range(6):
                word = b"w" * int(random.integers(1, 12))
                feature[f"word{column}"].bytes_list.value.append(word)
                count = int(random.integers(10 ** random.integers(1, 6)))
                feature[f"count{column}"].int64_list.value.append(count)
            writer.write(example.SerializeToString())
    (folder / "lines").write_text("".join(f"line {number}\n" for number in range(20_000)))
    small = random.integers(0, 255, (8, 24, 32, 3), np.uint8)
    with tf.Graph().as_default(), tf.Session() as session:
        large = tf.unstack(tf.cast(tf.image.resize_images(small, [375, 500]), tf.uint8))
        for number, found in enumerate(session.run([tf.image.encode_jpeg(i) for i in large])):
            (folder / f"{number}.jpeg").write_bytes(found)


def _next(tf: Any, dataset: Any) -> Any:
    return tf.data.make_one_shot_iterator(dataset.repeat()).get_next()


def slices(tf: Any, folder: Path) -> Any:
    """Rows of an array, one by one."""
    return _next(tf, tf.data.Dataset.from_tensor_slices(np.arange(RECORDS * 4).reshape(-1, 4)))


def small(tf: Any, folder: Path) -> Any:
    """Small elements, batched."""
    rows = np.arange(RECORDS * 4, dtype=np.float32).reshape(-1, 4)
    labels = np.arange(RECORDS, dtype=np.int64)
    return _next(tf, tf.data.Dataset.from_tensor_slices((rows, labels)).batch(BATCH))


def shuffled(tf: Any, folder: Path) -> Any:
    """Small elements, shuffled and batched."""
    rows = np.arange(RECORDS * 4, dtype=np.float32).reshape(-1, 4)
    labels = np.arange(RECORDS, dtype=np.int64)
    source = tf.data.Dataset.from_tensor_slices((rows, labels)).shuffle(1000, seed=1)
    return _next(tf, source.batch(BATCH))


def images(tf: Any, folder: Path) -> Any:
    """Images of 96 x 96 that are scaled and flipped one by one, then batched."""
    pixels = np.random.default_rng(0).integers(0, 255, (64, 96, 96, 3), np.uint8)

    def prepared(image: Any) -> Any:
        return tf.reverse(tf.cast(image, tf.float32) / 255.0, [1])

    return _next(tf, tf.data.Dataset.from_tensor_slices(pixels).map(prepared).batch(32))


def records(tf: Any, folder: Path) -> Any:
    """Records of a file in batches, which are parsed."""
    features = {
        "x": tf.FixedLenFeature([16], tf.float32),
        "label": tf.FixedLenFeature([], tf.int64),
        "name": tf.FixedLenFeature([], tf.string),
    }
    source = tf.data.TFRecordDataset(str(folder / "records")).batch(BATCH)
    return _next(tf, source.map(lambda batch: tf.parse_example(batch, features)))


def parsing(tf: Any, folder: Path) -> Any:
    """One batch of records, parsed in each step."""
    found = list(tf.python_io.tf_record_iterator(str(folder / "records")))[:BATCH]
    features = {
        "x": tf.FixedLenFeature([16], tf.float32),
        "label": tf.FixedLenFeature([], tf.int64),
        "name": tf.FixedLenFeature([], tf.string),
    }
    # A constant would be parsed once and for all.
    return tf.parse_example(tf.Variable(found), features)


def lines(count: int) -> Callable[[Any, Path], Any]:
    """Lines of a file by queue runners, batched by another queue."""

    def build(tf: Any, folder: Path) -> Any:
        names = tf.train.string_input_producer([str(folder / "lines")])
        reader = tf.TextLineReader()
        if count == 1:
            return tf.train.batch([reader.read(names)[1]], BATCH, capacity=4 * BATCH)
        many = reader.read_up_to(names, count)[1]
        return tf.train.batch([many], BATCH, capacity=4 * BATCH, enqueue_many=True)

    return build


def rows(tf: Any, folder: Path) -> Any:
    """Records of a file in batches, of which 20 features are read."""
    features: dict[str, Any] = {}
    for column in range(8):
        features[f"number{column}"] = tf.FixedLenFeature([], tf.float32)
    for column in range(6):
        features[f"count{column}"] = tf.FixedLenFeature([], tf.int64)
        kind = tf.VarLenFeature if column % 2 else lambda dtype: tf.FixedLenFeature([], dtype)
        features[f"word{column}"] = kind(tf.string)

    def parsed(batch: Any) -> Any:
        found = tf.parse_example(batch, features)
        return [f.values if hasattr(f, "values") else f for f in found.values()]

    source = tf.data.TFRecordDataset(str(folder / "rows")).batch(BATCH)
    return _next(tf, source.map(lambda batch: tuple(parsed(batch))))


def mapped(tf: Any, folder: Path) -> Any:
    """Small elements that are changed one by one, then batched."""
    numbers = np.arange(RECORDS * 4, dtype=np.float32).reshape(-1, 4)
    labels = np.arange(RECORDS, dtype=np.int64)
    source = tf.data.Dataset.from_tensor_slices((numbers, labels))
    return _next(tf, source.map(lambda x, y: (x * 2.0 + 1.0, tf.one_hot(y % 10, 10))).batch(BATCH))


def photos(tf: Any, folder: Path) -> Any:
    """JPEG files that are decoded, resized, turned at random and batched."""
    names = [str(path) for path in sorted(folder.glob("*.jpeg"))]

    def prepared(name: Any) -> Any:
        image = tf.image.decode_jpeg(tf.read_file(name), channels=3)
        return tf.image.random_flip_left_right(tf.image.resize_images(image, [224, 224]) / 255.0)

    return _next(tf, tf.data.Dataset.from_tensor_slices(names).map(prepared).batch(8))


def padded(tf: Any, folder: Path) -> Any:
    """Sequences of tokens, filled up to the longest one of a batch."""
    source = tf.data.Dataset.from_tensor_slices(_LENGTHS).map(tf.range)
    return _next(tf, source.padded_batch(32, [None]))


def buckets(tf: Any, folder: Path) -> Any:
    """Sequences of tokens, batched with others of about their length."""
    source = tf.data.Dataset.from_tensor_slices(_LENGTHS).map(tf.range).repeat()
    bucket = tf.data.experimental.bucket_by_sequence_length(tf.size, [10, 20, 40], [32] * 4)
    return _next(tf, source.apply(bucket))


def generated(tf: Any, folder: Path) -> Any:
    """Elements of a generator, batched."""
    numbers = np.arange(RECORDS * 4, dtype=np.float32).reshape(-1, 4)

    def elements() -> Iterator[Any]:
        for number in range(RECORDS):
            yield numbers[number], number

    source = tf.data.Dataset.from_generator(elements, (tf.float32, tf.int64), ([4], []))
    return _next(tf, source.batch(32))


def shuffle_batch(tf: Any, folder: Path) -> Any:
    """Rows of an array by a queue runner, batched at random by another queue."""
    numbers = np.arange(RECORDS * 4, dtype=np.float32).reshape(-1, 4)
    row, label = tf.train.slice_input_producer([numbers, np.arange(RECORDS)], shuffle=False)
    return tf.train.shuffle_batch([row, label], 32, capacity=512, min_after_dequeue=256)


PIPELINES = (
    Pipeline("slices", slices, 1),
    Pipeline("small elements, batched", small, BATCH),
    Pipeline("small elements, shuffled and batched", shuffled, BATCH, is_ordered=False),
    Pipeline("small elements, mapped and batched", mapped, BATCH),
    Pipeline("images, mapped and batched", images, 32),
    Pipeline("JPEG files, decoded, resized, flipped", photos, 8, is_ordered=False),
    Pipeline("sequences, padded", padded, 32),
    Pipeline("sequences, in buckets", buckets, 32),
    Pipeline("records of a file, parsed", records, BATCH),
    Pipeline("records of a file, 20 features", rows, BATCH),
    Pipeline("parse_example", parsing, BATCH),
    Pipeline("a generator, batched", generated, 32),
    Pipeline("queues: lines", lines(1), BATCH, is_ordered=False),
    Pipeline("queues: lines, 64 at once", lines(64), BATCH, is_ordered=False),
    Pipeline("queues: shuffle_batch", shuffle_batch, 32, is_ordered=False),
)
