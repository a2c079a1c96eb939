"""Layers make the nodes that TensorFlow's make, compute the same, and refuse the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal, oracle
from tests.library.layers.both import layers_of
from tests.library.layers.programs import PROGRAMS
from tests.oracle import open_session

# What TensorFlow says of its own layers.
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated and:UserWarning")


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_graph(name: str) -> None:
    assert_same_graph(PROGRAMS[name], values=False)


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_values(name: str) -> None:
    ours, theirs = _values(tf, PROGRAMS[name]), _values(oracle, PROGRAMS[name])
    assert len(ours) == len(theirs) > 0
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("strides", [1, 2, (3, 2)])
def test_transposed_convolution_of_images(padding: str, strides: Any, data_format: str) -> None:
    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [None, 4, 5, 3])
        transpose = layers_of(tf).conv2d_transpose
        made = transpose(x, 2, (3, 2), strides, padding, data_format)
        return [made]

    ours, theirs = _values(tf, program), _values(oracle, program)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-5, atol=1e-5)


def _values(library: Any, program: Callable[[Any], Any]) -> list[Any]:
    """What a program returns is worth, with the same values for variables and placeholders."""
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        fetches = library.nest.flatten(program(library))
        feeds = {}
        for op in graph.get_operations():
            if op.type == "Placeholder":
                shape = [2 if size is None else size for size in op.outputs[0].shape.as_list()]
                feeds[op.outputs[0]] = _numbers(shape) > 0.5 if not shape else _numbers(shape)
        for variable in library.global_variables():
            variable.load(_numbers(variable.shape.as_list()), session)
        return list(session.run(fetches, feeds))


def _numbers(shape: list[int]) -> Any:
    return np.random.default_rng(len(shape)).uniform(-1, 1, shape)


REFUSALS: dict[str, Callable[[Any, Any], Any]] = {
    "rank": lambda layers, x: layers.conv2d(x, 4, 3),
    "pooling rank": lambda layers, x: layers.max_pooling2d(x, 2, 2),
    "units": lambda layers, x: layers.dense(x, -1),
    "padding": lambda layers, x: layers.conv1d(x, 4, 3, padding="all"),
    "format": lambda layers, x: layers.conv1d(x, 4, 3, data_format="NHWC"),
    "causal": lambda layers, x: layers.Conv2D(4, 3, padding="causal"),
    "kernel size": lambda layers, x: layers.conv2d(x, 4, (3, 3, 3)),
    "kernel of zero": lambda layers, x: layers.conv2d(x, 4, 0),
    "strides of zero": lambda layers, x: layers.conv2d(x, 4, 3, 0),
    "strides": lambda layers, x: layers.conv2d(x, 4, 3, strides=("a", 1)),
    "rate": lambda layers, x: layers.dropout(x, 1.5),
    "name before a call": lambda layers, x: layers.Dense(2, name="d").scope_name,
    "axis": lambda layers, x: layers.InputSpec(ndim=2, axes={3: 1}),
    "axes": lambda layers, x: layers.InputSpec(ndim=2, axes={"a": 1}),
    "reuse": lambda layers, x: layers.dense(x, 2, name="d", reuse=True),
    "not called": lambda layers, x: layers.Dense(2, name="d").get_output_at(0),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_same_refusal(name: str) -> None:
    def program(tf: Any) -> Any:
        return REFUSALS[name](layers_of(tf), tf.placeholder(tf.float32, [None, 5]))

    assert_same_refusal(program)
