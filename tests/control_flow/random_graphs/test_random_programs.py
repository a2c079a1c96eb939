"""Random mixtures of all control flow compute what plain Python does, and what TensorFlow does.

`python -m tests.control_flow.random_graphs.mixture_runs` compares as many as one has time for.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import dataflow as tf
from dataflow.actors.fusion.compiled.node import CompiledNode
from tests.actors.fusion.merged import RUNS, watch
from tests.control_flow.conftest import PATHS, ControlFlowPath
from tests.control_flow.random_graphs.mixture_graph import Built, build
from tests.control_flow.random_graphs.mixture_plain import evaluate
from tests.control_flow.random_graphs.mixture_runs import (
    MAX_DEPTH,
    assert_outcome,
    compare,
    directions,
    generate_any,
    run,
)
from tests.control_flow.random_graphs.mixtures import (
    COMPOUND,
    NUM_DEVICES,
    Mixture,
    Step,
    depth_of,
    generate,
    has_effects,
)
from tests.differentiation.both import described
from tests.oracle import unoptimized
from tests.rounds import rounds

# Programs that fail are made small by `mixture_runs.py` beside this, and much faster.
LARGE = {"suppress_health_check": list(HealthCheck), "phases": [Phase.explicit, Phase.generate]}


@st.composite
def mixtures(draw: st.DrawFn, depth: int = MAX_DEPTH) -> Mixture:
    """Programs with nests up to this depth."""
    source: random.Random = draw(st.randoms(use_true_random=False))
    return generate(source, draw(st.integers(1, depth)), draw(st.integers(1, NUM_DEVICES)))


@rounds(30, **LARGE)
@given(mixtures())
def test_values_and_derivatives(mixture: Mixture) -> None:
    compare(mixture)


@settings(max_examples=10, **LARGE)
@given(mixtures(depth=3))
def test_values_and_derivatives_of_functional_control_flow(mixture: Mixture) -> None:
    compare(mixture, functional=True)


@pytest.mark.parametrize("seed", range(8, 16))
def test_code_made_after_measured_runs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans with clusters, in loops and branches too, as are made of larger arrays."""
    clusters = watch(monkeypatch, "compile_clusters", CompiledNode)
    mixture = generate(random.Random(seed), 4, 1)
    expected = evaluate(mixture, directions(mixture))
    with tf.Graph().as_default() as graph:
        built = build(tf, mixture)
        with tf.Session(graph=graph) as session:
            for _ in range(RUNS):
                assert_outcome(run(session, built, mixture), expected)
    assert clusters


# With float32: TensorFlow itself refuses some of its gradients of float64, whose zeros are float32.
@settings(max_examples=10, **LARGE)
@given(mixtures(depth=4), st.booleans())
def test_same_nodes_and_values_as_tensorflow(mixture: Mixture, colocate: bool) -> None:
    texts, outcomes = [], []
    for library in (tf, oracle):
        with library.Graph().as_default() as graph:
            built = build(library, mixture, "float32", colocate=colocate)
            texts.append("\n".join(described(graph.as_graph_def().SerializeToString())))
            with library.Session(graph=graph, config=_config(library)) as session:
                outcomes.append(run(session, built, mixture))
    assert texts[0] == texts[1]
    assert_outcome(outcomes[0], outcomes[1], digits=5)


@settings(max_examples=10, **LARGE)
@given(mixtures(depth=2))
def test_second_order_is_tensorflows(mixture: Mixture) -> None:
    """The nodes are the same, or the refusal: TensorFlow has no second order for loops."""
    ours, theirs = (_second_order(library, mixture) for library in (tf, oracle))
    assert ours == theirs


@settings(max_examples=8, **LARGE)
@given(mixtures(depth=3), st.sampled_from([(tf, oracle), (oracle, tf)]))
def test_a_graph_runs_in_the_other_library(mixture: Mixture, libraries: tuple[Any, Any]) -> None:
    writer, reader = libraries
    with writer.Graph().as_default() as graph:
        built = build(writer, mixture, "float32")
        data = graph.as_graph_def().SerializeToString()
    with reader.Graph().as_default() as graph:
        reader.import_graph_def(reader.GraphDef.FromString(data), name="")
        names = Built(
            built.loss.name,
            [None if each is None else each.name for each in built.gradients],
            built.finished.name,
            built.initializer.name,
            [each.name for each in built.variables],
        )
        with reader.Session(graph=graph, config=_config(reader)) as session:
            outcome = run(session, names, mixture)
    assert_outcome(outcome, evaluate(mixture, directions(mixture)), digits=5)


