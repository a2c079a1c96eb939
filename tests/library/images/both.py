"""Runs functions of images in both libraries: the same nodes, static shapes and values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import dataflow as tf
from tests.oracle import open_session, oracle
from tests.words import as_in_tensorflow_1

oracle.disable_v2_behavior()

Build = Callable[[Any], Any]
"""Builds with one of the libraries, and gives tensors."""


class _Built:
    """What functions have built in one of the libraries, each in a graph of its own."""

    def __init__(self, library: Any, build: Build) -> None:
        with library.Graph().as_default() as graph, open_session(library) as session:
            library.set_random_seed(7)
            made = build(library)
            tensors = list(made) if isinstance(made, (list, tuple)) else [made]
            # Two runs, so that what is drawn differs.
            self.values = [session.run(tensors) for _ in range(2)]
        self.nodes = [(node.name, node.op, list(node.input)) for node in graph.as_graph_def().node]
        self.shapes = [str(tensor.shape) for tensor in tensors]


def assert_alike(builds: Mapping[str, Any], nodes: bool = True, rtol: float = 2e-6) -> None:
    """Fails unless both libraries build the same nodes, and the same values come out.

    Args:
      builds: Functions, by what they show.
      nodes: Whether nodes are compared, and static shapes.
      rtol: The tolerance for values, relative and absolute.
    """
    for name, build in builds.items():
        theirs, ours = _Built(oracle, build), _Built(tf, build)
        if nodes:
            assert ours.nodes == theirs.nodes, name
            assert ours.shapes == theirs.shapes, name
        for run, expected in zip(ours.values, theirs.values, strict=True):
            for have, want in zip(map(np.asarray, run), map(np.asarray, expected), strict=True):
                assert have.dtype == want.dtype, name
                if have.dtype == object:
                    assert have.tolist() == want.tolist(), name
                else:
                    np.testing.assert_allclose(have, want, rtol=rtol, atol=rtol, err_msg=name)


def assert_refused_alike(build: Build) -> None:
    """Fails unless both libraries refuse to build, or to run, with the same words."""
    ours = _refusal(tf, build)
    # Of several nodes that fail in a step TensorFlow names the first, which is not always the same.
    theirs: list[str] = []
    for _ in range(5):
        theirs.append(as_in_tensorflow_1(_refusal(oracle, build)))
        if theirs[-1] == ours:
            break
    assert theirs[-1] == ours, theirs


def _refusal(library: Any, build: Build) -> str:
    with library.Graph().as_default(), open_session(library) as session:
        try:
            made = build(library)
        except (ValueError, AttributeError) as refusal:
            return str(refusal)
        try:
            session.run(made)
        except library.errors.InvalidArgumentError as refusal:
            return str(refusal.op.type)
    raise AssertionError(f"{library.__name__} does not refuse.")


def fed(library: Any, value: Any, shape: Sequence[int | None] | None) -> Any:
    """A tensor of which building knows only this shape."""
    array = np.asarray(value)
    default = library.constant(array, library.as_dtype(array.dtype))
    return library.placeholder_with_default(default, shape)


def known_in_part(value: np.ndarray) -> dict[str, Build]:
    """A tensor of which building knows everything, the rank, or nothing."""
    return {
        "known": lambda tf: tf.constant(value),
        "rank": lambda tf: fed(tf, value, [None] * value.ndim),
        "unknown": lambda tf: fed(tf, value, None),
    }


_RANDOM = np.random.default_rng(0)
IMAGE = _RANDOM.random((12, 15, 3)).astype(np.float32)
BATCH = _RANDOM.random((4, 12, 15, 3)).astype(np.float32)
BYTES = (IMAGE * 255).astype(np.uint8)
