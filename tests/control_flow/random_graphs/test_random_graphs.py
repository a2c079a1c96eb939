"""Random nests of everything that says where an operation goes make TensorFlow's nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dataflow as tf
from tests.control_flow.both import contexts
from tests.control_flow.conftest import PATHS, ControlFlowPath
from tests.control_flow.programs.random_programs import (
    LEAF_STEPS,
    ORDERLY_STEPS,
    STRAY_STEPS,
    Block,
    Builder,
    programs,
)
from tests.differentiation.both import described
from tests.oracle import open_session
from tests.rounds import rounds

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
# TensorFlow's threads take subnormal numbers for 0.
NUMBERS = st.floats(-2, 8, width=32, allow_subnormal=False)


@rounds(80, suppress_health_check=SLOW)
@given(programs(LEAF_STEPS))
def test_same_nodes(block: Block) -> None:
    assert _outcome(tf, block) == _outcome(oracle, block)


@rounds(40, suppress_health_check=SLOW)
@given(programs(LEAF_STEPS))
def test_same_contexts(block: Block) -> None:
    def program(library: Any) -> Any:
        return Builder(library).run(block)

    assert contexts(tf, program) == contexts(oracle, program)


@rounds(80, suppress_health_check=SLOW)
@given(programs(LEAF_STEPS | STRAY_STEPS))
def test_same_refusals(block: Block) -> None:
    """Values that stray out of their branch or loop are refused, or taken, as in TensorFlow."""
    assert _outcome(tf, block) == _outcome(oracle, block)


@pytest.mark.parametrize("way", PATHS)
@rounds(60, suppress_health_check=SLOW)
@given(programs(ORDERLY_STEPS), NUMBERS, NUMBERS)
def test_same_values(way: str, block: Block, x: float, y: float) -> None:
    feeds = {"x:0": x, "y:0": y}
    with oracle.Graph().as_default() as graph:
        name = Builder(oracle).run(block).name
        with open_session(oracle, graph, device_count={"CPU": 2}) as session:
            want = _value(oracle, session, name, feeds)
    with tf.Graph().as_default() as graph:
        Builder(tf).run(block)
        with ControlFlowPath(way).session(graph, device_count={"CPU": 2}) as session:
            have = _value(tf, session, name, feeds)
    if isinstance(want, str) or isinstance(have, str):
        assert have == want
    else:
        np.testing.assert_allclose(have, want, rtol=2e-5)


def _value(library: Any, session: Any, name: str, feeds: dict[str, float]) -> Any:
    """The value of a tensor, or the class of the error."""
    try:
        return session.run(name, feeds)
    except library.errors.OpError as error:
        return type(error).__name__


def _outcome(library: Any, block: Block) -> Any:
    with library.Graph().as_default() as graph:
        try:
            Builder(library).run(block)
        except Exception as error:
            return type(error).__name__, str(error)
        fetchable = [op.name for op in graph.get_operations() if graph.is_fetchable(op)]
        feedable = [
            tensor.name
            for op in graph.get_operations()
            for tensor in op.outputs
            if graph.is_feedable(tensor)
        ]
        return described(graph.as_graph_def().SerializeToString()), fetchable, feedable
