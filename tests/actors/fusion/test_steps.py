"""Kernels that tell their steps run in clusters as these, with the values they have alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.large import code as fused_code
from dataflow.actors.fusion.large.chains import Chain
from dataflow.actors.fusion.large.writer import ClusterWriter
from tests.actors.fusion.merged import RUNS, session_config
from tests.kernels.helped import helpers

ROWS, LENGTH = 700, 900
ODD = (0.0, -0.0, 1e-40, -1e-40, -3e-8, 1e-8, 3e38, -3e38, 88.9, -104.0, np.inf, -np.inf, np.nan)
COMPOSED: dict[str, tuple[Callable[[Any], Any], int]] = {
    "elu": (tf.nn.elu, 1),
    "leaky_relu": (tf.nn.leaky_relu, 1),
    "leaky_relu that grows": (lambda x: tf.nn.leaky_relu(x, 1.5), 1),
    "selu": (tf.nn.selu, 4),
    "sigmoid": (tf.sigmoid, 3),
    "softplus": (tf.nn.softplus, 4),
    "softsign": (tf.nn.softsign, 2),
}
"""Function, and how many calls its steps are where oneDNN does several at a time."""


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> list[ClusterWriter]:
    """What wrote the code of each cluster."""
    found: list[ClusterWriter] = []

    class Watched(ClusterWriter):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            found.append(self)

    monkeypatch.setattr(fused_code, "ClusterWriter", Watched)
    return found


def numbers(dtype: Any) -> Any:
    values = np.random.default_rng(5).normal(size=(ROWS, LENGTH)) * 4
    values.flat[: len(ODD)] = ODD
    values.flat[-len(ODD) :] = ODD
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def results(build: Callable[[Any], Any], values: Any, merges: bool = True) -> Any:
    with tf.Graph().as_default():
        given = tf.placeholder(values.dtype, values.shape)
        fetch = build(given)
        with tf.Session(config=session_config(merges)) as session:
            for _ in range(RUNS):
                found = session.run(fetch, {given: values})
            return found


def assert_same(found: Any, expected: Any) -> None:
    np.testing.assert_array_equal(found, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", COMPOSED)
def test_a_lone_node_is_its_steps(name: str, dtype: Any, writers: list[ClusterWriter]) -> None:
    function, count = COMPOSED[name]
    values = numbers(dtype)
    with helpers(3):
        assert_same(results(function, values), results(function, values, merges=False))
    if dtype is np.float32:
        assert [writer.calls for writer in writers] == [count]


@pytest.mark.parametrize("name", COMPOSED)
def test_steps_between_others(name: str, writers: list[ClusterWriter]) -> None:
    function, _ = COMPOSED[name]

    def build(x: Any) -> Any:
        return function(function(x * 0.5) - 0.25) * x

    values = numbers(np.float32)
    assert_same(results(build, values), results(build, values, merges=False))
    assert len(writers) == 1


@pytest.mark.parametrize("name", [name for name in COMPOSED if "leaky" not in name])
def test_half_has_no_steps(name: str, writers: list[ClusterWriter]) -> None:
    """It is computed in float32, and rounded once."""
    function, _ = COMPOSED[name]
    values = numbers(np.float16)
    assert_same(results(function, values), results(function, values, merges=False))
    assert [writer.calls for writer in writers] == [1]


def test_what_a_variable_holds_begins_a_run(writers: list[ClusterWriter]) -> None:
    values = numbers(np.float32)
    with tf.Graph().as_default():
        variable = tf.Variable(values)
        clipped = tf.clip_by_value(variable, -0.5, 0.5)
        scaled = 0.25 - variable * variable
        change = variable.assign_add(np.ones_like(values))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(RUNS):
                found = session.run([clipped, scaled])
            assert_same(found[0], np.clip(values, np.float32(-0.5), np.float32(0.5)))
            with np.errstate(over="ignore"):
                assert_same(found[1], np.float32(0.25) - values * values)
            session.run(change)
            changed = np.clip(values + 1, np.float32(-0.5), np.float32(0.5))
            assert_same(session.run([clipped, scaled])[0], changed)
    units = [unit for writer in writers for unit in writer._units]
    assert units
    assert all(isinstance(unit, Chain) for unit in units)


def test_nodes_that_nobody_reads(writers: list[ClusterWriter]) -> None:
    """Each is run, as if it had a result of its own."""
    values = np.abs(numbers(np.float32)) + 1
    with tf.Graph().as_default():
        given = tf.placeholder(tf.float32, values.shape)
        grown = given + 1
        unread = [tf.nn.relu6(grown).op, tf.rsqrt(grown).op]
        with tf.Session() as session:
            for _ in range(RUNS):
                session.run([grown, *unread], {given: values})
    (writer,) = writers
    chains = [unit for unit in writer._units if isinstance(unit, Chain)]
    steps = [node.op for chain in chains for node in chain.nodes]
    assert steps == ["Relu6", "Relu6", "Rsqrt", "Rsqrt"]
