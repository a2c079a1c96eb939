"""Numpy's floating-point warnings are off in a step, whatever the program or a kernel sets."""

from __future__ import annotations

import contextvars
import warnings
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Sessions

_RUNS = 4
"""The first two are interpreted, the others are generated code."""


def test_a_step_warns_of_nothing_and_leaves_the_programs_settings() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        y = tf.log(x) / x
        with warnings.catch_warnings(), np.errstate(all="raise"):
            warnings.simplefilter("error")
            for _ in range(_RUNS):
                result = session.run(y, {x: [0.0, -1.0]})
                assert np.isneginf(result[0])
                assert np.isnan(result[1])
                assert set(np.geterr().values()) == {"raise"}
                with pytest.raises(FloatingPointError):
                    np.log(np.float32(0))


def test_what_a_kernel_sets_ends_with_the_step(sessions: Sessions) -> None:
    setting = contextvars.ContextVar("setting", default="none")
    seen: list[Any] = []

    def call(value: Any) -> Any:
        seen.append((setting.get(), np.geterr()["divide"]))
        setting.set("kernel")
        np.seterr(all="raise")
        return value

    trial_ops.functions["call"] = call
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialCall", "call", ["x"])
    step = sessions.open(graph).step(["call"], ["x"])
    before = np.geterr()
    for _ in range(_RUNS):
        step([np.zeros(2, np.float32)])
    assert seen == [("none", "ignore")] * _RUNS
    assert setting.get() == "none"
    assert np.geterr() == before


def test_a_step_inside_of_a_kernel(sessions: Sessions) -> None:
    with tf.Graph().as_default(), tf.Session() as inner:
        a = tf.placeholder(tf.float32, [2])
        b = tf.log(a)
        trial_ops.functions["call"] = lambda value: inner.run(b, {a: value})
        graph = GraphBuilder()
        graph.placeholder("x")
        graph.add("TrialCall", "call", ["x"])
        graph.add("TrialNegate", "y", ["call"])
        step = sessions.open(graph).step(["y"], ["x"])
        for _ in range(_RUNS):
            (result,) = step([np.array([0.0, 1.0], np.float32)])
            assert result.tolist() == [np.inf, 0.0]
