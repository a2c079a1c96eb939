"""Loops that run as such in partitions whose other control flow is the general executor's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow import errors
from dataflow.actors.control_flow.levels import UnstructuredError
from dataflow.actors.control_flow.structure import find_structure
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.placed.devices import plans_of
from tests.oracle import open_session
from tests.passes.building import Nodes

oracle.disable_v2_behavior()
oracle.disable_control_flow_v2()
oracle.disable_resource_variables()

TWO = {"device_count": {"CPU": 2}}


def _loops_beside_a_branch_on_two_devices(lib: Any) -> Any:
    """A branch with a node on another device, between loops on the first."""
    x, p = lib.placeholder(lib.float32, [], "x"), lib.placeholder(lib.bool, [], "p")
    at = lib.placeholder(lib.int32, [], "at")

    def body(i: Any, a: Any) -> Any:
        inner = lib.while_loop(lambda j, b: j < i % 3, lambda j, b: (j + 1, b * 1.01), [0, a])[1]
        wrong = lib.cast(lib.floordiv(8, i - at, name="culprit") * 0, lib.float32)
        return i + 1, inner + x + wrong

    def loop(start: Any) -> Any:
        # The count begins when the start is known, so that one loop ends before the next begins.
        count = lib.cast(start * 0.0, lib.int32)
        return lib.while_loop(lambda i, a: i < 50, body, [count, start])[1]

    def other() -> Any:
        with lib.device("/cpu:1"):
            far = lib.sin(first)
        with lib.device("/cpu:0"):
            return loop(far + 1.0)

    with lib.device("/cpu:0"):
        first = loop(x)
        chosen = lib.cond(p, other, lambda: first * 2.0)
        last = loop(chosen)
        return [first, chosen, last, lib.gradients(last, x)[0]]


def _local_loop_in_one_on_two_devices(lib: Any) -> Any:
    x = lib.placeholder(lib.float32, [], "x")
    lib.placeholder(lib.bool, [], "p")
    lib.placeholder(lib.int32, [], "at")

    def body(i: Any, a: Any) -> Any:
        with lib.device("/cpu:1"):
            far = lib.sin(a)
        inner = lib.while_loop(lambda j, b: j < 20, lambda j, b: (j + 1, b * 1.01 + x), [0, far])
        return i + 1, inner[1]

    with lib.device("/cpu:0"):
        return lib.while_loop(lambda i, a: i < 5, body, [0, x])[1]


PROGRAMS = [_loops_beside_a_branch_on_two_devices, _local_loop_in_one_on_two_devices]


def _values(lib: Any, session: Any, fetches: Any, at: int = 1000) -> list[Any]:
    return [
        session.run(fetches, {"x:0": 0.5, "p:0": side, "at:0": at}) for side in (True, False) * 2
    ]


def _loops_of(session: tf.Session) -> int:
    return sum(node.op == "_Loop" for plan in plans_of(session) for node in plan.nodes)


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_are_tensorflows(program: Any, control_flow_path: ControlFlowPath) -> None:
    with oracle.Graph().as_default() as graph:
        fetches = program(oracle)
        with open_session(oracle, graph, **TWO) as session:
            wanted = _values(oracle, session, fetches)
    with tf.Graph().as_default() as ours:
        fetches = program(tf)
        with control_flow_path.session(ours, **TWO) as session:
            made = _values(tf, session, fetches)
            assert any(plan.tagged for plan in plans_of(session))
            assert bool(_loops_of(session)) == (control_flow_path.name == "lowered")
    for have, want in zip(made, wanted, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5)


@pytest.mark.parametrize("at", [3, 45])
def test_an_error_names_the_node_in_the_loop(at: int, control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph, control_flow_path.session(graph, **TWO) as session:
        fetches = _loops_beside_a_branch_on_two_devices(tf)
        for _ in range(3):
            with pytest.raises(errors.InvalidArgumentError, match="zero") as caught:
                _values(tf, session, fetches, at)
            assert caught.value.op is not None
            assert caught.value.op.name == "while/culprit"
            assert len(_values(tf, session, fetches)) == 4


def test_a_trace_lists_the_nodes_in_the_loop(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph, control_flow_path.session(graph, **TWO) as session:
        fetches = _loops_beside_a_branch_on_two_devices(tf)
        metadata = tf.RunMetadata()
        session.run(
            fetches,
            {"x:0": 0.5, "p:0": True, "at:0": 1000},
            options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
            run_metadata=metadata,
        )
        names = [s.node_name for d in metadata.step_stats.dev_stats for s in d.node_stats]
        assert names.count("while/Less") == 51


def test_a_piecewise_step_runs_its_loops(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph, control_flow_path.session(graph) as session:
        x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        first = tf.while_loop(lambda i, a: i < 40, lambda i, a: (i + 1, a + x), [0, x])[1]
        last = tf.while_loop(lambda i, a: i < 40, lambda i, a: (i + 1, a + y), [0, first])[1]
        for _ in range(3):
            run = session.partial_run_setup([first, last], [x, y])
            assert session.partial_run(run, first, {x: 1.0}) == 41.0
            (plan,) = plans_of(session)
            assert plan.tagged == (control_flow_path.name == "general")
            assert session.partial_run(run, last, {y: 2.0}) == 121.0


def test_a_step_that_is_run_piecewise_has_no_structure_of_its_own() -> None:
    with pytest.raises(UnstructuredError, match="piece by piece"):
        find_structure(Nodes().graph(), lambda node: False, piecewise=True)
