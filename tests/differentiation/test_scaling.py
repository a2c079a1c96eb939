"""Differentiation is linear in the size of the graph and needs no deep stack."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow as tf


def chain(length: int) -> tuple[Any, Any]:
    """x and x + 1 + 1 + ..."""
    x = y = tf.placeholder(tf.float32, [2])
    one = tf.constant([1.0, 1.0])
    for _ in range(length):
        y = y + one
    return x, y


def ladder(length: int) -> tuple[Any, Any]:
    """A chain in which each value is used twice, so that gradients meet at every rung."""
    x = y = tf.placeholder(tf.float32, [2])
    for _ in range(length):
        y = tf.sin(y) + y
    return x, y


def calls(build: Callable[[int], tuple[Any, Any]], length: int) -> tuple[int, int]:
    """How many functions are called to build a graph, and to build its gradients.

    Unlike seconds, these are the same on every machine. Calls of C functions count as well: a
    search through a list in a loop would be one call each, of growing cost, but not of growing
    number; `test_ten_thousand_operations` would not end in time then.
    """
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    with tf.Graph().as_default():
        sys.setprofile(note)
        try:
            x, y = build(length)
            forward, count = count, 0
            tf.gradients(y, x)
        finally:
            sys.setprofile(None)
    return forward, count


def test_ten_thousand_operations() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = chain(10_000)
        assert sys.getrecursionlimit() < 10_000
        (grad,) = tf.gradients(y, x)
        np.testing.assert_array_equal(session.run(grad, {x: [5.0, 6.0]}), [1.0, 1.0])


def test_cost_of_a_chain_against_building_it() -> None:
    forward, backward = calls(chain, 1000)
    assert backward < 3 * forward, (forward, backward)


def test_cost_grows_with_the_graph_only() -> None:
    _, small = calls(ladder, 250)
    _, large = calls(ladder, 2000)
    # Eight times the operations; squared growth would be 64 times the calls.
    assert large < 10 * small, (small, large)


def test_nodes_made_for_many_uses_of_one_tensor() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        ys = [tf.sin(x) for _ in range(1000)]
        before = len(graph.get_operations())
        (grad,) = tf.gradients(ys, x)
        assert grad.op.type == "AddN"
        assert len(grad.op.inputs) == 1000
        # Cos and its product, and three nodes for the ones of each y.
        assert len(graph.get_operations()) - before == 1000 * 5 + 1