@pytest.mark.parametrize("path", PATHS)
def test_the_loop_count_is_of_the_run(path: str) -> None:
    """One session runs a program with other loop counts, one after the other."""
    source = random.Random(3)
    mixture = generate(source, 4, NUM_DEVICES)
    with tf.Graph().as_default() as graph:
        built = build(tf, mixture)
        config = ControlFlowPath(path).config(
            device_count={"CPU": NUM_DEVICES}, allow_soft_placement=True
        )
        with tf.Session(graph=graph, config=config) as session:
            for trips in (0, 3, 1, 2, 0):
                fed = Mixture(mixture.block, trips, mixture.seed, mixture.rank, mixture.resource)
                assert_outcome(run(session, built, fed), evaluate(fed, directions(fed)))


def test_programs_have_everything() -> None:
    """The generator makes every kind of statement inside every kind of nest, and deep nests."""
    found = [generate_any(seed) for seed in range(300)]
    pairs = {
        (outer.kind, inner.kind)
        for mixture in found
        for outer in _statements(mixture.block)
        for block in outer.blocks
        for inner in block
        if inner.blocks
    }
    assert pairs == {(outer, inner) for outer in COMPOUND for inner in COMPOUND}
    assert {depth_of(mixture.block) for mixture in found} == set(range(1, MAX_DEPTH + 1))
    assert {has_effects(mixture.block) for mixture in found} == {True, False}


def test_another_outcome_is_a_failure() -> None:
    mixture = generate_any(5)
    outcome = evaluate(mixture, directions(mixture))
    other = evaluate(mixture, directions(mixture), mixture.matrices() + 1e-6)
    with pytest.raises(AssertionError, match="loss"):
        assert_outcome(outcome, other)
    other = evaluate(mixture, directions(mixture) + 1e-4)
    with pytest.raises(AssertionError, match="derivatives"):
        assert_outcome(outcome, other)


def test_derivatives_are_those_of_differences() -> None:
    """The complex step finds what values on both sides say, where nothing is held fixed."""
    body = (Step("binary", (0, 1, 2, 0), -1), Step("unary", (0, 0, 3, 0), -1))
    block = (Step("loop", (0, 1, 1, 0), -1, ((Step("fold", (0, 1, 1, 1), -1, (body,)), *body),)),)
    mixture = Mixture(block, 3, 7, 2, False)
    start, along = mixture.matrices(), directions(mixture)
    slopes = evaluate(mixture, along).slopes
    assert slopes[0] != 0
    for index in range(2):
        moved = np.zeros_like(start)
        moved[index] = along[index] * 1e-6
        ahead, behind = (evaluate(mixture, along, start + by).loss for by in (moved, -moved))
        np.testing.assert_allclose((ahead - behind) / 2e-6, slopes[index], rtol=1e-6, atol=1e-8)


def _second_order(library: Any, mixture: Mixture) -> str:
    """The graph with gradients of gradients, or why there are none."""
    with library.Graph().as_default() as graph:
        built = build(library, mixture, "float32")
        inputs = [graph.get_tensor_by_name(name) for name in ("x:0", "w:0")]
        first = [each for each in built.gradients[:2] if each is not None]
        try:
            library.gradients([library.reduce_sum(each * each) for each in first], inputs)
        except TypeError as error:
            return str(error)
        return "\n".join(described(graph.as_graph_def().SerializeToString()))


def _statements(block: Any) -> list[Any]:
    return [s for step in block for s in (step, *(i for b in step.blocks for i in _statements(b)))]


def _config(library: Any) -> Any:
    """Devices for a program; TensorFlow runs it on one, and as it stands.

    Its optimizer gets loops in branches wrong now and then: the step never ends, or gives no value.
    """
    if library is oracle:
        return unoptimized(device_count={"CPU": 1}, allow_soft_placement=True)
    return library.ConfigProto(device_count={"CPU": NUM_DEVICES}, allow_soft_placement=True)
