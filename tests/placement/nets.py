"""Nets of several layers, as TensorFlow saves and freezes them."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import tensorflow

from tests.oracle import open_session

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()

WIDTH = 32


def x_of(rows: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, WIDTH)).astype(np.float32)


def save_layers(
    folder: Path, widths: list[int], resources: bool, frozen: bool = False
) -> tuple[bytes, np.ndarray]:
    """Saves a chain of dense layers; gives its frozen graph and its answer to `x_of()`."""
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        oracle.set_random_seed(3)
        x = h = oracle.placeholder(oracle.float32, [None, WIDTH], name="x")
        sizes = [WIDTH, *widths]
        for number, (rows, columns) in enumerate(itertools.pairwise(sizes)):
            with oracle.variable_scope(f"layer{number}", use_resource=resources):
                w = oracle.get_variable("w", [rows, columns])
                b = oracle.get_variable("b", [columns], initializer=oracle.ones_initializer())
            h = oracle.tanh(oracle.matmul(h, w) + b, name=f"layer{number}/h")
        y = oracle.identity(h, name="y")
        session.run(oracle.global_variables_initializer())
        oracle.saved_model.simple_save(session, str(folder), {"x": x}, {"y": y})
        data = b""
        if frozen:
            done = oracle.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), ["y"]
            )
            data = done.SerializeToString()
        return data, session.run(y, {x: x_of()})
