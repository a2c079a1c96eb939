"""Pipelines of tf.data.experimental whose elements are compared with TensorFlow's."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import zlib
from typing import Any

from dataflow.proto.example_pb2 import Example
from dataflow.python_io import TFRecordWriter

_FOLDER = tempfile.mkdtemp(prefix="experimental_pipelines")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
_NAN = float("nan")
_FILES = [os.path.join(_FOLDER, f"examples{i}") for i in range(2)]


def _example(number: int) -> bytes:
    made = Example()
    features = made.features.feature
    features["n"].int64_list.value.append(number)
    features["words"].bytes_list.value.extend([b"w"] * (number % 3))
    features["places"].int64_list.value.extend(range(number % 2))
    features["weights"].float_list.value.extend([0.5] * (number % 2))
    data: bytes = made.SerializeToString()
    return data


def _write() -> None:
    for place, name in enumerate(_FILES):
        with TFRecordWriter(name) as writer:
            for i in range(4):
                writer.write(_example(4 * place + i))


_write()


def _features(tf: Any) -> dict[str, Any]:
    return {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "words": tf.io.VarLenFeature(tf.string),
        "weights": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
    }


def _tensors(tf: Any, found: dict[str, Any]) -> dict[str, Any]:
    """The tensors of which composite ones are made."""
    made = {}
    for key, value in found.items():
        if isinstance(value, tf.SparseTensor):
            made[key] = (value.indices, value.values, value.dense_shape)
        else:
            made[key] = value.to_tensor() if hasattr(value, "to_tensor") else value
    return made


def parsed_examples(tf: Any) -> Any:
    return (
        tf.data.TFRecordDataset(_FILES)
        .batch(3)
        .apply(tf.data.experimental.parse_example_dataset(_features(tf), num_parallel_calls=2))
        .map(lambda found: _tensors(tf, found))
    )


def parsed_ragged_features(tf: Any) -> Any:
    features = {"rows": tf.io.RaggedFeature(tf.int64, value_key="places")}
    return (
        tf.data.TFRecordDataset(_FILES)
        .batch(5)
        .apply(tf.data.experimental.parse_example_dataset(features, deterministic=True))
        .map(lambda found: _tensors(tf, found))
    )


def parsed_sparse_features(tf: Any) -> Any:
    features = {"both": tf.io.SparseFeature("places", "weights", tf.float32, 4)}
    return (
        tf.data.TFRecordDataset(_FILES)
        .batch(5)
        .apply(tf.data.experimental.parse_example_dataset(features))
        .map(lambda found: _tensors(tf, found))
    )


def batched_features(tf: Any) -> Any:
    features = {"n": tf.io.FixedLenFeature([], tf.int64), "words": tf.io.VarLenFeature(tf.string)}
    made = tf.data.experimental.make_batched_features_dataset(
        os.path.join(_FOLDER, "examples*"),
        3,
        features,
        num_epochs=2,
        shuffle_buffer_size=4,
        shuffle_seed=5,
        label_key="n",
        drop_final_batch=True,
    )
    return made.map(lambda found, label: (_tensors(tf, found), label))


def endless_features(tf: Any) -> Any:
    made = tf.data.experimental.make_batched_features_dataset(
        _FILES,
        3,
        {"n": tf.io.FixedLenFeature([], tf.int64)},
        reader=lambda name, key: tf.data.TFRecordDataset(name).map(lambda text: (key, text)),
        reader_args=["key"],
        shuffle=False,
        reader_num_threads=2,
    )
    return made.take(4)


def lists(tf: Any) -> Any:
    return tf.data.experimental.from_list([(1, [2.0]), (3, [4.0, 5.0])])


def filled_up(tf: Any) -> Any:
    source = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [["x"], ["y"]]})
    return source.apply(tf.data.experimental.pad_to_cardinality(4, "there"))


def failures_in_batches(tf: Any) -> Any:
    check = tf.debugging.check_numerics
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0, _NAN, _NAN, 5.0, 6.0, 7.0, _NAN])
    return numbers.apply(tf.data.experimental.map_and_batch(lambda x: check(x, "bad"), 3))


def shapes_in_batches(tf: Any) -> Any:
    """As many numbers in another shape take that of the first element; more or fewer do not."""
    rows = ([1, 2], [[3], [4]], [5, 6], [[7, 8]], [9], [10])
    made = tf.data.Dataset.from_generator(lambda: iter(rows), tf.int32)
    return made.apply(tf.data.experimental.map_and_batch(lambda x: x, 2, num_parallel_calls=1))


def _csv(tf: Any, text: bytes, **options: Any) -> Any:
    path = os.path.join(_FOLDER, f"{zlib.crc32(text)}.csv")
    with open(path, "wb") as file:
        file.write(text)
    options.setdefault("record_defaults", [[""]] * 3)
    return tf.data.experimental.CsvDataset(path, **options)


def csv_with_carriage_returns(tf: Any) -> Any:
    text = b'a,b,c\r"\n\n","\r\r","d""e"\r0,,2\r\n"","",""\r'
    return _csv(tf, text).concatenate(_csv(tf, text, buffer_size=2))


def csv_behind_what_is_wrong(tf: Any) -> Any:
    text = b'1,"2"3",4\n1,"2"3",4",5,5\na,b,"c"d"\n1,2"3,4\n9,8"7,6,5\n\ne,f,g\n"h'
    return _csv(tf, text)


def csv_with_too_few_columns(tf: Any) -> Any:
    return _csv(tf, b"1,2,3\n4,5,6,7\n", select_cols=[1, 3], record_defaults=[[0]] * 2)


def csv_without_its_header(tf: Any) -> Any:
    return _csv(tf, b"", header=True)


PIPELINES = [
    value
    for name, value in dict(globals()).items()
    if callable(value) and value.__module__ == __name__ and not name.startswith("_")
]
