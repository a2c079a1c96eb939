"""The command convert: every form into every other, and the answers stay."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import h5py
import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

import dataflow as tf
from tests.command.models import B, W, X, Y, answer, call, oracle, refused, said, write_models
from tests.oracle import open_session


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models")
    write_models(path)
    # A SavedModel has its own.
    (path / "words.txt").rename(path / "moved.txt")
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    np.save(tmp_path / "x.npy", X)
    return tmp_path


SOURCES = ["saved", "frozen.pb", "frozen.pbtxt"]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", ["new.pb", "new.pbtxt", "new", "new.meta"])
def test_models(folder: Path, out: Path, source: str, target: str) -> None:
    done = said("convert", folder / source, out / target)
    np.testing.assert_allclose(answer(out / target), Y)
    assert done["kind"] == {".pb": "frozen", ".pbtxt": "text", ".meta": "MetaGraph"}.get(
        Path(target).suffix, "SavedModel"
    )
    if target == "new" and source == "saved":
        again = said("run", out / "new", "--signature", "find", "--feed", "w=['b']")
        assert again["values"]["i"]["values"] == [1]
    if target == "new":
        with open_session(oracle, oracle.Graph()) as session:
            loaded = oracle.saved_model.load(session, ["serve"], str(out / target))
            signature = loaded.signature_def["serving_default"]
            (y,) = (v.name for k, v in signature.outputs.items() if k == "y")
            np.testing.assert_allclose(session.run(y, {"x:0": X}), Y)
    if target.startswith("new.pb"):
        kind = tf.train.load_graph_def if hasattr(tf.train, "load_graph_def") else None
        assert kind is None or kind(out / target)


def test_a_meta_graph_with_its_checkpoint(folder: Path, out: Path) -> None:
    shutil.copy(folder / "moved.txt", folder / "words.txt")
    try:
        call("convert", folder / "model.meta", out / "frozen.pb", "--output", "y")
        np.testing.assert_allclose(answer(out / "frozen.pb"), Y)
        said("convert", folder / "model.meta", out / "saved")
        np.testing.assert_allclose(answer(out / "saved"), Y)
    finally:
        (folder / "words.txt").unlink()


def _found(path: Path, words: str, ids: str) -> Any:
    given = ("--feed", f"{words}=['b', 'a', 'z']", "--fetch", ids)
    return said("run", path, *given)["values"][ids]["values"]


def test_tables_go_along(folder: Path, out: Path) -> None:
    done = said("convert", folder / "saved", out / "frozen.pb", "--signature", "find")
    assert done["start"] == "init_all_tables"
    said("convert", out / "frozen.pb", out / "again", "--output", "ids")
    said("convert", folder / "saved", out / "new.meta", "--signature", "find")
    for name in ("frozen.pb", "again", "new.meta"):
        assert _found(out / name, "words:0", "ids:0") == [1, 0, -1]
    frozen = oracle.GraphDef.FromString((out / "frozen.pb").read_bytes())
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        oracle.import_graph_def(frozen, name="")
        session.run("init_all_tables")
        assert session.run("ids:0", {"words:0": ["b", "a", "z"]}).tolist() == [1, 0, -1]


def test_passes(folder: Path, out: Path) -> None:
    given = ("--inputs", "x", "--outputs", "y", "--transforms")
    done = said(
        *("transform", folder / "frozen.pb", out / "a.pbtxt", *given),
        "remove_nodes(op=Identity) sort_by_execution_order",
    )
    assert done["nodes"] < done["nodes_before"]
    np.testing.assert_allclose(answer(out / "a.pbtxt"), Y)
    told = refused("transform", folder / "frozen.pb", out / "b.pb", *given, "q")
    assert told == "Transform 'q' not recognized."


def test_state_is_not_frozen(out: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [], name="x")
        count = tf.get_variable("count", initializer=0, use_resource=True)
        session.run(count.initializer)
        more = tf.identity(count.assign_add(x))
        tf.saved_model.simple_save(session, str(out / "counting"), {"x": x}, {"n": more})
    told = refused("convert", out / "counting", out / "a.pb")
    assert "Cannot freeze variable 'count'" in told and "FILE.meta instead" in told
    said("convert", out / "counting", out / "a.meta")
    assert said("run", out / "a.meta", "--feed", "x=3")["values"]["n"]["values"] == 3


@pytest.mark.parametrize("suffix", [".safetensors", ".npz", ".ckpt"])
@pytest.mark.parametrize("source", ["saved", "model", "frozen.pb"])
def test_weights_and_back(folder: Path, out: Path, source: str, suffix: str) -> None:
    target = out / f"weights{suffix}"
    done = said("convert", folder / source, target)
    assert done["tensors"] == 2
    if suffix == ".safetensors":
        np.testing.assert_array_equal(safetensors.numpy.load_file(target)["w"], W)
    elif suffix == ".npz":
        np.testing.assert_array_equal(np.load(target)["b"], B)
    else:
        np.testing.assert_array_equal(oracle.train.load_checkpoint(str(target)).get_tensor("w"), W)
    said("convert", target, out / "again.ckpt")
    np.testing.assert_array_equal(tf.train.load_variable(str(out / "again.ckpt"), "w"), W)


@pytest.mark.parametrize("source", ["saved", "frozen.pb"])
@pytest.mark.parametrize("target", ["new.pb", "new", "new.meta"])
def test_other_weights(folder: Path, out: Path, source: str, target: str) -> None:
    safetensors.numpy.save_file({"w": 2 * W, "b": 3 * B}, out / "w.safetensors")
    said("convert", folder / source, out / target, "--weights", out / "w.safetensors")
    np.testing.assert_allclose(answer(out / target), X @ (2 * W) + 3 * B)


def test_types_of_safetensors(out: Path) -> None:
    tensors = {
        str(np.dtype(kind)): np.arange(4).astype(kind).reshape(2, 2)
        for kind in (
            *(np.bool_, np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16, np.float32),
            *(np.float64, ml_dtypes.bfloat16),
        )
    }
    np.savez(out / "all.npz", **{k: v for k, v in tensors.items() if k != "bfloat16"})
    said("convert", out / "all.npz", out / "all.safetensors")
    found = safetensors.numpy.load_file(out / "all.safetensors")
    assert found.keys() == tensors.keys() - {"bfloat16"}
    for name, value in found.items():
        np.testing.assert_array_equal(value, tensors[name])
        assert value.dtype == tensors[name].dtype
    said("convert", out / "all.safetensors", out / "all.ckpt")
    said("convert", out / "all.ckpt", out / "back.npz")
    for name, value in np.load(out / "back.npz").items():
        np.testing.assert_array_equal(value, tensors[name])


def test_a_constant_without_a_type_is_told(folder: Path, out: Path) -> None:
    graph_def = tf.GraphDef.FromString((folder / "frozen.pb").read_bytes())
    for node in graph_def.node:
        if node.op == "Const":
            node.attr["value"].tensor.dtype = 0
    (out / "bad.pb").write_bytes(graph_def.SerializeToString())
    assert "constant '" in refused("convert", out / "bad.pb", out / "a.npz")


def test_bfloat16_goes_both_ways(out: Path) -> None:
    value = np.array([1.5, -2], ml_dtypes.bfloat16)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=tf.constant(value))
        session.run(v.initializer)
        tf.train.Saver([v]).save(session, str(out / "half"), write_meta_graph=False)
    said("convert", out / "half", out / "half.safetensors")
    said("convert", out / "half.safetensors", out / "again.ckpt")
    found = tf.train.load_variable(str(out / "again.ckpt"), "v")
    assert found.dtype == value.dtype and list(found) == list(value)


def test_hdf5_of_keras(out: Path) -> None:
    with h5py.File(out / "model.h5", "w") as file:
        file["model_weights/dense/dense/kernel:0"] = X
        file["model_weights/top_level_model_weights/x"] = X
    with h5py.File(out / "model.weights.h5", "w") as file:
        file["layers/dense/vars/0"] = X
    said("convert", out / "model.h5", out / "a.npz")
    assert sorted(np.load(out / "a.npz").files) == ["dense/kernel", "top_level_model_weights/x"]
    said("convert", out / "model.weights.h5", out / "b.npz")
    assert np.load(out / "b.npz").files == ["layers/dense/vars/0"]
    assert "HDF5 is read only" in _written_as_hdf5(out)


def _written_as_hdf5(out: Path) -> str:
    from dataflow.command import weights

    with pytest.raises(tf.errors.UnimplementedError) as raised:
        weights.write("HDF5", str(out / "x.h5"), {"a": X})
    assert not list(out.glob("x.h5*"))
    return str(raised.value)


def _spoil(path: Path, at: int, to: bytes) -> None:
    data = bytearray(path.read_bytes())
    data[at : at + len(to)] = to
    path.write_bytes(data)


def test_mistakes_are_told(folder: Path, out: Path) -> None:
    (out / "full").mkdir()
    (out / "full" / "file").write_text("")
    cases: list[tuple[list[Any], str]] = [
        ([folder / "saved", out / "full"], "full is not empty"),
        ([folder / "frozen.pb", out / "a.pb", "--output", "q"], "has no node 'q'"),
        ([folder / "nothing", out / "a.pb"], "there is no"),
        ([__file__, out / "a.pb"], "is a program, and no model"),
        ([folder / "frozen.pb", out / "a.pb", "--weights", out / "none.npz"], "there is no"),
    ]
    safetensors.numpy.save_file({"q": W}, out / "q.safetensors")
    safetensors.numpy.save_file({"w": B}, out / "w.safetensors")
    for source, word in (("saved", "variable"), ("frozen.pb", "constant")):
        cases.append(
            ([folder / source, out / "a.pb", "--weights", out / "q.safetensors"], f"no {word} 'q'")
        )
        cases.append(
            ([folder / source, out / "a.pb", "--weights", out / "w.safetensors"], "'w' has shape")
        )
    for arguments, text in cases:
        assert text in refused("convert", *arguments)
    assert "Invalid value for '--to'" in refused(
        "convert", folder / "saved", out / "x", "--to", "q", status=2
    )


@pytest.mark.parametrize("name", ["w.safetensors", "w.npz", "w.h5"])
def test_damaged_weights_are_told(out: Path, name: str) -> None:
    path = out / name
    if name.endswith("h5"):
        with h5py.File(path, "w") as file:
            file["a"] = X
    else:
        np.savez(out / "first.npz", a=X)
        said("convert", out / "first.npz", path)
    whole = path.read_bytes()
    for at in (12, 20, len(whole) // 2):
        _spoil(path, at, b"\xff\xff\xff\xff")
        done = call("convert", path, out / "a.ckpt")
        # A file may be whole though some of its bytes are others.
        assert done.exit_code == 0 or len(done.stderr.splitlines()) == 1, done.output
        path.write_bytes(whole[:at])
        assert "Error: " in call("convert", path, out / "a.ckpt").stderr
        path.write_bytes(whole)
