"""Greatest elements that may be approximate: what is refused, and sizes that are not known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow.compat.v1 as tf


def _refused(library: Any, shape: Any, arguments: dict[str, Any]) -> str:
    with library.Graph().as_default():
        x = library.placeholder("float32", shape)
        with pytest.raises(ValueError) as caught:
            library.math.approx_max_k(x, **arguments)
    return str(caught.value).partition(" for '")[0]


@pytest.mark.parametrize(
    ("shape", "arguments"),
    [
        ((3, 4), {"k": 5}),
        ((3, None), {"k": 2}),
        ((3, 4), {"k": 2, "reduction_dimension": 2}),
        ((3, 4), {"k": 2, "reduction_dimension": -3}),
        (None, {"k": 2}),
        ((3, 4), {"k": 2, "recall_target": 0.0}),
        ((3, 4), {"k": 2, "recall_target": 1.5}),
        ((3, 4), {"k": -1}),
    ],
)
def test_refused(shape: Any, arguments: dict[str, Any]) -> None:
    assert _refused(tf, shape, arguments) == _refused(oracle, shape, arguments)


def test_sizes_that_are_not_known_are_those_of_the_step() -> None:
    values = np.random.default_rng(3).random((2, 9, 4), "float32")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder("float32", [None, 9, 4])
        found = tf.nn.approx_min_k(x, 2, reduction_dimension=1)
        (slope,) = tf.gradients(3 * found.values, x)
        least, places, slopes = session.run([*found, slope], {x: values})
    order = np.argsort(values, axis=1)[:, :2]
    assert found.indices.shape.as_list() == [None, 2, 4]
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(least, np.take_along_axis(values, order, 1))
    expected = np.zeros_like(values)
    np.put_along_axis(expected, order, 3, 1)
    np.testing.assert_array_equal(slopes, expected)


def test_nodes_of_the_gradient_are_those_of_tensorflow() -> None:
    def nodes(library: Any) -> list[tuple[str, str, list[str]]]:
        with library.Graph().as_default() as graph:
            x = library.placeholder("float32", [3, 4, 5])
            library.gradients(library.math.approx_max_k(x, 2, 1)[0], x)
        return [
            (op.name, op.type, [each.name for each in op.inputs]) for op in graph.get_operations()
        ]

    assert nodes(tf) == nodes(oracle)
