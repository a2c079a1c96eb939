"""The commands inspect, run, bench and devices."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import dataflow as tf
from dataflow.command.recognition import recognize
from tests.command.models import X, Y, answer, call, oracle, refused, said, write_models
from tests.house.tree import ROOT


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models")
    write_models(path)
    with h5py.File(path / "keras.h5", "w") as file:
        file["dense/dense/kernel:0"] = X
    np.savez(path / "arrays.npz", a=X)
    (path / "program").write_text("import tensorflow as tf\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("saved", "SavedModel"),
        ("saved/saved_model.pb", "SavedModel"),
        ("model.meta", "MetaGraph"),
        ("frozen.pb", "graph"),
        ("frozen.pbtxt", "graph"),
        ("model", "checkpoint"),
        ("model.index", "checkpoint"),
        ("model.data-00000-of-00001", "checkpoint"),
        ("", "checkpoint"),
        ("keras.h5", "HDF5"),
        ("arrays.npz", "npz"),
        ("program", "program"),
    ],
)
def test_content_decides(folder: Path, name: str, kind: str, tmp_path: Path) -> None:
    assert recognize(str(folder / name)).kind == kind
    if name.endswith((".pb", ".meta", ".pbtxt", ".h5", ".npz")):
        other = tmp_path / "anything"
        other.write_bytes((folder / name).read_bytes())
        assert recognize(str(other)).kind == kind


def test_a_saved_model_is_inspected(folder: Path) -> None:
    report = said("inspect", folder / "saved")
    assert report["kind"] == "SavedModel" and report["tags"] == [["serve"]]
    signature = report["signatures"]["serving_default"]
    assert signature["inputs"]["x"] == {"name": "x:0", "dtype": "float32", "shape": [None, 2]}
    assert signature["outputs"]["y"]["shape"] == [None, 3]
    assert report["tensors"] == {"b": ["float32", [3]], "w": ["float32", [2, 3]]}
    # The variables, and their initial values.
    assert report["parameters"] == 9 + 9 and report["assets"] == ["words.txt"]
    assert report["ops"]["MatMul"] == 1 and report["unsupported"] == {}
    lines = call("inspect", folder / "saved").output.splitlines()
    assert "  in  x: float32 [?, 2] = x:0" in lines and "All ops are supported." in lines
    assert "HashTableV2" in report["cpu_only"] and "MatMul" not in report["cpu_only"]
    assert lines[-1].startswith("Devices: CPU, GPU but for HashTableV2, ")


def test_what_does_not_run_is_named(folder: Path, tmp_path: Path) -> None:
    graph_def = tf.GraphDef.FromString((folder / "frozen.pb").read_bytes())
    graph_def.node.add(name="strange", op="NoSuchOp")
    graph_def.node.add(name="python", op="PyFunc")
    (tmp_path / "strange.pb").write_bytes(graph_def.SerializeToString())
    report = said("inspect", tmp_path / "strange.pb")
    assert report["unsupported"] == {
        "NoSuchOp": "dataflow has no such op",
        "PyFunc": "calls a Python function of the program that wrote it",
    }
    assert "  NoSuchOp: dataflow has no such op" in call("inspect", tmp_path / "strange.pb").output
    assert "Op type not registered 'NoSuchOp'" in refused("run", tmp_path / "strange.pb")


@pytest.mark.parametrize("name", ["model", "keras.h5", "arrays.npz"])
def test_weights_are_inspected(folder: Path, name: str) -> None:
    report = said("inspect", folder / name)
    if name == "model":
        assert report["kind"] == "checkpoint" and report["parameters"] == 9
    else:
        assert report["parameters"] == 4 and report["bytes"] > 0
    assert report["tensors"]


@pytest.mark.parametrize("name", ["saved", "frozen.pb", "frozen.pbtxt", "model.meta", "model"])
def test_models_run(folder: Path, name: str) -> None:
    np.testing.assert_allclose(answer(folder / name), Y)


def test_signatures_literals_and_files(folder: Path, tmp_path: Path) -> None:
    found = said("run", folder / "saved", "--signature", "find", "--feed", "w=['b', 'c']")
    assert found["values"]["i"] == {"dtype": "int64", "shape": [2], "values": [1, -1]}
    done = call(
        *("run", folder / "saved", "--feed", "x=[[1, 2], [3, 4]]", "--fetch", "y:0"),
        *("--repeat", 3, "--out", tmp_path / "out.npy"),
    )
    assert done.exit_code == 0, done.output
    assert done.output.startswith("y:0: float32 [2, 3] [1.5, 1.0, 8.0, 3.5, 3.0, 18.0]\n3 runs: ")
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), Y)
    np.savez(tmp_path / "in.npz", x=X)
    done = call("run", folder / "saved", "--feed", f"x=@{tmp_path / 'in.npz'}")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "the input 'x' (float32, shape (?, 2)) is not fed: --feed x=@FILE.npy"),
        (["--feed", "x"], "--feed x: it is NAME=VALUE or NAME=@FILE"),
        (["--feed", "q=1"], "there is no tensor 'q'; the signature has: x"),
        (["--feed", "x=@no.npy"], "--feed x=@no.npy: no such file"),
        (["--feed", "x=a"], "--feed x=a: could not convert string to float: 'a'"),
        (["--feed", "x=1"], "Cannot feed value of shape () for Tensor x:0"),
        (["--feed", "x=[[1, 2]]", "--fetch", "q"], "there is no tensor 'q'"),
        (["--signature", "q"], "has no signature 'q'; there are: find, serving_default"),
        (["--tags", "q"], "has no graph with tags q; there are: serve"),
    ],
)
def test_mistakes_are_told_in_a_line(folder: Path, arguments: list[str], text: str) -> None:
    assert text in refused("run", folder / "saved", *arguments)


def test_parts_of_sparse_values(tmp_path: Path) -> None:
    with oracle.Graph().as_default(), oracle.Session() as session:
        s = oracle.sparse_placeholder(oracle.float32, [None, 4], name="s")
        y = oracle.sparse_reduce_sum(s, axis=1)
        infos = {k: oracle.saved_model.build_tensor_info(v) for k, v in (("s", s), ("y", y))}
        signature = oracle.saved_model.build_signature_def({"s": infos["s"]}, infos, "m")
        builder = oracle.saved_model.Builder(str(tmp_path / "sparse"))
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    given = ("--feed=s/indices=[[0, 1], [1, 3]]", "--feed=s/values=[2, 3]")
    assert "the input 's/indices' (int64" in refused("run", tmp_path / "sparse", given[1])
    said("convert", tmp_path / "sparse", tmp_path / "sparse.meta")
    for name in ("sparse", "sparse.meta"):
        found = said("run", tmp_path / name, *given, "--feed=s/dense_shape=[2, 4]")["values"]
        assert found["y"]["values"] == [2, 3] and found["s/values"]["values"] == [2, 3]


def test_graphs_without_signatures(tmp_path: Path) -> None:
    with oracle.Graph().as_default() as graph:
        x = oracle.placeholder(oracle.float32, None, name="x")
        chosen = oracle.cond(x > 0, lambda: x * 2, lambda: x - 2)
        oracle.identity(chosen, name="y")
        oracle.get_variable("v", [2])
        oracle.train.write_graph(graph.as_graph_def(), str(tmp_path), "graph.pb", as_text=False)
    found = said("run", tmp_path / "graph.pb", "--feed", "x=3", "--fetch", "y")["values"]
    assert found["y"]["values"] == 6
    told = refused("run", tmp_path / "graph.pb", "--fetch", "v/read")
    assert "has no value for the variable 'v': give the MetaGraph" in told
    assert "cond/switch_t" not in said("inspect", tmp_path / "graph.pb")["signatures"]["(guessed)"]


def test_options_stand_on_either_side_of_a_model(folder: Path) -> None:
    done = call("run", "--json", folder / "saved", "--feed", "x=[[1, 2], [3, 4]]")
    np.testing.assert_allclose(json.loads(done.output)["values"]["y"]["values"], Y)
    assert "unexpected extra argument (q)" in refused("run", folder / "saved", "q", status=2)
    assert "--json is for models" in refused("run", "--json", folder / "program", status=2)


def test_weights_do_not_run(folder: Path) -> None:
    assert "is a npz, and no graph" in refused("run", folder / "arrays.npz")
    assert "is a program: `check`" in refused("inspect", folder / "program")
    assert "there is no nothing" in refused("inspect", "nothing")
    assert "there is no nothing" in refused("run", "nothing", status=2)
    assert "is no SavedModel" in refused("run", folder / "saved" / "assets", status=2)
    assert "is no SavedModel" in refused("inspect", str(folder / "saved" / "assets"))


def test_bench(folder: Path) -> None:
    (found,) = said("bench", folder / "saved", "--repeat", 4, "--warm-up", 1)
    assert (found["runs"], found["batch"], found["library"]) == (4, 1, "dataflow")
    assert 0 < found["min_ms"] <= found["median_ms"] <= found["p90_ms"] <= found["max_ms"]
    done = call("bench", folder / "frozen.pb", "--repeat", 2, "--batch", "1,8", "--threads", "1")
    lines = done.output.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "dataflow, batch 1, 1 threads",
        "dataflow, batch 8, 1 threads",
    ]
    assert "is no list of counts" in refused("bench", folder / "saved", "--batch", "q", status=2)


def test_bench_beside_tensorflow(folder: Path) -> None:
    given = ("--signature", "find", "--repeat", 3, "--batch", 2, "--tensorflow")
    found = said("bench", folder / "saved", *given, "--feed", "w=['a', 'b']")
    assert [each["library"] for each in found] == ["dataflow", "tensorflow"]
    assert all(each["runs"] == 3 and each["batch"] == 2 for each in found)


def test_devices() -> None:
    (found,) = [each for each in said("devices") if each["type"] == "CPU"]
    assert found["name"].endswith("CPU:0")
    assert found["name"] in call("devices").output


@pytest.mark.ray
def test_a_model_runs_on_ray(folder: Path) -> None:
    found = said("run", folder / "saved", "--target", "ray", "--feed", "x=[[1, 2], [3, 4]]")
    np.testing.assert_allclose(found["values"]["y"]["values"], Y)


def test_help_has_examples() -> None:
    for name in ("inspect", "run", "bench", "convert", "transform", "devices", "check"):
        done = call(name, "--help")
        assert done.exit_code == 0 and "python -m dataflow" in done.output, name
    assert refused("inspect", status=2) == "Missing argument 'FILE'."


def test_the_console_script_is_the_command() -> None:
    (entry,) = re.findall(r'^dataflow = "(.+):(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert callable(getattr(importlib.import_module(entry[0]), entry[1]))


def test_as_a_program(folder: Path) -> None:
    command = [sys.executable, "-m", "dataflow", "run", str(folder / "saved"), "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "--feed NAME=VALUE" in done.stdout
    command[-1] = "--feed=x=@nothing.npy"
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "Error: --feed x=@nothing.npy: no such file\n"


@pytest.mark.parametrize("name", ["saved/saved_model.pb", "model.meta", "frozen.pb"])
def test_damaged_files_are_told(folder: Path, name: str, tmp_path: Path) -> None:
    whole = (folder / name).read_bytes()
    for length in (0, 1, len(whole) // 3, len(whole) - 3):
        cut = tmp_path / "cut.pb"
        cut.write_bytes(whole[:length])
        assert str(cut) in refused("inspect", cut)
        assert str(cut) in refused("run", cut)


def test_a_graph_of_tensorflow_is_no_meta_graph(folder: Path) -> None:
    """The three messages are told apart though the bytes of one may be read as another."""
    for name, kind in (("frozen.pb", "graph"), ("model.meta", "MetaGraph")):
        data = (folder / name).read_bytes()
        known = {"graph": oracle.GraphDef, "MetaGraph": oracle.MetaGraphDef}[kind]
        assert known.FromString(data).ByteSize() == len(data)
        assert recognize(str(folder / name)).kind == kind
