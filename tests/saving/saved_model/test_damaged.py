"""SavedModels that are damaged or hostile: an error says what, and nothing outside is read."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.saving.saved_model.assets import get_asset_tensors


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "asset").write_text("inside", encoding="utf-8")
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        path = tf.constant(str(folder / "asset"), name="path")
        use = tf.group(path)
        session.run(v.initializer)
        builder = tf.saved_model.Builder(folder / "model")
        builder.add_meta_graph_and_variables(session, ["t"], assets_collection=[path], main_op=use)
        builder.save()
    return folder / "model"


def _load(folder: Path) -> Any:
    with tf.Session(graph=tf.Graph()) as session:
        tf.saved_model.load(session, ["t"], folder)
        return session.run("v:0").tolist()


def _copy(model: Path, to: Path) -> Path:
    for each in model.rglob("*"):
        if each.is_file():
            target = to / each.relative_to(model)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(each.read_bytes())
    return to


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/hostname", "a/../../b", "..\\b", "..", "a\0b"]
)
def test_no_asset_lies_outside(name: str) -> None:
    meta_graph = MetaGraphDef()
    asset = meta_graph.asset_file_def.add(filename=name)
    asset.tensor_info.name = "path:0"
    with pytest.raises(tf.errors.InvalidArgumentError, match="tensor 'path:0' lies outside"):
        get_asset_tensors("/folder", meta_graph)


def test_assets_below_the_folder_are_found() -> None:
    meta_graph = MetaGraphDef()
    meta_graph.asset_file_def.add(filename="a/..b").tensor_info.name = "path:0"
    assert get_asset_tensors("/folder", meta_graph) == {"path:0": "/folder/assets/a/..b"}


def test_what_is_packed_as_an_asset_is_one(model: Path, tmp_path: Path) -> None:
    def spoil(read: SavedModel) -> None:
        packed = read.meta_graphs[0].collection_def["saved_model_assets"].any_list.value[0]
        packed.type_url = "type.googleapis.com/tensorflow.GraphDef"

    changed = _changed(model, tmp_path, spoil)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no AssetFileDef: type"):
        _load(changed)


def _changed(model: Path, to: Path, change: Callable[[SavedModel], None]) -> Path:
    folder = _copy(model, to)
    read = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    change(read)
    (folder / "saved_model.pb").write_bytes(read.SerializeToString())
    return folder


def test_a_variable_that_cannot_be_read_is_told(model: Path, tmp_path: Path) -> None:
    def spoil(read: SavedModel) -> None:
        items = read.meta_graphs[0].collection_def["variables"].bytes_list.value
        items[0] = items[0][:-1]

    with pytest.raises(tf.errors.DataLossError, match="collection variables cannot be read"):
        _load(_changed(model, tmp_path, spoil))


def test_several_main_ops_are_refused(model: Path, tmp_path: Path) -> None:
    def double(read: SavedModel) -> None:
        nodes = read.meta_graphs[0].collection_def["saved_model_main_op"].node_list
        nodes.value.append(nodes.value[0])

    with pytest.raises(RuntimeError, match="exactly one SavedModel init op"):
        _load(_changed(model, tmp_path, double))


def test_a_missing_init_op_is_told(model: Path, tmp_path: Path) -> None:
    def name_another(read: SavedModel) -> None:
        key = "__saved_model_init_op"
        read.meta_graphs[0].signature_def[key].outputs[key].name = "nowhere"

    with pytest.raises(tf.errors.NotFoundError, match="could not be found in the graph"):
        _load(_changed(model, tmp_path, name_another))


def test_functions_that_call_themselves_end(model: Path, tmp_path: Path) -> None:
    def recurse(read: SavedModel) -> None:
        graph = read.meta_graphs[0].graph_def
        function = graph.library.function.add()
        function.signature.name = "again"
        function.signature.output_arg.add(name="y", type=1)
        call = function.node_def.add(name="call", op="PartitionedCall")
        for holder in (call, graph.node.add(name="first", op="PartitionedCall")):
            holder.attr["f"].func.name = "again"
            holder.attr["Tin"].list.SetInParent()
            holder.attr["Tout"].list.type.append(1)
        function.ret["y"] = "call:output:0"

    folder = _changed(model, tmp_path, recurse)
    with tf.Session(graph=tf.Graph()) as session:
        tf.saved_model.load(session, ["t"], folder)
        with pytest.raises(tf.errors.OpError):
            session.run("first:0")


def test_truncated_files_are_told(model: Path, tmp_path: Path) -> None:
    whole = (model / "saved_model.pb").read_bytes()
    folder = _copy(model, tmp_path / "cut")
    for length in range(1, len(whole), max(1, len(whole) // 25)):
        (folder / "saved_model.pb").write_bytes(whole[:length])
        with pytest.raises((OSError, RuntimeError, ValueError, tf.errors.OpError)):
            _load(folder)
    (folder / "saved_model.pb").unlink()
    with pytest.raises(OSError, match="SavedModel file does not exist at: "):
        _load(folder)
    (folder / "saved_model.pbtxt").write_text("meta_graphs {", encoding="utf-8")
    with pytest.raises(OSError, match=r"Cannot parse file .*saved_model.pbtxt: "):
        _load(folder)
    (folder / "saved_model.pbtxt").write_bytes(b"\xff\xfe")
    with pytest.raises(OSError, match="Cannot parse file"):
        _load(folder)


def test_flipped_bits_end_in_an_error_or_change_nothing_else(model: Path, tmp_path: Path) -> None:
    folder = _copy(model, tmp_path / "flipped")
    chance = random.Random(3)
    files = [each for each in folder.rglob("*") if each.is_file()]
    for _ in range(60):
        file = chance.choice(files)
        whole = file.read_bytes()
        flipped = bytearray(whole)
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        file.write_bytes(flipped)
        try:
            assert len(_load(folder)) >= 0
        except tf.errors.InternalError:
            raise
        except (OSError, RuntimeError, ValueError, KeyError, tf.errors.OpError):
            pass
        file.write_bytes(whole)
