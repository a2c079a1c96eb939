"""TensorFlow's tools run as programs, with the command lines that its documentation gives."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.house.tree import ROOT


def _run(name: str, *arguments: str) -> None:
    """Runs a tool in this process, as the command does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [name, *arguments])
        importlib.import_module(f"dataflow.transforms.tools.{name}").run_main()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph as text, and a checkpoint of its variable."""
    folder = tmp_path_factory.mktemp("trained")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=[[1.0], [2.0]])
        tf.nn.relu(x @ w, name="y")
        tf.assign_add(w, [[1.0], [1.0]], name="step")
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(folder / "model"))
        tf.train.write_graph(graph, str(folder), "graph.pbtxt")
    return folder


def _answer(library: Any, path: Path) -> Any:
    graph_def = library.GraphDef()
    graph_def.ParseFromString(path.read_bytes())
    with library.Graph().as_default(), library.Session() as session:
        (y,) = library.import_graph_def(graph_def, return_elements=["y:0"])
        return [node.op for node in graph_def.node], session.run(y, {"import/x:0": [[1.0, 2.0]]})


def test_a_graph_is_frozen_stripped_and_made_ready(trained: Path) -> None:
    frozen, stripped, ready = (trained / name for name in ("frozen.pb", "stripped.pb", "ready.pb"))
    command = [sys.executable, "-m", "dataflow", "run"]
    done = subprocess.run(
        [
            *command,
            *("-m", "tensorflow.python.tools.freeze_graph"),
            f"--input_graph={trained / 'graph.pbtxt'}",
            f"--input_checkpoint={trained / 'model'}",
            f"--output_graph={frozen}",
            "--output_node_names=y",
            "--input_binary=false",
            "--variable_names_blacklist=",
        ],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    _run(
        "optimize_for_inference",
        f"--input={frozen}",
        f"--output={ready}",
        "--frozen_graph=True",
        "--input_names=x",
        "--output_names=y",
    )
    _run(
        "strip_unused",
        f"--input_graph={frozen}",
        f"--output_graph={stripped}",
        "--input_node_names=x",
        "--output_node_names=y",
        "--input_binary",
    )
    for path in (frozen, stripped, ready):
        ours, theirs = _answer(tf, path), _answer(oracle, path)
        assert not {"VariableV2", "Assign", "SaveV2"} & set(ours[0])
        np.testing.assert_allclose(ours[1], [[5.0]])
        np.testing.assert_allclose(theirs[1], [[5.0]])


def test_what_a_checkpoint_has_is_printed(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _run("inspect_checkpoint", f"--file_name={trained / 'model'}", "--all_tensors")
    assert capsys.readouterr().out.startswith("tensor: w (float32) [2, 1]\n[[1.]\n [2.]]\n")
    with pytest.raises(SystemExit) as ended:
        _run("inspect_checkpoint")
    assert ended.value.code == 1
    assert capsys.readouterr().out.startswith("Usage: inspect_checkpoint --file_name=")


def test_what_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        _run("optimize_for_inference", "--input=nowhere", "--output=out")
    assert ended.value.code == -1
    assert capsys.readouterr().out == "Input graph file 'nowhere' does not exist!\n"
    with pytest.raises(ValueError, match=r"Invalid checkpoint version \(must be '1' or '2'\): 3"):
        _run("freeze_graph", "--checkpoint_version=3")
    with pytest.raises(SystemExit):
        _run("freeze_graph", "--no_such_flag=1")
    assert "unrecognized arguments: --no_such_flag=1" in capsys.readouterr().err
