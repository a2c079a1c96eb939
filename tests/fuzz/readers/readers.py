"""Each reader as a function of bytes, which returns or raises one of the errors that are right."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import dataflow as tf
from dataflow.checkpoints.legacy import open_checkpoint
from dataflow.command.inspection import inspect
from dataflow.command.recognition import recognize
from dataflow.command.weights import read as read_weights
from dataflow.importing.files import load_graph_def
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.serving_predict_pb2 import PredictRequest
from dataflow.serving.rest_messages import fill_predict
from tests.fuzz.judge import Verdict
from tests.fuzz.readers import seeds

_FOLDER = tempfile.TemporaryDirectory()


@dataclass(frozen=True)
class Reader:
    """What reads bytes.

    Attributes:
        seeds: Gives bytes that it can read.
        read: Reads some.
        errors: What it may raise.
    """

    seeds: Callable[[], list[bytes]]
    read: Callable[[bytes], Any]
    errors: tuple[type[Exception], ...] = (tf.errors.OpError,)


def _written(data: bytes, name: str) -> str:
    path = os.path.join(_FOLDER.name, name)
    Path(path).write_bytes(data)
    return path


def _graph(data: bytes, name: str = "graph.pb") -> None:
    graph_def = load_graph_def(_written(data, name))
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")


def _saved_model(data: bytes) -> None:
    os.makedirs(os.path.join(_FOLDER.name, "model"), exist_ok=True)
    _written(data, "model/saved_model.pb")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["serve"], os.path.join(_FOLDER.name, "model"))


def _objects(data: bytes) -> None:
    folder = _objects_folder()
    Path(folder, "saved_model.pb").write_bytes(data)
    with tf.Graph().as_default():
        tf.saved_model.load_v2(folder)


@cache
def _objects_folder() -> str:
    """A SavedModel of objects, of which the file of graphs is replaced."""
    return seeds.write_objects(os.path.join(_FOLDER.name, "objects"))


def _tensors(prefix: str) -> None:
    reader = open_checkpoint(prefix)
    for name in reader.tensors():
        reader.read(name)


def _bundle(data: bytes) -> None:
    index, _, content = data.partition(seeds.MORE)
    _written(content, "bundle.data-00000-of-00001")
    _tensors(_written(index, "bundle.index").removesuffix(".index"))


def _weights(data: bytes, name: str) -> None:
    found = recognize(_written(data, name))
    if found.kind in ("safetensors", "npz", "HDF5"):
        read_weights(found)


def _records(data: bytes) -> None:
    path = _written(data, "records")
    for compression in (
        tf.python_io.TFRecordCompressionType.NONE,
        tf.python_io.TFRecordCompressionType.GZIP,
    ):
        options = tf.python_io.TFRecordOptions(compression)
        try:
            list(tf.python_io.tf_record_iterator(path, options))
        except tf.errors.DataLossError:
            continue


def _events(data: bytes) -> None:
    list(tf.train.summary_iterator(_written(data, "events")))


def _request(data: bytes) -> None:
    request = PredictRequest()
    request.model_spec.signature_name = "serving_default"
    fill_predict(_served(), data, request)


@cache
def _served() -> MetaGraphDef:
    """A graph that takes a matrix."""
    meta_graph = MetaGraphDef()
    signature = meta_graph.signature_def["serving_default"]
    signature.method_name = "tensorflow/serving/predict"
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], "x")
        signature.inputs["x"].CopyFrom(tf.saved_model.build_tensor_info(x))
        signature.outputs["y"].CopyFrom(tf.saved_model.build_tensor_info(x))
    return meta_graph


class _Step:
    """A function of a string, in a session that is opened when it is first called."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._call: Callable[[bytes], Any] | None = None

    def __call__(self, data: bytes) -> Any:
        if self._call is None:
            with tf.Graph().as_default() as graph:
                text = tf.placeholder(tf.string, [])
                fetches = self._function(text)
            self._call = tf.Session(graph=graph).make_callable(fetches, [text])
        return self._call(data)


def _example(text: Any) -> Any:
    spec = {
        "i": tf.VarLenFeature(tf.int64),
        "f": tf.FixedLenFeature([2], tf.float32, [0.0, 1.0]),
        "b": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    }
    single, batch = tf.parse_single_example(text, spec), tf.parse_example([text, text], spec)
    return [single["i"], single["f"], single["b"], batch["i"], batch["f"], batch["b"]]


