"""Runs a function of images in both libraries: the same nodes, static shapes and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session

oracle.disable_v2_behavior()

Build = Callable[[Any], Any]
"""Builds with one of the libraries, and gives tensors."""


class Built:
    """What a function has built in one of the libraries."""

    def __init__(self, library: Any, build: Build) -> None:
        with library.Graph().as_default() as self.graph, open_session(library) as session:
            library.set_random_seed(7)
            made = build(library)
            self.tensors = list(made) if isinstance(made, (list, tuple)) else [made]
            # Several runs, so that what is drawn differs.
            self.values = [session.run(self.tensors) for _ in range(2)]
        self.nodes = [
            (node.name, node.op, list(node.input)) for node in self.graph.as_graph_def().node
        ]
        self.shapes = [str(tensor.shape) for tensor in self.tensors]


def assert_alike(build: Build, rtol: float = 2e-6, atol: float = 2e-6, nodes: bool = True) -> None:
    """Fails unless both libraries build the same nodes, and the same values come out."""
    theirs, ours = Built(oracle, build), Built(tf, build)
    if nodes:
        assert ours.nodes == theirs.nodes
    assert ours.shapes == theirs.shapes
    for run, expected in zip(ours.values, theirs.values, strict=True):
        for have, want in zip(run, expected, strict=True):
            assert np.asarray(have).dtype == np.asarray(want).dtype
            np.testing.assert_allclose(have, want, rtol=rtol, atol=atol)


def assert_refused_alike(build: Build, error: type[Exception] = ValueError) -> None:
    """Fails unless both libraries refuse to build, with the same words."""
    texts = [_refusal(library, build, error) for library in (oracle, tf)]
    assert texts[0] == texts[1]


def _refusal(library: Any, build: Build, error: type[Exception]) -> str:
    with library.Graph().as_default():
        try:
            build(library)
        except error as refusal:
            return str(refusal)
    raise AssertionError(f"{library.__name__} does not refuse.")


def fed(library: Any, value: Any, shape: Sequence[int | None] | None) -> Any:
    """A tensor of which building knows only this shape."""
    array = np.asarray(value)
    default = library.constant(array, library.as_dtype(array.dtype), name="fed")
    return library.placeholder_with_default(default, shape)
