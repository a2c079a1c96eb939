"""Pipelines of tf.data.experimental whose elements are compared with TensorFlow's."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from typing import Any

from dataflow.proto.example_pb2 import Example
from dataflow.python_io import TFRecordWriter

_FOLDER = tempfile.mkdtemp(prefix="experimental_pipelines")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
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


PIPELINES = [
    value
    for name, value in dict(globals()).items()
    if callable(value) and value.__module__ == __name__ and not name.startswith("_")
]
