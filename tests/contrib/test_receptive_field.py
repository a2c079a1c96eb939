"""Receptive fields of nets: as arithmetic on windows, steps and paddings has them."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow as tf
from dataflow.contrib import receptive_field
from dataflow.contrib.receptive_field.fields import ReceptiveField

compute = receptive_field.compute_receptive_field_from_graph_def


def _convolved(x: Any, size: tuple[int, int], stride: int, padding: str, name: str) -> Any:
    with tf.variable_scope(name):
        weights = tf.get_variable("w", [*size, 1, 1], use_resource=False)
        return tf.nn.conv2d(x, weights, [1, stride, stride, 1], padding)


def _image() -> Any:
    return tf.placeholder(tf.float32, [None, None, None, 1], name="image")


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize(
    ("padding", "resolution", "paddings"),
    [
        ("VALID", None, [0, 0]),
        ("SAME", None, [None, None]),
        ("SAME", [32, 33], [2, 1]),
    ],
)
def test_sizes_steps_and_paddings(
    graph: Any, padding: str, resolution: Any, paddings: list[Any]
) -> None:
    made = _convolved(_image(), (3, 3), 2, padding, "first")
    made = tf.nn.max_pool(made, [1, 2, 2, 1], [1, 2, 2, 1], padding)
    out = tf.nn.relu(_convolved(made, (1, 1), 1, padding, "last"), name="out")
    # 3 wide; the pool adds one step of 2; a step of the output is 2 * 2.
    found = list(compute(graph, "image", out, input_resolution=resolution))
    if resolution is None:
        assert found == [5, 5, 4, 4, *paddings]
    else:
        # 33 wide: one on each side, and 17 in pairs take one more behind them. 32 high: 1 behind.
        assert found == [5, 5, 4, 4, 1, 0]


def test_what_is_padded_and_what_is_left_out(graph: Any) -> None:
    image = _image()
    padded = tf.pad(image, [[0, 0], [2, 0], [3, 1], [0, 0]])
    wide = _convolved(padded, (1, 3), 1, "VALID", "wide")
    narrow = _convolved(image, (5, 5), 1, "SAME", "narrow")
    tf.add(wide, narrow, name="both")
    assert list(compute(graph, image, wide)) == [3, 1, 1, 1, 3, 2]
    assert list(compute(graph, image, "both", stop_propagation=["wide"])) == [5, 5, 1, 1, 2, 2]
    with pytest.raises(ValueError, match=r"center shift from different paths .* horizontal"):
        compute(graph, image, "both")


def test_places_and_middles() -> None:
    field = ReceptiveField((5, 3), (2, 4), (1, 0))
    places = [[0, 0], [3, 1]]
    middles = field.compute_input_center_coordinates(places)
    assert middles.tolist() == [[1.0, 1.0], [7.0, 5.0]]
    assert field.compute_feature_coordinates(middles).tolist() == places
    assert field.compute_feature_coordinates([[7.0]], axis=[0]).tolist() == [[3.0]]
    with pytest.raises(ValueError, match=r"`x` \(1\) does not match dimensionality of `axis` \(2"):
        field.compute_feature_coordinates([[1.0]])


def test_resolutions_in_order(graph: Any) -> None:
    _convolved(_image(), (3, 3), 2, "VALID", "first")
    infos, nodes = receptive_field.get_compute_order(graph.as_graph_def(), "image", [9, 8])
    assert infos["first/Conv2D"].output_size == [4, 3]
    assert infos["image"].order == 0 and infos["first/w/read"].output_size is None
    assert infos["first/Conv2D"].order == infos["first/w/read"].order + 1
    assert nodes["first/w"].op == "VariableV2"


def test_refusals(graph: Any) -> None:
    out = _convolved(_image(), (3, 3), 2, "VALID", "first")
    tf.sin(out, name="sine")
    for start, end, text in (
        ("image", "nothing", "Output node was not found"),
        ("nothing", "first/w/read", "Input node was not found"),
        ("image", "sine", "Unknown layer for operation 'sine': Sin"),
    ):
        with pytest.raises(ValueError, match=text):
            compute(graph, start, end)


def test_a_loop_is_refused(graph: Any) -> None:
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], name="loop")
    with pytest.raises(
        ValueError, match=r"Node loop/.* takes what comes of itself: .* without loops"
    ):
        receptive_field.get_compute_order(graph.as_graph_def())
