"""Plans inside of plans, of functions and of loops, are made as the session's options say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.merged_nodes import Arrangement
from dataflow.actors.plan import plan as plans
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from tests.control_flow.placed.devices import devices_of
from tests.control_flow.programs.function_programs import PROGRAMS, as_ours, graph_def_of


def _config(**rewrites: int) -> ConfigProto:
    config = ConfigProto(device_count={"CPU": 2})
    for name, value in rewrites.items():
        setattr(config.graph_options.rewrite_options, name, value)
    return config


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many nodes each plan had whose elementwise nodes were looked at."""
    counts: list[int] = []
    find = plans.compile_clusters

    def fuse(arranged: Arrangement) -> Arrangement:
        counts.append(len(arranged.nodes))
        return find(arranged)

    monkeypatch.setattr(plans, "compile_clusters", fuse)
    return counts


@pytest.mark.parametrize("lowers", [True, False])
@pytest.mark.parametrize("fuses", [True, False])
def test_functions_that_call_themselves(lowers: bool, fuses: bool, fused: list[int]) -> None:
    graph_def = graph_def_of(PROGRAMS["parity"])
    state = RewriterConfig.ON, RewriterConfig.OFF
    config = _config(loop_optimization=state[not lowers], remapping=state[not fuses])
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(as_ours(graph_def), name="")
        with tf.Session(graph=graph, config=config) as session:
            for n in (6, 7, 8, 9):
                assert bool(session.run("y:0", {"n:0": n})) == (n % 2 == 0)
            made = [p for d in devices_of(session) for p in d._function_plans.values()]
    assert made
    assert all(plan.options.lower_control_flow == lowers for plan in made)
    assert any(plan.tagged for plan in made) == (not lowers)
    # The plan of the step holds the call alone.
    assert any(count > 1 for count in fused) == (fuses and lowers)


@pytest.mark.parametrize("fuses", [True, False])
def test_loops_beside_control_flow_of_several_devices(fuses: bool, fused: list[int]) -> None:
    config = _config(remapping=RewriterConfig.ON if fuses else RewriterConfig.OFF)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph, config=config) as session:
        x, p = tf.placeholder(tf.float32, [8]), tf.placeholder(tf.bool, [])
        with tf.device("/cpu:0"):

            def body(i: Any, a: Any) -> Any:
                for _ in range(6):
                    a = a * 0.5 + x
                return i + 1, a

            first = tf.while_loop(lambda i, a: i < 40, body, [0, x])[1]

            def far() -> Any:
                with tf.device("/cpu:1"):
                    return tf.sin(first)

            chosen = tf.cond(p, far, lambda: first * 2.0)
        value = np.linspace(-1, 1, 8, dtype="f")
        wanted = value
        for _ in range(240):
            wanted = wanted * np.float32(0.5) + value
        for _ in range(5):
            np.testing.assert_array_equal(session.run(chosen, {x: value, p: False}), wanted * 2)
    assert bool(fused) == fuses
