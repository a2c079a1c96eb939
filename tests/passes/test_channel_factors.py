"""Factors of channels in filters: the values of TensorFlow, and where filters are left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.passes.algebra.channel_factors import fold_channel_factors
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.values import dtypes
from tests.passes.building import Nodes, assert_sound, text

CHANNELS = 6


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


FILTERS = {"Conv2D": numbers(1, 3, 3, 4, CHANNELS), "DepthwiseConv2dNative": numbers(1, 3, 3, 3, 2)}


class Built:
    """A convolution and a batch normalisation of its results."""

    def __init__(self, op: str = "Conv2D", layout: bytes = b"NHWC") -> None:
        self.nodes = Nodes()
        self.op = op
        self.layout = layout
        self.nodes.placeholder("x")
        self.nodes.const("w", FILTERS[op])
        self.variance = np.abs(numbers(2, CHANNELS))

    def convolution(self, **changed: Any) -> str:
        sliding = {"strides": [1, 1, 1, 1], "padding": b"SAME", "data_format": self.layout}
        return self.nodes.float_op(self.op, "conv", "x", "w", **sliding | changed)

    def norm(self, source: str, op: str = "FusedBatchNorm", **changed: Any) -> str:
        parameters = [numbers(seed, CHANNELS) for seed in (3, 4, 5)]
        names = [
            self.nodes.const(f"p{i}", value) for i, value in enumerate((*parameters, self.variance))
        ]
        attrs = {"is_training": False, "data_format": self.layout, "epsilon": 0.01} | changed
        if op == "FusedBatchNormV3":
            attrs["U"] = dtypes.float32
        return self.nodes.float_op(op, "norm", source, *names, **attrs)

    def graph(self, end: str = "norm") -> NodeGraph:
        self.nodes.float_op("Neg", "end", end)
        return self.nodes.graph()


def ops(graph: NodeGraph) -> Counter[str]:
    return Counter(node.op for node in graph.nodes() if node.op in (*FILTERS, "BiasAdd", "Mul")) + (
        Counter(node.op for node in graph.nodes() if node.op.startswith("FusedBatchNorm"))
    )


@pytest.mark.parametrize("layout", [b"NHWC", b"NCHW"])
@pytest.mark.parametrize("norm", ["FusedBatchNorm", "FusedBatchNormV3"])
@pytest.mark.parametrize("op", FILTERS)
def test_a_norm_becomes_a_bias(op: str, norm: str, layout: bytes) -> None:
    built = Built(op, layout)
    built.norm(built.convolution(), norm)
    graph = built.graph()
    before = text(graph)
    folded = fold_channel_factors(graph)
    assert text(graph) == before
    assert_sound(folded)
    assert ops(folded) == {op: 1, "BiasAdd": 1}
    constants = {n.name: n.attrs["value"] for n in folded.nodes() if n.op == "Const"}
    assert sorted(constants) == ["conv/filters", "norm/bias"]
    scale, offset, mean = (numbers(seed, CHANNELS).astype(float) for seed in (3, 4, 5))
    factors = scale / np.sqrt(built.variance + 0.01)
    by_channel = factors.reshape(FILTERS[op].shape[3:] if op == "Conv2D" else (3, 2))
    np.testing.assert_allclose(constants["conv/filters"], FILTERS[op] * by_channel, rtol=1e-6)
    np.testing.assert_allclose(constants["norm/bias"], offset - mean * factors, rtol=1e-5)
    bias = folded.find("norm/bias_add")
    assert bias is not None and bias.attrs["data_format"] == layout


def _frozen(kind: str) -> Callable[[Any, Any], Any]:
    """What a library builds from images."""

    def build(library: Any, x: Any) -> Any:
        if kind == "depthwise":
            y = library.nn.depthwise_conv2d(x, numbers(1, 3, 3, 4, 2), [1, 1, 1, 1], "SAME")
        else:
            y = library.nn.conv2d(x, numbers(1, 3, 3, 4, 8), [1, 2, 2, 1], "SAME")
        if kind == "biased":
            y = library.nn.bias_add(y, numbers(2, 8))
        if kind == "biased product":
            y = library.nn.bias_add(y, numbers(2, 8))
        if kind.endswith("product"):
            return library.nn.relu(y * numbers(3, 8) + numbers(4, 8))
        parameters = [numbers(3, 8), numbers(4, 8), 5 * numbers(5, 8), np.abs(numbers(6, 8))]
        fixed = [library.constant(p) for p in parameters]
        normed = library.nn.fused_batch_norm(y, *fixed, is_training=False, name="the_norm")
        return library.nn.relu(normed[0])

    return build


@pytest.mark.parametrize("kind", ["plain", "biased", "depthwise", "product", "biased product"])
def test_values_are_tensorflows(kind: str) -> None:
    image = numbers(7, 2, 9, 9, 4)
    found: list[Any] = []
    for library in (tf, oracle):
        with library.Graph().as_default():
            x = library.placeholder(library.float32, [2, 9, 9, 4])
            y = _frozen(kind)(library, x)
            with library.Session() as session:
                found += [session.run(y, {x: image}) for _ in range(3)]
    for other in found[1:3]:
        np.testing.assert_array_equal(other, found[0])
    np.testing.assert_allclose(found[0], found[3], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("op", ["Mul", "AddV2"])
def test_what_follows_a_bias_goes_into_it(op: str) -> None:
    """As Keras 3 writes its norms."""
    for size in (CHANNELS, 1):
        built = Built()
        bias, other = numbers(6, CHANNELS), numbers(7, size)
        places = built.nodes.const("b", bias), built.nodes.const("c", other)
        shifted = built.nodes.float_op(
            "BiasAdd", "sum", built.convolution(), places[0], data_format=b"NHWC"
        )
        built.nodes.float_op(op, "next", shifted, places[1])
        folded = fold_channel_factors(built.graph("next"))
        assert_sound(folded)
        left = Counter(node.op for node in folded.nodes() if node.op in ("Mul", "AddV2", "BiasAdd"))
        if size == 1:
            # One number for all channels is none for each.
            assert left == {op: 1, "BiasAdd": 1}
            continue
        assert left == {"BiasAdd": 1}
        constants = {n.name: n.attrs["value"] for n in folded.nodes() if n.op == "Const"}
        want = bias * other if op == "Mul" else bias + other
        np.testing.assert_allclose(constants["next/bias"], want, rtol=1e-6)
        filters = FILTERS["Conv2D"] * (other if op == "Mul" else 1)
        (own,) = (value for name, value in constants.items() if name != "next/bias")
        np.testing.assert_allclose(own, filters, rtol=1e-6)


def test_the_norm_can_be_fetched_by_its_name_and_left_alone() -> None:
    image = numbers(7, 2, 9, 9, 4)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 9, 9, 4], name="x")
        _frozen("plain")(tf, x)
        found = []
        for state in (RewriterConfig.ON, RewriterConfig.OFF):
            config = ConfigProto()
            config.graph_options.rewrite_options.remapping = state
            with tf.Session(config=config) as session:
                found.append(session.run("the_norm:0", {"x:0": image}))
                both = session.run(["the_norm:0", "Conv2D:0"], {"x:0": image})
            np.testing.assert_allclose(both[0], found[-1], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4, atol=1e-4)


def _left_alone() -> dict[str, Callable[[], NodeGraph]]:
    def training() -> NodeGraph:
        built = Built()
        built.norm(built.convolution(), is_training=True)
        return built.graph()

    def read_twice() -> NodeGraph:
        built = Built()
        built.norm(built.convolution())
        built.nodes.float_op("Neg", "other", "conv")
        return built.graph()

    def statistics_are_read() -> NodeGraph:
        built = Built()
        built.norm(built.convolution())
        built.nodes.float_op("Neg", "other", "norm:1")
        return built.graph()

    def no_variance() -> NodeGraph:
        built = Built()
        built.variance = -built.variance - 1
        built.norm(built.convolution())
        return built.graph()

    def trained_filters() -> NodeGraph:
        built = Built()
        built.nodes.placeholder("v")
        built.nodes.float_op(
            "Conv2D", "c", "x", "v", strides=[1, 1, 1, 1], padding=b"SAME", data_format=b"NHWC"
        )
        built.norm("c")
        return built.graph()

    def waits() -> NodeGraph:
        built = Built()
        built.norm(built.convolution())
        built.nodes.graph_def.node[-1].input.append("^x")
        return built.graph()

    def other_layout() -> NodeGraph:
        built = Built()
        built.norm(built.convolution(), data_format=b"NCHW")
        return built.graph()

    def other_device() -> NodeGraph:
        built = Built()
        built.norm(built.convolution())
        built.nodes.graph_def.node[-1].device = "/cpu:1"
        return built.graph()

    def biased(bias: np.ndarray) -> Callable[[], NodeGraph]:
        def build() -> NodeGraph:
            built = Built()
            built.nodes.const("b", bias)
            built.nodes.float_op("BiasAdd", "biased", built.convolution(), "b", data_format=b"NHWC")
            built.norm("biased")
            return built.graph()

        return build

    def short_variance() -> NodeGraph:
        built = Built()
        built.variance = built.variance[:1]
        built.norm(built.convolution())
        return built.graph()

    def large() -> NodeGraph:
        built = Built()
        built.nodes.const("f", np.full(CHANNELS, 3e38, np.float32))
        built.nodes.float_op("Mul", "product", built.convolution(), "f")
        return built.graph("product")

    def product(shape: tuple[int, ...], layout: bytes = b"NHWC") -> Callable[[], NodeGraph]:
        def build() -> NodeGraph:
            built = Built(layout=layout)
            built.nodes.const("f", numbers(8, *shape))
            built.nodes.float_op("Mul", "product", built.convolution(), "f")
            return built.graph("product")

        return build

    return {
        "it is training": training,
        "the convolution is read twice": read_twice,
        "the statistics are read": statistics_are_read,
        "there is no root of the variance": no_variance,
        "the filters are fed": trained_filters,
        "the norm waits for something": waits,
        "channels lie elsewhere": other_layout,
        "it is on another device": other_device,
        "a factor for each row": product((CHANNELS, 1)),
        "one factor": product(()),
        "the variance is a single number": short_variance,
        "the filters would overflow": large,
        "the bias has another length": biased(numbers(9, CHANNELS + 1)),
        "the bias is a single number": biased(numbers(9, 1)),
        "the bias is no vector": biased(numbers(9, CHANNELS, 1)),
        "a factor for each column": product((CHANNELS,), b"NCHW"),
        "another axis": product((1, 1, 1, 1, CHANNELS)),
    }


@pytest.mark.parametrize("why", _left_alone())
def test_filters_are_left_alone_where(why: str) -> None:
    graph = _left_alone()[why]()
    assert fold_channel_factors(graph) is graph


def test_what_is_to_run_by_name_stays() -> None:
    built = Built()
    built.norm(built.convolution())
    assert ops(fold_channel_factors(built.graph(), ["norm"])) == {"Conv2D": 1, "FusedBatchNorm": 1}


def test_filters_that_others_read_stay_for_them() -> None:
    built = Built()
    built.norm(built.convolution())
    built.nodes.float_op("Neg", "other", "w")
    folded = fold_channel_factors(built.graph())
    assert_sound(folded)
    kept = folded.find("w")
    assert kept is not None
    np.testing.assert_array_equal(kept.attrs["value"], FILTERS["Conv2D"])
