"""The programs of the distributed benchmark compute the same here and on TensorFlow's servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from tests.benchmarks.folder import load

pytestmark = [pytest.mark.ray]

programs = load("programs.distributed")
_STEPS = 4

PROGRAMS = {
    "null step": programs.null_step(programs.FIRST),
    "across": programs.null_step(programs.FIRST, programs.SECOND),
    "there and back": programs.null_step(programs.FIRST, programs.SECOND, programs.FIRST),
    "fed": programs.fed_through(1000),
    "small edge": programs.edge(10),
    "large edge": programs.edge(400_000),
    "parameter server": programs.parameter_server(30, 20, 4),
}


@pytest.fixture(scope="module")
def their_target() -> Iterator[str]:
    oracle.disable_v2_behavior()
    with load("clusters").tensorflow_cluster() as target:
        yield target


@pytest.fixture(scope="module")
def our_target(ray_cluster: None) -> Iterator[str]:
    server = dataflow.train.Server({"worker": ["localhost:0", "localhost:1"]})
    yield server.target
    server.stop()


def results(library: Any, target: str, name: str) -> list[Any]:
    """What the first steps of a program give."""
    scope = name.replace(" ", "_")
    with library.Session(target, graph=library.Graph()) as session, library.name_scope(scope):
        step = PROGRAMS[name](library, session)
        return [step() for _ in range(_STEPS)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_computes_what_tensorflow_does(
    name: str, our_target: str, their_target: str
) -> None:
    ours, theirs = (
        results(library, target, name)
        for library, target in ((dataflow, our_target), (oracle, their_target))
    )
    for mine, wanted in zip(ours, theirs, strict=True):
        assert np.asarray(mine).dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(mine, wanted, rtol=1e-4)
    if name == "parameter server":
        # It trains.
        assert ours[-1] < ours[0]


class _Stale:
    """A session that gives in each step what it gave in the first."""

    def run(self, fetches: Any, feeds: Any = None) -> Any:
        return np.array([1.0, 0.0], np.float32)


def test_an_edge_that_brings_old_values_is_found() -> None:
    with dataflow.Graph().as_default():
        step = programs.edge(10)(dataflow, _Stale())
        step()
        with pytest.raises(ValueError, match=r"2\.0 was sent"):
            step()