def _sequence_example(text: Any) -> Any:
    context = {"i": tf.FixedLenFeature([], tf.int64, 0)}
    lists = {
        "f": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
        "b": tf.VarLenFeature(tf.string),
    }
    one = tf.parse_single_sequence_example(text, context, lists)
    many = tf.io.parse_sequence_example([text, text], context, lists)
    return [[d[k] for k in sorted(d)] for part in (one, many) for d in part if isinstance(d, dict)]


def _image(decode: Callable[..., Any], **more: Any) -> _Step:
    return _Step(lambda text: decode(text, **more))


_FRONT = (tf.errors.OpError, OSError, ValueError, RuntimeError, TypeError, KeyError)
"""Of what a program calls while it builds a graph; a KeyError names a node that is missing."""

READERS: dict[str, Reader] = {
    "graph": Reader(seeds.graphs, _graph),
    "graph_text": Reader(seeds.graph_texts, partial(_graph, name="graph.pbtxt")),
    "saved_model": Reader(seeds.saved_models, _saved_model, _FRONT),
    "objects": Reader(seeds.objects, _objects, _FRONT),
    "bundle": Reader(seeds.bundles, _bundle),
    "legacy": Reader(seeds.legacy_checkpoints, lambda data: _tensors(_written(data, "legacy"))),
    "safetensors": Reader(seeds.safetensors, partial(_weights, name="a.safetensors")),
    "npz": Reader(seeds.archives, partial(_weights, name="a.npz")),
    "hdf5": Reader(seeds.hdf5, partial(_weights, name="a.h5")),
    "any": Reader(
        lambda: [*seeds.graphs(), *seeds.graph_texts(), *seeds.safetensors(), *seeds.archives()],
        lambda data: inspect(_written(data, "file")),
    ),
    "records": Reader(seeds.records, _records),
    "events": Reader(seeds.events, _events),
    "example": Reader(seeds.examples, _Step(_example)),
    "sequence_example": Reader(seeds.sequence_examples, _Step(_sequence_example)),
    "json_example": Reader(seeds.json_examples, _Step(tf.io.decode_json_example)),
    "tensor": Reader(seeds.tensor_protos, _Step(lambda t: tf.io.parse_tensor(t, tf.float32))),
    "csv": Reader(seeds.lines, _Step(lambda text: tf.decode_csv(text, [[0], [0.5], ["x"]]))),
    "jpeg": Reader(partial(seeds.images, "JPEG"), _image(tf.image.decode_jpeg)),
    "jpeg_gray": Reader(
        partial(seeds.images, "JPEG"), _image(tf.image.decode_jpeg, channels=1, ratio=2)
    ),
    "png": Reader(partial(seeds.images, "PNG"), _image(tf.image.decode_png)),
    "png_16": Reader(
        partial(seeds.images, "PNG"), _image(tf.image.decode_png, channels=4, dtype=tf.uint16)
    ),
    "gif": Reader(partial(seeds.images, "GIF"), _image(tf.image.decode_gif)),
    "bmp": Reader(partial(seeds.images, "BMP"), _image(tf.image.decode_bmp)),
    "image": Reader(
        partial(seeds.images, "PNG", "JPEG", "GIF", "BMP"), _image(tf.image.decode_image)
    ),
    "wave": Reader(seeds.waves, _Step(tf.audio.decode_wav)),
    "request": Reader(seeds.requests, _request),
}
"""Name -> reader."""


def judged(reader: Reader, data: bytes) -> Verdict:
    """How a reader ends; a fault is told by the error and where it was raised."""
    try:
        reader.read(data)
    except Exception as error:
        # A Python error that a kernel did not foresee comes as one of these.
        unforeseen = isinstance(error, (tf.errors.InternalError, tf.errors.UnknownError))
        if isinstance(error, reader.errors) and not unforeseen:
            return Verdict("", str(error))
        places = traceback.extract_tb((error.__cause__ or error).__traceback__)
        place = f"{places[-1].filename}:{places[-1].lineno}"
        return Verdict(f"{type(error).__name__} at {place}", str(error)[:500])
    return Verdict("")
