"""Random nests of everything that says where an operation goes make TensorFlow's nodes."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as oracle
from hypothesis import HealthCheck, given, settings

import dataflow as tf
from tests.control_flow.both import contexts
from tests.control_flow.random_programs import (
    LEAF_STEPS,
    STRAY_STEPS,
    Block,
    Builder,
    programs,
)
from tests.gradients.both import described

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=150, suppress_health_check=SLOW)
@given(programs(LEAF_STEPS))
def test_same_nodes(block: Block) -> None:
    assert _outcome(tf, block) == _outcome(oracle, block)


@settings(max_examples=60, suppress_health_check=SLOW)
@given(programs(LEAF_STEPS))
def test_same_contexts(block: Block) -> None:
    def program(library: Any) -> Any:
        return Builder(library).run(block)

    assert contexts(tf, program) == contexts(oracle, program)


@settings(max_examples=150, suppress_health_check=SLOW)
@given(programs(LEAF_STEPS | STRAY_STEPS))
def test_same_refusals(block: Block) -> None:
    """Values that stray out of their branch or loop are refused, or taken, as in TensorFlow."""
    assert _outcome(tf, block) == _outcome(oracle, block)


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
