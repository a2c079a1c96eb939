"""Files that are right, of each kind that is read; what is tried are changes of them."""

from __future__ import annotations

import gzip
import io
import json
import struct
import tempfile
from pathlib import Path

import h5py
import numpy as np
from google.protobuf import text_format
from PIL import Image

import dataflow as tf
from dataflow.records.framing import framed

MORE = b"\0more\0"
"""Between a checkpoint's index and its data."""


def graphs() -> list[bytes]:
    """GraphDefs: constants, a loop, a function of tf.data and variables."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], "x")
        w = tf.get_variable("w", [3, 2])
        v = tf.get_variable("v", [2], use_resource=True)
        y = tf.nn.relu(tf.matmul(x, w) + v, name="y")
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        words = tf.data.Dataset.from_tensor_slices(["a", "b"]).map(tf.strings.length).batch(2)
        tf.identity(words.make_one_shot_iterator().get_next(), "words")
        tf.split(y, [1, 1], 1)
    return [graph.as_graph_def().SerializeToString(deterministic=True)]


def graph_texts() -> list[bytes]:
    """The same as protobuf text."""
    return [text_format.MessageToString(tf.GraphDef.FromString(g)).encode() for g in graphs()]


def saved_models() -> list[bytes]:
    """The file of a SavedModel with an asset and a main op."""
    with tempfile.TemporaryDirectory() as name, tf.Graph().as_default(), tf.Session() as session:
        asset = Path(name) / "words.txt"
        asset.write_text("a\nb\n")
        path = tf.constant(str(asset), name="path")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
        x = tf.placeholder(tf.float32, [None, 2], "x")
        w = tf.ones([2, 2])
        inputs = {"x": tf.saved_model.build_tensor_info(x)}
        outputs = {"y": tf.saved_model.build_tensor_info(x @ w)}
        signature = tf.saved_model.build_signature_def(
            inputs, outputs, "tensorflow/serving/predict"
        )
        builder = tf.saved_model.Builder(str(Path(name) / "model"))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=tf.no_op("main"),
        )
        builder.save()
        return [(Path(name) / "model" / "saved_model.pb").read_bytes()]


def write_objects(folder: str) -> str:
    """A SavedModel of a module with variables and functions."""
    with tf.Graph().as_default(), tf.Session() as session:
        module = tf.Module("m")
        module.w = tf.Variable([[1.0, 2.0]], use_resource=True)
        module.parts = [tf.Variable(1.0, use_resource=True)]
        spec = tf.TensorSpec([None, 1], tf.float32, "x")
        module.call = tf.wrap_function(lambda x: {"y": x @ module.w + module.parts[0]}, [spec])
        session.run(tf.global_variables_initializer())
        tf.saved_model.save(module, folder, module.call)
    return folder


def objects() -> list[bytes]:
    """The file of such a SavedModel."""
    with tempfile.TemporaryDirectory() as name:
        return [Path(write_objects(name), "saved_model.pb").read_bytes()]


def bundles() -> list[bytes]:
    """A checkpoint's index and data."""
    with tempfile.TemporaryDirectory() as name, tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("a", initializer=np.arange(6, dtype=np.float32).reshape(2, 3))
        tf.get_variable("s", initializer=tf.constant(["one", "two"]))
        parts = tf.fixed_size_partitioner(2)
        tf.get_variable("p", [4, 2], partitioner=parts, initializer=tf.ones_initializer())
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, f"{name}/c", write_meta_graph=False)
        data = Path(f"{prefix}.data-00000-of-00001").read_bytes()
        return [Path(f"{prefix}.index").read_bytes() + MORE + data]


def legacy_checkpoints() -> list[bytes]:
    """A checkpoint of TensorFlow's first format."""
    with tempfile.TemporaryDirectory() as name, tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("a", initializer=np.arange(6, dtype=np.float32).reshape(2, 3))
        tf.get_variable("s", initializer=tf.constant(["one", "two"]))
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver(write_version=tf.train.SaverDef.V1)
        return [Path(saver.save(session, f"{name}/c", write_meta_graph=False)).read_bytes()]


def safetensors() -> list[bytes]:
    """Two tensors."""
    header = {
        "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "b": {"dtype": "BF16", "shape": [3], "data_offsets": [16, 22]},
    }
    text = json.dumps(header).encode()
    return [len(text).to_bytes(8, "little") + text + bytes(22)]


