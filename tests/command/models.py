"""A model in each form, written by TensorFlow, and how commands are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow
from click.testing import CliRunner, Result

from dataflow.command.main import main
from tests.oracle import open_session

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()

X = np.array([[1, 2], [3, 4]], np.float32)
W = np.array([[1, 0, 2], [0, 1, 3]], np.float32)
B = np.array([0.5, -1, 0], np.float32)
Y = X @ W + B


def write_models(folder: Path) -> None:
    """The files `graph.pb`, `frozen.pb`, `frozen.pbtxt`, `x.npy`, the checkpoint `model` and the
    folder `saved`."""
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        x = oracle.placeholder(oracle.float32, [None, 2], name="x")
        w = oracle.get_variable("w", initializer=W, use_resource=False)
        b = oracle.get_variable("b", initializer=B, use_resource=True)
        y = oracle.add(oracle.matmul(x, w), b, name="y")
        words = oracle.placeholder(oracle.string, [None], name="words")
        path = oracle.constant(str(folder / "words.txt"), name="path")
        (folder / "words.txt").write_text("a\nb\n", encoding="utf-8")
        table = oracle.lookup.StaticHashTable(
            oracle.lookup.TextFileInitializer(
                path,
                oracle.string,
                oracle.lookup.TextFileIndex.WHOLE_LINE,
                oracle.int64,
                oracle.lookup.TextFileIndex.LINE_NUMBER,
            ),
            -1,
        )
        ids = oracle.identity(table.lookup(words), name="ids")
        session.run([oracle.global_variables_initializer(), oracle.tables_initializer()])
        oracle.train.Saver([w, b]).save(session, str(folder / "model"))
        frozen = oracle.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), ["y"]
        )
        oracle.train.write_graph(frozen, str(folder), "frozen.pb", as_text=False)
        oracle.train.write_graph(frozen, str(folder), "frozen.pbtxt")
        builder = oracle.saved_model.Builder(str(folder / "saved"))
        make = oracle.saved_model.predict_signature_def
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": make({"x": x}, {"y": y}), "find": make({"w": words}, {"i": ids})},
            assets_collection=[path],
            main_op=oracle.tables_initializer(),
        )
        builder.save()
    np.save(folder / "x.npy", X)


def call(*arguments: Any) -> Result:
    """A command, in this process."""
    return CliRunner().invoke(main, [str(each) for each in arguments])


def said(*arguments: Any) -> Any:
    """What a command says in JSON."""
    done = call(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def refused(*arguments: Any, status: int = 1) -> str:
    """The line in which a command says what is wrong."""
    done = call(*arguments)
    assert done.exit_code == status, done.output
    lines = done.stderr.splitlines()
    if status == 1:
        assert len(lines) == 1 and lines[0].startswith("Error: "), done.stderr
    return lines[-1].removeprefix("Error: ")


def answer(path: Path, **names: str) -> np.ndarray:
    """What the model in a file gives for X."""
    given, made = names.get("x", "x"), names.get("y", "y")
    found = said("run", path, "--feed", f"{given}=@{path.parent / 'x.npy'}", "--fetch", made)
    return np.array(found["values"][made]["values"], np.float32)
