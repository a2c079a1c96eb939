"""slim's data against tf_slim's: decoders, their handlers, readers, providers and queues."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from PIL import Image

import dataflow as tf
from dataflow.contrib.slim import record_files
from tests.contrib.oracle import tf_slim
from tests.differentiation.both import assert_same_graph, assert_same_refusal
from tests.ops.cases.parsing.messages import example, sequence

Program = Callable[[Any], Any]


def slim_of(library: Any) -> Any:
    return library.contrib.slim if library is tf else tf_slim


def image_file(kind: str) -> bytes:
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3) * 4
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind)
    return file.getvalue()


RAW = bytes(range(60))
FEATURES = {
    "ymin": [0.1, 0.2],
    "xmin": [0.3, 0.4],
    "ymax": [0.5, 0.6],
    "xmax": [0.7, 0.8],
    "flat": [1, 2, 3, 4, 5, 6],
    "rows": [2],
    "columns": [3],
    "shape": [3, 2],
    "word": [b"cat"],
    "indices": [1, 3],
    "values": [7, 9],
    "size": [5],
}


def decoded(tf: Any, features: Any, handlers: Any, message: bytes, items: Any = None) -> Any:
    decoder = slim_of(tf).tfexample_decoder.TFExampleDecoder(features, handlers)
    # TensorFlow would read a constant while it builds.
    serialized = tf.placeholder_with_default(message, ())
    found = decoder.decode(serialized, items or decoder.list_items())
    return [
        part
        for item in found
        for part in (
            (item.indices, item.values, item.dense_shape) if hasattr(item, "values") else (item,)
        )
    ]


def handler_program(kind: Callable[[Any, Any], Any]) -> Program:
    def build(tf: Any) -> Any:
        features = {
            **{key: tf.VarLenFeature(tf.float32) for key in ("ymin", "xmin", "ymax", "xmax")},
            **{key: tf.VarLenFeature(tf.int64) for key in ("flat", "indices", "values", "none")},
            "rows": tf.FixedLenFeature([1], tf.int64),
            "columns": tf.FixedLenFeature((), tf.int64, default_value=3),
            "shape": tf.VarLenFeature(tf.int64),
            "size": tf.VarLenFeature(tf.int64),
            "word": tf.FixedLenFeature((), tf.string),
        }
        handler = kind(tf, slim_of(tf).tfexample_decoder)
        return decoded(tf, features, {"item": handler}, example(**FEATURES))

    return build


HANDLERS: dict[str, Callable[[Any, Any], Any]] = {
    "boxes": lambda tf, d: d.BoundingBox(),
    "boxes of keys": lambda tf, d: d.BoundingBox(["min", "min", "max", "max"], "y"),
    "tensor": lambda tf, d: d.Tensor("flat"),
    "tensor of a shape": lambda tf, d: d.Tensor("flat", shape=[2, -1]),
    "tensor of a shape's feature": lambda tf, d: d.Tensor("flat", shape_keys="shape"),
    "dense tensor": lambda tf, d: d.Tensor("rows", shape=[1, 1], default_value=2),
    "sparse": lambda tf, d: d.SparseTensor(),
    "sparse of a shape": lambda tf, d: d.SparseTensor(shape=[6], densify=True, default_value=-1),
    "sparse of a shape's feature": lambda tf, d: d.SparseTensor(
        "indices", "values", "size", densify=True
    ),
    "backup": lambda tf, d: d.BackupHandler(d.Tensor("none"), d.Tensor("flat")),
    "no backup": lambda tf, d: d.BackupHandler(d.Tensor("flat"), d.Tensor("values")),
    "function": lambda tf, d: d.ItemHandlerCallback(
        ["rows", "columns"], lambda found: found["rows"] + found["columns"]
    ),
}


@pytest.mark.parametrize("name", HANDLERS)
def test_handlers(name: str) -> None:
    assert_same_graph(handler_program(HANDLERS[name]))


def image_program(contents: list[bytes], kind: bytes, **options: Any) -> Program:
    def build(tf: Any) -> Any:
        size = [len(contents)] if options.get("repeated") else ()
        given = {**options, "dtype": getattr(tf, options.get("dtype", "uint8"))}
        handler = slim_of(tf).tfexample_decoder.Image(**given)
        features = {
            "image/encoded": tf.FixedLenFeature(size, tf.string),
            "image/format": tf.FixedLenFeature((), tf.string, default_value="jpeg"),
        }
        message = example(**{"image/encoded": contents, "image/format": [kind]})
        return decoded(tf, features, {"image": handler}, message)

    return build


@pytest.mark.parametrize(
    ("contents", "kind", "options"),
    [
        ([image_file("JPEG")], b"jpeg", {}),
        ([image_file("PNG")], b"png", {"shape": (4, 5, 3)}),
        ([image_file("PNG")], b"png", {"channels": 1, "dtype": "float32"}),
        ([RAW], b"raw", {"shape": (4, 5, 3)}),
        ([RAW], b"RAW", {"shape": (20, 3, 1)}),
        ([image_file("PNG"), image_file("JPEG")], b"png", {"repeated": True}),
    ],
    ids=["jpeg", "png", "grey", "raw", "RAW", "repeated"],
)
def test_images(contents: list[bytes], kind: bytes, options: dict[str, Any]) -> None:
    program = image_program(contents, kind, **options)
    values = []
    for library in (tf, oracle):
        with library.Graph().as_default(), library.Session() as session:
            (image,) = program(library)
            values.append((image.shape.as_list(), session.run(image)))
    assert values[0][0] == values[1][0]
    np.testing.assert_array_equal(values[0][1], values[1][1])


def test_lookup() -> None:
    decoder = tf.contrib.slim.tfexample_decoder
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.contrib.lookup.index_table_from_tensor(["dog", "cat"])
        features = {"word": tf.VarLenFeature(tf.string)}
        handlers = {"item": decoder.LookupTensor("word", table)}
        (item,) = decoder.TFExampleDecoder(features, handlers).decode(
            example(word=[b"cat", b"dog"])
        )
        session.run(tf.tables_initializer())
        assert session.run(item).tolist() == [1, 0]


def sequence_program(kind: Callable[[Any], Any]) -> Program:
    message = sequence(
        {"id": [5]},
        **{
            f"b/{key}": [[0.1, 0.2], [], [float(i)]]
            for i, key in enumerate(("ymin", "xmin", "ymax", "xmax", "y", "x"))
        },
    )

    def build(tf: Any) -> Any:
        decoders = slim_of(tf).tfexample_decoder
        keys = ("ymin", "xmin", "ymax", "xmax", "y", "x")
        decoder = decoders.TFSequenceExampleDecoder(
            {"id": tf.FixedLenFeature((), tf.int64)},
            {f"b/{key}": tf.VarLenFeature(tf.float32) for key in keys},
            {"item": kind(decoders), "id": decoders.Tensor("id")},
        )
        return decoder.decode(message, ["item", "id"])

    return build


@pytest.mark.parametrize(
    "kind",
    [
        lambda d: d.BoundingBoxSequence(prefix="b/"),
        lambda d: d.KeypointsSequence(prefix="b/", default_value=-2.0),
        lambda d: d.NumBoxesSequence(["b/ymin", "b/xmax"]),
        lambda d: d.NumBoxesSequence(["b/ymin", "b/xmax"], check_consistency=False),
    ],
    ids=["boxes", "points", "counts", "one count"],
)
def test_sequences(kind: Callable[[Any], Any]) -> None:
    assert_same_graph(sequence_program(kind))


REFUSED: dict[str, Program] = {
    "box keys": lambda tf: slim_of(tf).tfexample_decoder.BoundingBox(["a"]),
    "shape twice": lambda tf: slim_of(tf).tfexample_decoder.Tensor("a", ["b"], [1]),
    "no files": lambda tf: slim_of(tf).parallel_reader.get_data_files(["/nowhere/*"]),
    "queue": lambda tf: slim_of(tf).parallel_reader.ParallelReader(
        tf.TFRecordReader, tf.FIFOQueue(2, [tf.string, tf.int64])
    ),
    "keys twice": lambda tf: slim_of(tf).tfexample_decoder.TFSequenceExampleDecoder(
        {"a": 1}, {"a": 1}, {}
    ),
    "sides": lambda tf: slim_of(tf).tfexample_decoder.BoundingBoxSequence(["a"]),
    "coordinates": lambda tf: slim_of(tf).tfexample_decoder.KeypointsSequence(["a"]),
    "no counts": lambda tf: slim_of(tf).tfexample_decoder.NumBoxesSequence(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    assert_same_refusal(REFUSED[name])


@pytest.fixture
def files(tmp_path: Path) -> str:
    for part in range(2):
        with tf.io.TFRecordWriter(str(tmp_path / f"part-{part}")) as writer:
            for number in range(3):
                writer.write(example(label=[10 * part + number], name=[b"n%d" % number]))
    return str(tmp_path / "part-*")


def dataset(tf: Any, files: str) -> Any:
    slim = slim_of(tf)
    decoder = slim.tfexample_decoder.TFExampleDecoder(
        {"label": tf.FixedLenFeature([], tf.int64), "name": tf.FixedLenFeature([], tf.string)},
        {
            "label": slim.tfexample_decoder.Tensor("label"),
            "name": slim.tfexample_decoder.Tensor("name"),
        },
    )
    return slim.dataset.Dataset(files, tf.TFRecordReader, decoder, 6, {"label": "a number"}, more=3)


def test_provider_builds_as_slim(files: str) -> None:
    def program(library: Any) -> Any:
        provider = slim_of(library).dataset_data_provider.DatasetDataProvider(
            dataset(library, files), num_readers=2, shuffle=True, num_epochs=1, seed=1
        )
        return provider.get(["label", "name", "record_key"])

    assert_same_graph(program, values=False)


def test_provider_reads_all(files: str) -> None:
    slim = tf.contrib.slim
    whole = dataset(tf, files)
    assert (whole.num_samples, whole.more) == (6, 3)
    with tf.Graph().as_default():
        provider = slim.dataset_data_provider.DatasetDataProvider(
            whole, shuffle=False, num_epochs=1, common_queue_capacity=4
        )
        label, name, key = provider.get(["label", "name", "record_key"])
        assert provider.num_samples() == 6
        with pytest.raises(ValueError, match=r"Item \[x\] is invalid"):
            provider.get(["x"])
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            found = []
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run((label, name, key)))
            coordinator.request_stop()
            coordinator.join(threads)
    assert [each[0] for each in found] == [0, 1, 2, 10, 11, 12]
    assert [each[1] for each in found] == [b"n0", b"n1", b"n2"] * 2
    assert found[0][2].endswith(b"part-0:0")


def test_prefetch_queue_and_single_pass(files: str) -> None:
    slim = tf.contrib.slim
    with tf.Graph().as_default():
        _, value = slim.parallel_reader.single_pass_read(files, tf.TFRecordReader)
        queue = slim.prefetch_queue.prefetch_queue({"v": value, "one": tf.constant([1])}, 2)
        taken = queue.dequeue()
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            values = [session.run(taken) for _ in range(6)]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(taken)
            coordinator.request_stop()
            coordinator.join(threads)
    assert sorted(values[0]) == ["one", "v"]
    assert len({each["v"] for each in values}) == 6


def test_files_to_try_readers_with(tmp_path: Path) -> None:
    np.random.seed(3)
    with tf.Graph().as_default(), tf.Session():
        pixels, serialized = record_files.generate_image((4, 5, 3), "png", label=2)
        paths = record_files.create_tfrecord_files(str(tmp_path), 2, 3)
        with pytest.raises(KeyError, match="gif"):
            record_files.generate_image((4, 5, 3), "gif")
    feature = tf.train.Example.FromString(serialized).features.feature
    (encoded,) = feature["image/encoded"].bytes_list.value
    assert np.array_equal(np.array(Image.open(io.BytesIO(encoded))), pixels)
    assert list(feature["image/class/label"].int64_list.value) == [2]
    assert [Path(path).name for path in paths] == [f"flowers.tfrecord-{at}-of-2" for at in (0, 1)]
    for path in paths:
        records = list(tf.python_io.tf_record_iterator(path))
        formats = [
            tf.train.Example.FromString(each).features.feature["image/format"].bytes_list.value
            for each in records
        ]
        assert formats == [[b"jpeg"]] * 3