def archives() -> list[bytes]:
    """npz, stored and compressed."""
    found = []
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, a=np.arange(6.0).reshape(2, 3), b=np.array(["x", "yz"]))
        found.append(file.getvalue())
    return found


def hdf5() -> list[bytes]:
    """Weights as Keras writes them."""
    file = io.BytesIO()
    with h5py.File(file, "w") as written:
        group = written.create_group("model_weights/dense/dense")
        group["kernel:0"] = np.ones((2, 3), np.float32)
        group.create_dataset("bias:0", data=np.zeros(3), chunks=(3,), compression="gzip")
        written.attrs["layer_names"] = [b"dense"]
    return [file.getvalue()]


def records() -> list[bytes]:
    """Records, plain and compressed."""
    plain = b"".join(framed(record) for record in (b"", b"one", b"x" * 300))
    return [plain, gzip.compress(plain)]


def events() -> list[bytes]:
    """A file of events."""
    with tempfile.TemporaryDirectory() as name:
        writer = tf.summary.FileWriter(name)
        value = tf.Summary.Value(tag="loss", simple_value=0.5)
        writer.add_summary(tf.Summary(value=[value]), 3)
        writer.close()
        (path,) = Path(name).iterdir()
        return [path.read_bytes()]


def examples() -> list[bytes]:
    """An Example with lists of all kinds."""
    features = {
        "i": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 3])),
        "f": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 2.0])),
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x", b""])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=features))
    return [example.SerializeToString(deterministic=True)]


def sequence_examples() -> list[bytes]:
    """A SequenceExample with context and two lists of features."""
    context = tf.train.Features(
        feature={"i": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}
    )
    steps = [tf.train.Feature(float_list=tf.train.FloatList(value=[n, n])) for n in range(3)]
    words = [tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"]))] * 2
    lists = {
        "f": tf.train.FeatureList(feature=steps),
        "b": tf.train.FeatureList(feature=words),
    }
    message = tf.train.SequenceExample(
        context=context, feature_lists=tf.train.FeatureLists(feature_list=lists)
    )
    return [message.SerializeToString(deterministic=True)]


def images(*kinds: str) -> list[bytes]:
    """Small images, in color, gray and with a palette, of these formats of Pillow's."""
    rng = np.random.default_rng(0)
    color = Image.fromarray(rng.integers(0, 255, (9, 7, 3), np.uint8))
    found = []
    for kind in kinds:
        modes = ("RGB", "L") if kind == "JPEG" else ("RGB", "L", "P")
        for mode in modes:
            file = io.BytesIO()
            more = {"save_all": True, "append_images": [color.convert(mode)] * 2}
            color.convert(mode).save(file, kind, **(more if kind == "GIF" else {}))
            found.append(file.getvalue())
    return found


def waves() -> list[bytes]:
    """A WAV file of 16 bits."""
    data = np.arange(20, dtype="<i2").tobytes()
    form = struct.pack("<HHIIHH", 1, 2, 8000, 32000, 4, 16)
    body = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", 40) + data
    return [b"RIFF" + struct.pack("<I", len(body)) + body]


def lines() -> list[bytes]:
    """Rows of CSV."""
    return [b'1,2.5,"a ""b"", c"', b",,", b"7,1e3,x"]


def json_examples() -> list[bytes]:
    """An Example as JSON."""
    return [
        b'{"features": {"feature": {"i": {"int64List": {"value": ["1", "2"]}},'
        b' "b": {"bytesList": {"value": ["aGk="]}}, "f": {"floatList": {"value": [0.5]}}}}}'
    ]


def tensor_protos() -> list[bytes]:
    """Tensors as messages."""
    values = (np.arange(6, dtype=np.float32).reshape(2, 3), np.array([b"a", b"bc"]))
    return [tf.make_tensor_proto(value).SerializeToString() for value in values]


def requests() -> list[bytes]:
    """Bodies of requests for predictions."""
    return [
        b'{"instances": [[1, 2.5], [3, 4]]}',
        b'{"inputs": {"x": [[1, 2]]}, "signature_name": "serving_default"}',
        b'{"instances": [{"x": {"b64": "aGk="}}]}',
    ]
