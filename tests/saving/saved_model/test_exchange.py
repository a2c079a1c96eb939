"""SavedModels that one library writes and the other one loads, and the arguments of both ways."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from tensorflow.core.protobuf.meta_graph_pb2 import AssetFileDef as TheirAssetFileDef

import dataflow
from dataflow.proto.meta_graph_pb2 import AssetFileDef
from dataflow.saving.saved_model.assets import get_asset_tensors
from dataflow.saving.saved_model.files import parse_saved_model
from tests.conftest import SessionFactory
from tests.oracle import open_session

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()
oracle.disable_resource_variables()

LIBRARIES = pytest.mark.parametrize("tf", [dataflow, oracle], ids=["dataflow", "tensorflow"])
BOTH_WAYS = pytest.mark.parametrize(
    ("writer", "reader"), [(dataflow, oracle), (oracle, dataflow)], ids=["to", "from"]
)
X = np.array([[1, 2, 3]], np.float32)


def _model(tf: Any, folder: Path) -> dict[str, Any]:
    """Two variables, and a table that a file fills; the file is in a folder that goes."""
    folder.mkdir(exist_ok=True)
    (folder / "words.txt").write_text("zero\none\ntwo\n", encoding="utf-8")
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    words = tf.placeholder(tf.string, [None], name="words")
    w = tf.get_variable(
        "w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2), use_resource=False
    )
    b = tf.get_variable("b", initializer=np.ones(2, np.float32), use_resource=True)
    path = tf.constant(str(folder / "words.txt"), name="path")
    table = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            path,
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        ),
        -1,
    )
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
    return {
        "x": x,
        "words": words,
        "y": tf.add(tf.matmul(x, w), b, name="y"),
        "ids": tf.identity(table.lookup(words), name="ids"),
        "b": b,
    }


def _save(tf: Any, folder: Path, as_text: bool = False) -> None:
    """Two graphs of one set of variables: the second has only the sum."""
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        parts = _model(tf, folder / "files")
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        session.run(parts["b"].assign([5.0, 6.0]))
        signature = tf.saved_model.predict_signature_def(
            {key: parts[key] for key in ("x", "words")}, {key: parts[key] for key in ("y", "ids")}
        )
        builder = tf.saved_model.builder.SavedModelBuilder(str(folder / "model"))
        builder.add_meta_graph_and_variables(
            session,
            [tf.saved_model.tag_constants.SERVING],
            {tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=tf.tables_initializer(),
        )
    with tf.Graph().as_default():
        b = tf.get_variable("b", [2], use_resource=True)
        doubled = tf.multiply(b.read_value(), 2.0, name="doubled")
        signature = tf.saved_model.predict_signature_def({"b": b}, {"doubled": doubled})
        builder.add_meta_graph(
            [tf.saved_model.SERVING, "double"], {"double": signature}, strip_default_attrs=True
        )
    path = builder.save(as_text)
    suffix = "pbtxt" if as_text else "pb"
    assert path == os.fsencode(folder / "model" / f"saved_model.{suffix}")
    (folder / "files" / "words.txt").unlink()


@BOTH_WAYS
@pytest.mark.parametrize("as_text", [False, True])
def test_crosses_over(writer: Any, reader: Any, as_text: bool, tmp_path: Path) -> None:
    _save(writer, tmp_path, as_text)
    model = str(tmp_path / "model")
    assert reader.saved_model.loader.maybe_saved_model_directory(model)
    assert not reader.saved_model.contains_saved_model(str(tmp_path))
    with open_session(reader, reader.Graph()) as session:
        loaded = reader.saved_model.loader.load(session, ["serve"], model)
        assert list(loaded.meta_info_def.tags) == ["serve"]
        signature = loaded.signature_def["serving_default"]
        packed = loaded.collection_def["saved_model_assets"].any_list.value[0]
        asset = (AssetFileDef if reader is dataflow else TheirAssetFileDef)()
        assert packed.Unpack(asset) and asset.filename == "words.txt"
        assert reader.saved_model.is_valid_signature(signature)
        y, ids = session.run(
            [signature.outputs["y"].name, signature.outputs["ids"].name],
            {
                signature.inputs["x"].name: X,
                signature.inputs["words"].name: ["two", "many", "zero"],
            },
        )
        np.testing.assert_array_equal(y, [[16 + 5, 22 + 6]])
        np.testing.assert_array_equal(ids, [2, -1, 0])
    with open_session(reader, reader.Graph()) as session:
        reader.saved_model.loader.load(session, {"double", "serve"}, model, import_scope="twice")
        np.testing.assert_array_equal(session.run("twice/doubled:0"), [10, 12])


def test_loads_on_every_target_and_below_a_scope(
    tmp_path: Path, session_factory: SessionFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    _save(dataflow, tmp_path)
    # A relative path means the folder of this process.
    monkeypatch.chdir(tmp_path)
    session = session_factory(dataflow.Graph())
    dataflow.saved_model.load(session, ["serve"], "model", import_scope="s")
    np.testing.assert_array_equal(session.run("s/y:0", {"s/x:0": X}), [[21, 28]])
    np.testing.assert_array_equal(session.run("s/ids:0", {"s/words:0": ["two"]}), [2])


@BOTH_WAYS
def test_simple_save_crosses_over(writer: Any, reader: Any, tmp_path: Path) -> None:
    with writer.Graph().as_default() as graph, open_session(writer, graph) as session:
        parts = _model(writer, tmp_path / "files")
        session.run(writer.global_variables_initializer())
        writer.saved_model.simple_save(
            session,
            str(tmp_path / "model"),
            {"x": parts["x"], "words": parts["words"]},
            {"y": parts["y"], "ids": parts["ids"]},
            legacy_init_op=writer.tables_initializer(),
        )
    with open_session(reader, reader.Graph()) as session:
        loaded = reader.saved_model.load(session, ["serve"], str(tmp_path / "model"))
        assert sorted(loaded.signature_def) == ["serving_default"]
        np.testing.assert_array_equal(session.run("ids:0", {"words:0": ["one"]}), [1])


@LIBRARIES
def test_assets_of_one_name_are_kept_apart(tf: Any, tmp_path: Path) -> None:
    for name, text in (("a", "1"), ("b", "2"), ("c", "1")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(text, encoding="utf-8")
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        paths = [tf.constant(str(tmp_path / name / "file"), name=name) for name in "abc"]
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(session, ["t"], assets_collection=paths)
        builder.save()
    assets = tmp_path / "model" / "assets"
    assert {each.name: each.read_text() for each in assets.iterdir()} == {
        "file": "1",
        "file_1": "2",
    }
    with open_session(dataflow, dataflow.Graph()) as session:
        loaded = dataflow.saved_model.load(session, ["t"], str(tmp_path / "model"))
    found = get_asset_tensors("there", loaded, "scope")
    assert found == {
        "scope/a:0": "there/assets/file",
        "scope/b:0": "there/assets/file_1",
        "scope/c:0": "there/assets/file",
    }


@LIBRARIES
def test_a_saver_and_a_main_op_of_the_programs_own(tf: Any, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        a = tf.get_variable("a", initializer=1.0, use_resource=False)
        b = tf.get_variable("b", initializer=2.0, use_resource=False)
        session.run([a.initializer, b.initializer])
        session.run([a.assign(10.0), b.assign(20.0)])
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(
            session, ["t"], main_op=b.initializer, saver=tf.train.Saver([a], max_to_keep=7)
        )
        builder.save()
    for reader in (dataflow, oracle):
        with open_session(reader, reader.Graph()) as session:
            loaded = reader.saved_model.load(session, ["t"], str(tmp_path / "model"))
            assert loaded.saver_def.max_to_keep == 7
            assert session.run(["a:0", "b:0"]) == [10.0, 2.0]
            assert [each.name for each in session.graph.get_collection("variables")] == [
                "a:0",
                "b:0",
            ]


@LIBRARIES
def test_main_ops_initialize_everything(tf: Any, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        a = tf.get_variable("a", initializer=1.0)
        tf.get_variable("c", initializer=3.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        session.run(tf.saved_model.main_op.main_op())
        session.run(a.assign(4.0))
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        saver = tf.train.Saver([a])
        builder.add_meta_graph_and_variables(
            session, ["t"], saver=saver, main_op=tf.saved_model.main_op.main_op()
        )
        builder.save()
        # No other operation of the step writes it.
        alone = tf.get_variable("alone", initializer=1.0, collections=[])
        restore = tf.saved_model.main_op_with_restore(alone.assign(7.0).op)
        session.run(a.assign(4.0))
        session.run(restore)
        assert session.run([a, alone]) == [1.0, 7.0]
    with open_session(dataflow, dataflow.Graph()) as session:
        dataflow.saved_model.load(session, ["t"], str(tmp_path / "model"))
        # What runs after restoring has the last word.
        assert session.run(["a:0", "c:0"]) == [1.0, 3.0]


@LIBRARIES
def test_devices_and_defaults_are_left_out(tf: Any, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        with tf.device("/cpu:0"):
            v = tf.get_variable("v", initializer=1.0)
            tf.matmul([[1.0]], [[v]], name="product")
        session.run(v.initializer)
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(session, ["plain"])
        builder.add_meta_graph(["bare"], clear_devices=True, strip_default_attrs=True)
        builder.save()
    plain, bare = parse_saved_model(tmp_path / "model").meta_graphs
    (product,) = (node for node in plain.graph_def.node if node.name == "product")
    assert product.device and "transpose_a" in product.attr
    (product,) = (node for node in bare.graph_def.node if node.name == "product")
    assert not product.device and "transpose_a" not in product.attr
    assert bare.meta_info_def.stripped_default_attrs


@LIBRARIES
def test_method_names_are_changed(tf: Any, tmp_path: Path) -> None:
    _save(tf, tmp_path)
    model = str(tmp_path / "model")
    updater = tf.saved_model.signature_def_utils.MethodNameUpdater(model)
    updater.replace_method_name("serving_default", "mine", tags="serve")
    for arguments, text in (
        (("", "m"), "`signature_key` must be defined."),
        (("double", ""), "`method_name` must be defined."),
        (("double", "m", ["serve"]), "does not have a signature_def with key: 'double'"),
        (("double", "m", "none"), "tags ['none'] could not be found in SavedModel"),
    ):
        with pytest.raises(ValueError) as raised:
            updater.replace_method_name(*arguments)
        assert text in str(raised.value)
    updater.save()
    with open_session(dataflow, dataflow.Graph()) as session:
        loaded = dataflow.saved_model.load(session, ["serve"], model)
    assert loaded.signature_def["serving_default"].method_name == "mine"


def _error(call: Any) -> tuple[str, str]:
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error).split(" but got type <")[0]
    return "", ""


def _misuses(tf: Any, folder: Path) -> list[tuple[str, str]]:
    """What goes wrong, and what is said."""
    found = []
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        v = tf.get_variable("v", initializer=1.0, use_resource=False)
        session.run(v.initializer)
        new = tf.saved_model.Builder
        info = tf.saved_model.build_tensor_info(v)
        make = tf.saved_model.build_signature_def
        builder = new(str(folder / "model"))
        found.append(_error(lambda: builder.add_meta_graph(["t"])))

        def add(signatures: Any = None, **kwargs: Any) -> None:
            builder.add_meta_graph_and_variables(session, ["t"], signatures, **kwargs)

        found.append(_error(lambda: add({"s": make({"x": tf.TensorInfo(dtype=1)})})))
        found.append(_error(lambda: add({"s": make({"x": tf.TensorInfo(name="v:0")})})))
        found.append(_error(lambda: add({"__saved_model_init_op": make({"x": info})})))
        found.append(_error(lambda: add({"__saved_model_train_op": make({"x": info})})))
        found.append(_error(lambda: add(main_op="init"))[:1])
        for wrong in (
            [tf.constant("")],
            ["path"],
            [tf.constant(1)],
            [tf.constant(["a", "b"])],
            [tf.placeholder(tf.string)],
        ):
            kind, text = _error(lambda wrong=wrong: add(assets_collection=wrong))
            found.append((kind, text if "Tensor(" not in text else ""))
        add(main_op=v.initializer)
        found.append(_error(add))
        found.append(_error(lambda: builder.add_meta_graph(["u"], main_op=v.initializer)))
        builder.save()
        found.append(_error(lambda: new(str(folder / "model"))))
        load = tf.saved_model.load
        found.append(_error(lambda: load(session, ["none"], str(folder / "model"))))
        found.append(_error(lambda: load(session, ["t", "u"], str(folder / "model"))))
        found.append(_error(lambda: load(session, ["t"], str(folder / "nowhere"))))
    return found


def test_misuses_are_told_as_by_tensorflow(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    told = [_misuses(dataflow, ours), _misuses(oracle, theirs)]
    told[1] = [tuple(text.replace(str(theirs), str(ours)) for text in each) for each in told[1]]
    assert told[0] == told[1]
