"""The threads of sessions: how many there are, who may use them, and what becomes of BLAS's own."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from dataflow.actors.direct import DirectRuntime
from dataflow.actors.threads import pool
from dataflow.actors.threads.pool import SessionThreads
from dataflow.kernels.threads.cores import available_cores
from dataflow.kernels.threads.parallel import Assisted, split
from dataflow.proto.config_pb2 import ConfigProto
from tests.actors.harness import GraphBuilder, Sessions

_PATIENCE = 30.0


def _blas_threads() -> list[int]:
    import threadpoolctl

    return [i["num_threads"] for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"]


@pytest.mark.parametrize(
    ("inter_op", "intra_op", "segments", "limit", "started"),
    [
        (1, 1, 0, 1, 0),
        (3, 1, 2, 1, 2),
        (1, 3, 0, 3, 2),
        (2, 4, 1, 4, 3),
        (4, 2, 3, 2, 3),
        (-1, 2, 0, 2, 1),
        (2, -1, 1, 1, 1),
    ],
)
def test_threads_are_no_more_than_the_greater_number(
    inter_op: int, intra_op: int, segments: int, limit: int, started: int
) -> None:
    threads = SessionThreads(inter_op, intra_op, own=True)
    try:
        assert (threads.pool.size if threads.pool is not None else 0) == segments
        assert (threads.helpers.limit if threads.helpers is not None else 1) == limit
        assert sum(p.size for p in threads._pools) == started
        if limit > 1:
            # All of them meet: the caller and the helpers.
            together = threading.Barrier(limit)
            with Assisted(threads.helpers):
                split(limit, 1, lambda start, stop: together.wait(_PATIENCE))
    finally:
        threads.close()


@pytest.mark.parametrize("asked", [0, 1, 3])
def test_kernels_use_as_many_threads_as_asked_for(asked: int) -> None:
    config = ConfigProto(intra_op_parallelism_threads=asked)
    direct, shared = DirectRuntime(config), dict(pool._shared)
    handle = direct.create_session(config)
    try:
        helpers = direct._sessions[handle].threads.helpers
        limit = helpers.limit if helpers is not None else 1
        assert limit == (asked or available_cores())
    finally:
        direct.close_session(handle)
    assert pool._shared == shared


def test_blas_runs_on_one_thread_until_the_last_session_is_closed(sessions: Sessions) -> None:
    before = _blas_threads()
    first, second = sessions.open(), sessions.open(intra_op_parallelism_threads=4)
    assert set(_blas_threads()) == {1}
    first.close()
    assert set(_blas_threads()) == {1}
    second.close()
    assert _blas_threads() == before


def test_blas_that_is_loaded_later_is_bounded_too() -> None:
    """Loaded while a session is open, and between two sessions."""
    program = """
import threadpoolctl
import dataflow as tf

def blas():
    return {i["filepath"]: i["num_threads"] for i in threadpoolctl.threadpool_info()
            if i["user_api"] == "blas"}

before = blas()
with tf.Graph().as_default(), tf.Session() as session:
    session.run(tf.constant(1.0))
    if WHEN == "open":
        import scipy.linalg
        loaded = blas()
    session.run(tf.constant(2.0))
    assert set(blas().values()) == {1}, blas()
if WHEN == "closed":
    assert blas() == before
    import scipy.linalg
    loaded = blas()
assert len(loaded) > len(before), loaded
assert blas() == loaded | before, (blas(), loaded, before)
with tf.Session() as session:
    assert set(blas().values()) == {1}, blas()
assert blas() == loaded | before, (blas(), loaded, before)
"""
    for when in ("open", "closed"):
        text = f"WHEN = {when!r}\n{program}"
        subprocess.run([sys.executable, "-c", text], check=True, timeout=120)


def test_helpers_do_not_outlive_a_step(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialNegate", "y", ["x"])
    session = sessions.open(graph)
    value: Any = np.ones(10, np.float32)
    assert session.step(["y"], ["x"])([value])[0].tolist() == [-1.0] * 10
    from dataflow.kernels.threads import parallel

    assert parallel.current.helpers is None
