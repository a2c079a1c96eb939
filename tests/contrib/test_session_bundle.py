"""tf.contrib.session_bundle: what is exported and loaded; the texts are TensorFlow 1.15's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.session_bundle import constants, exporter, gc, manifest_pb2, session_bundle


def exported(folder: Path, steps: tuple[int, ...] = (3,), **options: Any) -> list[str]:
    """Exports of a model that doubles numbers and says what its file says."""
    (folder / "words.txt").write_text("a few")
    base, found = folder / "exports", []
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.multiply(x, tf.get_variable("v", initializer=[2.0]), name="y")
        path = tf.constant(str(folder / "words.txt"))
        kept = [tf.GraphKeys.LOCAL_VARIABLES]
        words = tf.Variable("", name="words", trainable=False, collections=kept)
        start = tf.group(words.assign(tf.read_file(path)))
        step = tf.train.get_or_create_global_step()
        session.run(tf.global_variables_initializer())
        export = exporter.Exporter(tf.train.Saver())
        export.init(
            init_op=start,
            default_graph_signature=exporter.regression_signature(x, y),
            named_graph_signatures={
                "classes": exporter.classification_signature(x, scores_tensor=y),
                "names": exporter.generic_signature({"in": x, "out": y}),
            },
            assets_collection=[path],
            **options,
        )
        with pytest.raises(RuntimeError, match="init should be called only once"):
            export.init()
        for number in steps:
            session.run(step.assign(number))
            keep = gc.largest_export_versions(2)
            found.append(export.export(f"{base}/", step, session, keep).decode())
        with pytest.raises(RuntimeError, match="Overwriting exports can cause corruption"):
            export.export(str(base), step, session)
    (folder / "words.txt").unlink()
    return found


@pytest.mark.parametrize("clear", [False, True])
def test_exported_and_loaded(clear: bool, tmp_path: Path) -> None:
    (folder,) = exported(tmp_path, clear_devices=clear)
    assert Path(folder) == tmp_path / "exports" / "00000003"
    assert session_bundle.maybe_session_bundle_dir(folder)
    session, meta_graph = session_bundle.load_session_bundle_from_path(folder)
    assert session.graph is tf.get_default_graph()
    with session:
        assert session.run("words:0") == b"a few"
        np.testing.assert_array_equal(session.run("y:0", {"x:0": [3.0, 4.0]}), [6, 8])
    tf.reset_default_graph()
    (packed,) = meta_graph.collection_def[constants.SIGNATURES_KEY].any_list.value
    # The type is TensorFlow's, so that either reads what the other has written.
    assert packed.type_url == "type.googleapis.com/tensorflow.serving.Signatures"
    signatures = manifest_pb2.Signatures()
    signatures.ParseFromString(packed.value)
    regression = signatures.default_signature.regression_signature
    assert (regression.input.tensor_name, regression.output.tensor_name) == ("x:0", "y:0")
    classes = signatures.named_signatures["classes"].classification_signature
    assert (classes.scores.tensor_name, classes.HasField("classes")) == ("y:0", False)
    names = signatures.named_signatures["names"].generic_signature.map
    assert {name: each.tensor_name for name, each in names.items()} == {"in": "x:0", "out": "y:0"}


def test_messages_that_tensorflow_1_15_wrote() -> None:
    signatures = manifest_pb2.Signatures.FromString(
        bytes.fromhex(
            "0a100a0e0a050a03783a3012050a03793a3012160a01631211120f0a030a016112030a01621a030a0164"
            "12110a0167120c1a0a0a080a016b12030a0176"
        )
    )
    regression = signatures.default_signature.regression_signature
    assert (regression.input.tensor_name, regression.output.tensor_name) == ("x:0", "y:0")
    found = signatures.named_signatures["c"].classification_signature
    names = [found.input.tensor_name, found.classes.tensor_name, found.scores.tensor_name]
    assert names == ["a", "b", "d"]
    assert signatures.named_signatures["g"].generic_signature.map["k"].tensor_name == "v"
    asset = manifest_pb2.AssetFile.FromString(bytes.fromhex("0a030a0174120166"))
    assert (asset.tensor_binding.tensor_name, asset.filename) == ("t", "f")


def test_old_exports_go(tmp_path: Path) -> None:
    exported(tmp_path, steps=(1, 2, 10))
    left = sorted(path.name for path in (tmp_path / "exports").iterdir())
    assert left == ["00000002", "00000010"]


def test_what_is_no_bundle_and_what_cannot_be_exported(tmp_path: Path) -> None:
    assert not session_bundle.maybe_session_bundle_dir(str(tmp_path))
    with pytest.raises(RuntimeError, match="Expected meta graph file missing"):
        session_bundle.load_session_bundle_from_path(str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [])
        export = exporter.Exporter(tf.train.Saver())
        with pytest.raises(RuntimeError, match="init must be called first"):
            export.export(str(tmp_path), v, session)
        with pytest.raises(TypeError, match="init_op needs to be an Operation"):
            exporter.Exporter(tf.train.Saver()).init(init_op="init")
        wrong: list[tuple[Any, type[Exception], str]] = [
            ("file", TypeError, "tensor is not a Tensor"),
            (tf.placeholder(tf.string, []), TypeError, "Only constants tensor are supported"),
            (tf.constant(1), TypeError, "File paths should be string"),
            (tf.constant(["a", "b"]), TypeError, "Only scalar tensors are supported"),
            (tf.constant(""), ValueError, "invalid asset filepath tensor"),
        ]
        for asset, error, text in wrong:
            with pytest.raises(error, match=text):
                export.init(assets_collection=[asset])
