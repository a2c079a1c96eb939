"""Makes frozen graphs in a process of TensorFlow's, and runs them here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import dataflow as tf

KINDS = ("plain", "fused")
INITIALIZER = "fill_tables"


def make(folder: Path, names: list[str]) -> None:
    """Has TensorFlow write the graphs and their answers."""
    command = [sys.executable, "-m", "tests.frozen.freeze", str(folder), *names]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def error(folder: Path, name: str, kind: str, target: str = "") -> float:
    """The largest difference to TensorFlow's answers, in parts of the largest answer."""
    arrays = np.load(folder / f"{name}.npz")
    graph_def = tf.GraphDef.FromString((folder / f"{name}.{kind}.pb").read_bytes())
    feeds = {key: arrays[key] for key in arrays.files if not key.startswith("out ")}
    expected = {key[4:]: arrays[key] for key in arrays.files if key.startswith("out ")}
    with tf.Graph().as_default() as graph, tf.Session(target, graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        if any(node.name == INITIALIZER for node in graph_def.node):
            session.run(INITIALIZER)
        found = session.run(list(expected), feeds)
    worst = 0.0
    for have, want in zip(found, expected.values(), strict=True):
        assert have.shape == want.shape and have.dtype == want.dtype
        worst = max(worst, float(np.abs(have - want).max() / np.abs(want).max()))
    return worst
