"""Bundles that are loaded as SavedModels are: their signatures as TensorFlow 1.15 converts them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.contrib.session_bundle import bundle_shim, exporter

load = bundle_shim.load_session_bundle_or_saved_model_bundle_from_path
generic = exporter.generic_signature
PREDICT = ("tensorflow/serving/predict", {"a": "x:0"}, {"b": "y:0"})
ALL = {"inputs": lambda x, y: generic({"a": x}), "outputs": lambda x, y: generic({"b": y})}


def _exported(folder: Path, default: Any, named: Any) -> str:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.multiply(x, tf.get_variable("v", initializer=[2.0]), name="y")
        session.run(tf.global_variables_initializer())
        export = exporter.Exporter(tf.train.Saver())
        export.init(
            default_graph_signature=default(x, y),
            named_graph_signatures={key: make(x, y) for key, make in named.items()},
        )
        return export.export(str(folder), tf.constant(1), session).decode()


def _loaded(path: str, **options: Any) -> dict[str, Any]:
    tf.reset_default_graph()
    session, meta_graph = load(path, **options)
    with session:
        assert session.run("y:0", {"x:0": [3.0]}).tolist() == [6.0]
    return {
        key: (
            signature.method_name,
            {name: info.name for name, info in signature.inputs.items()},
            {name: info.name for name, info in signature.outputs.items()},
        )
        for key, signature in meta_graph.signature_def.items()
    }


@pytest.mark.parametrize(
    ("default", "named", "wanted"),
    [
        (
            exporter.regression_signature,
            ALL,
            {
                "serving_default": (
                    "tensorflow/serving/regress",
                    {"inputs": "x:0"},
                    {"outputs": "y:0"},
                ),
                "serving_default_from_named": PREDICT,
            },
        ),
        (
            lambda x, y: exporter.classification_signature(x, y, y),
            {},
            {
                "serving_default": (
                    "tensorflow/serving/classify",
                    {"inputs": "x:0"},
                    {"classes": "y:0", "scores": "y:0"},
                )
            },
        ),
        (lambda x, y: generic({"z": x}), ALL, {"serving_default": PREDICT}),
    ],
)
def test_bundles(tmp_path: Path, default: Any, named: Any, wanted: Any) -> None:
    assert _loaded(_exported(tmp_path / "bundle", default, named)) == wanted


def test_saved_models(tmp_path: Path) -> None:
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.multiply(x, tf.get_variable("v", initializer=[2.0]), name="y")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, folder, {"a": x}, {"b": y})
    assert _loaded(folder, tags=["serve"]) == {"serving_default": PREDICT}


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="not found at specified export location"):
        load(str(tmp_path))
    mixed = {**ALL, "inputs": exporter.regression_signature}
    path = _exported(tmp_path / "bundle", exporter.regression_signature, mixed)
    with pytest.raises(RuntimeError, match="Input signature type is regression_signature"):
        load(path)


def _meta_graph(path: str) -> tuple[Path, Any]:
    file = Path(path) / "export.meta"
    return file, tf.MetaGraphDef.FromString(file.read_bytes())


@pytest.mark.parametrize("count", [0, 2])
def test_another_number_of_signatures(count: int, tmp_path: Path) -> None:
    path = _exported(tmp_path / "bundle", exporter.regression_signature, ALL)
    file, meta_graph = _meta_graph(path)
    values = meta_graph.collection_def["serving_signatures"].any_list.value
    kept = [values[0]] * count
    del values[:]
    values.extend(kept)
    file.write_bytes(meta_graph.SerializeToString())
    with pytest.raises(RuntimeError, match=f"{re.escape(path)}: .* this one has {count}"):
        load(path)


def test_bytes_that_are_no_message(tmp_path: Path) -> None:
    path = _exported(tmp_path / "bundle", exporter.regression_signature, ALL)
    file, meta_graph = _meta_graph(path)
    meta_graph.collection_def["serving_signatures"].any_list.value[0].value = b"\x0a\x7f"
    file.write_bytes(meta_graph.SerializeToString())
    with pytest.raises(tf.errors.DataLossError, match=f"{re.escape(path)}: no signatures: "):
        load(path)
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(tf.errors.DataLossError, match=f"{re.escape(str(file))}: not a MetaGraph"):
        load(path)
