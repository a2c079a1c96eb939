"""Common subexpressions: what becomes one, and what must stay two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.passes.algebra import cse
from dataflow.passes.algebra.cse import merge_common
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.passes.building import (
    CPU_0,
    CPU_1,
    Nodes,
    assert_golden,
    assert_sound,
    closed_under_inputs,
    names,
    read_golden,
    text,
)


def _pair(op: str, *inputs: str, second: tuple[str, ...] | None = None, **attrs: Any) -> NodeGraph:
    """Two nodes `one` and `two` of an op, and a node that uses both."""
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.placeholder("y")
    nodes.const("shape", np.array([2], np.int32))
    nodes.add("NoOp", "n")
    nodes.add("VariableV2", "v", dtype=dtypes.float32, shape=TensorShape([]))
    nodes.add(op, "one", inputs, **attrs)
    nodes.add(op, "two", inputs if second is None else second, **attrs)
    nodes.float_op("Add", "user", "one", "two")
    return nodes.graph()


def _is_merged(graph: NodeGraph) -> bool:
    merged = merge_common(graph)
    assert_sound(merged)
    assert not list(closed_under_inputs(merged))
    if merged is graph:
        return False
    assert names(graph) - names(merged) == {"two"}
    assert "user = Add(one, one)" in text(merged)
    return True


def test_golden() -> None:
    # x + y and y + x are one AddV2, so their negatives are one Neg; the equal constants are one;
    # the two random tensors stay two; n waits for the AddV2 that is left.
    graph = import_graph(read_golden("cse"))
    before = text(graph)
    assert_golden(merge_common(graph), "cse_out")
    assert text(graph) == before


F = dtypes.float32


@pytest.mark.parametrize(
    ("merged", "graph"),
    [
        (True, lambda: _pair("Add", "x", "y", T=F)),
        (True, lambda: _pair("AddV2", "x", "y", second=("y", "x"), T=F)),
        (False, lambda: _pair("Add", "x", "y", second=("y", "x"), T=F)),
        (False, lambda: _pair("Sub", "x", "y", second=("y", "x"), T=F)),
        (False, lambda: _pair("Add", "x", "y", second=("x", "x"), T=F)),
        (True, lambda: _pair("Add", "x", "y", "^n", T=F)),
        (False, lambda: _pair("Add", "x", "y", second=("x", "y", "^n"), T=F)),
        (False, lambda: _pair("Placeholder", dtype=F)),
        (False, lambda: _pair("PlaceholderWithDefault", "x", dtype=F, shape=TensorShape([]))),
        (False, lambda: _pair("RandomUniform", "shape", T=dtypes.int32, dtype=F, seed=1, seed2=2)),
        (False, lambda: _pair("VariableV2", dtype=F, shape=TensorShape([]))),
        (False, lambda: _pair("Assign", "v", "x", T=F)),
        (False, lambda: _pair("Merge", "x", "y", T=F, N=2)),
        (False, lambda: _pair("Identity", "v", T=F)),
        (False, lambda: _pair("Neg", "v", T=F)),
    ],
)
def test_what_is_merged(merged: bool, graph: Any) -> None:
    assert _is_merged(graph()) is merged


def test_attrs_must_agree() -> None:
    def pair(first: dict[str, Any], second: dict[str, Any]) -> bool:
        nodes = Nodes()
        nodes.placeholder("x")
        nodes.float_op("MatMul", "one", "x", "x", **first)
        nodes.float_op("MatMul", "two", "x", "x", **second)
        nodes.float_op("Add", "user", "one", "two")
        return _is_merged(nodes.graph())

    assert pair({}, {})
    assert pair({"transpose_a": False}, {})
    assert not pair({"transpose_a": True}, {})
    assert not pair({"_kernel": b"fast"}, {})
    assert pair({"_output_shapes": (TensorShape([2]),)}, {})
    assert not pair({"_class": (b"loc:@x",)}, {})


def test_floats_are_compared_by_their_bits() -> None:
    def pair(first: float, second: float) -> bool:
        nodes = Nodes()
        nodes.placeholder("x")
        nodes.float_op("LeakyRelu", "one", "x", alpha=first)
        nodes.float_op("LeakyRelu", "two", "x", alpha=second)
        nodes.float_op("Add", "user", "one", "two")
        return _is_merged(nodes.graph())

    assert pair(0.5, 0.5)
    assert pair(float("nan"), float("nan"))
    assert not pair(0.0, -0.0)


def test_devices_must_agree() -> None:
    graph = _pair("Add", "x", "y", T=F)
    graph.assign(dict.fromkeys(names(graph), CPU_0) | {"two": CPU_1})
    assert not _is_merged(graph)
    graph.assign({"two": CPU_0})
    assert _is_merged(graph)


def test_colocation_does_not_matter_once_placed() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.float_op("Neg", "one", "x", _class=(b"loc:@x",))
    nodes.float_op("Neg", "two", "x")
    nodes.float_op("Add", "user", "one", "two")
    graph = nodes.graph()
    assert not _is_merged(graph)
    graph.assign(dict.fromkeys(names(graph), CPU_0))
    assert _is_merged(graph)


def _constants(first: Any, second: Any) -> bool:
    nodes = Nodes()
    dtype = dtypes.as_dtype(first.dtype)
    for name, value in (("one", first), ("two", second)):
        nodes.add("Const", name, value=value, dtype=dtypes.as_dtype(value.dtype))
    nodes.add("IdentityN", "user", ["one", "two"], T=(dtype, dtypes.as_dtype(second.dtype)))
    graph = nodes.graph()
    merged = merge_common(graph)
    assert_sound(merged)
    return merged is not graph


_LARGE = np.arange(10_000, dtype=np.float32)


@pytest.mark.parametrize(
    ("merged", "first", "second"),
    [
        (True, np.float32(1.0), np.float32(1.0)),
        (False, np.float32(0.0), np.float32(-0.0)),
        (True, np.float32("nan"), np.float32("nan")),
        (False, np.zeros(2, np.float32), np.zeros(2, np.int32)),
        (False, np.zeros(2, np.float32), np.zeros((2, 1), np.float32)),
        (False, np.zeros(0, np.float32), np.zeros((0, 1), np.float32)),
        (True, _LARGE, _LARGE.copy()),
        (False, _LARGE, _LARGE + (np.arange(10_000) == 777)),
        (False, _LARGE, _LARGE.reshape(100, 100)),
        (True, np.array([b"a", b"b"], object), np.array([b"a", b"b"], object)),
        (False, np.array([b"a", b"b"], object), np.array([b"ab", b""], object)),
        (True, np.array([b"x" * 9] * 5000, object), np.array([b"x" * 9] * 5000, object)),
    ],
)
def test_constants(merged: bool, first: Any, second: Any) -> None:
    assert _constants(np.asarray(first), np.asarray(second)) is merged
    assert _constants(np.asarray(second), np.asarray(first)) is merged


def test_three_large_constants_with_one_sample() -> None:
    nodes = Nodes()
    values = [_LARGE, _LARGE + (np.arange(10_000) == 777), _LARGE.copy(), _LARGE]
    values.append(values[1].copy())
    for index, value in enumerate(values):
        nodes.const(f"c{index}", value.astype(np.float32))
    assert names(merge_common(nodes.graph())) == {"c0", "c1"}


def test_a_large_constant_is_read_only_if_there_is_a_rival(monkeypatch: Any) -> None:
    read: list[int] = []
    full = cse._full_digest

    def counted(array: np.ndarray) -> Any:
        read.append(array.nbytes)
        return full(array)

    monkeypatch.setattr(cse, "_full_digest", counted)
    nodes = Nodes()
    for index in range(50):
        nodes.const(f"c{index}", np.full(1000, index, np.float32))
    merge_common(nodes.graph())
    assert read == []
    for index in range(50):
        nodes.const(f"d{index}", np.full(1000, 1.0, np.float32))
    assert len(merge_common(nodes.graph())) == 50
    assert read == [4000] * 51


def test_chains_collapse_in_one_pass() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    for side in "ab":
        last = "x"
        for index in range(5000):
            last = nodes.float_op("Neg", f"{side}{index}", last)
    graph = nodes.graph()
    merged = merge_common(graph)
    assert len(merged) == 5001
    assert_sound(merged)
