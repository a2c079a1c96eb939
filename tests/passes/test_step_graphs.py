"""What is left of a step's graph when it runs, as the step itself tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.library.defun import Defun


def _ops(fetches: Any, feeds: dict[Any, Any]) -> set[str]:
    """The types of the nodes that run."""
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(fetches, feeds, tf.RunOptions(output_partition_graphs=True), metadata)
    return {node.op for graph in metadata.partition_graphs for node in graph.node}


@pytest.mark.parametrize("read", range(3))
def test_results_of_a_call_that_nobody_reads_are_not_computed(read: int) -> None:
    with tf.Graph().as_default():

        @Defun(tf.float32)
        def parts(x: Any) -> Any:
            return tf.exp(x), tf.sqrt(x), tf.log(x)

        x = tf.placeholder(tf.float32, [])
        found = _ops(tf.negative(parts(x)[read]), {x: 4.0})
    assert found & {"Exp", "Sqrt", "Log"} == {("Exp", "Sqrt", "Log")[read]}


@pytest.mark.parametrize(
    ("shape", "is_same", "folded"),
    [
        ([3, 4], True, True),
        ([None, 4], True, True),
        ([None, 4], False, False),
        ([None, None], True, True),
    ],
)
def test_equal_sizes_need_no_sums_though_they_are_not_known(
    shape: list[int | None], is_same: bool, folded: bool
) -> None:
    with tf.Graph().as_default():
        x, other = (tf.placeholder(tf.float32, shape) for _ in range(2))
        y = tf.negative(x if is_same else other)
        axes = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(x), s1=tf.shape(y))
        value = np.ones((3, 4), np.float32)
        found = _ops(axes, {x: value, other: value})
    assert ("BroadcastGradientArgs" not in found) is folded
