"""TensorArrays of old graphs, whose handles are strings: TensorFlow still runs such graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.schema import opdef

FLOAT = oracle.AttrValue(type=1)
ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)
SUFFIXES = ("", "V2")
OPS = """
TensorArray TensorArrayWrite TensorArrayRead TensorArrayGather TensorArrayScatter TensorArrayConcat
TensorArraySplit TensorArraySize TensorArrayClose TensorArrayGrad TensorArrayPack TensorArrayUnpack
TensorArrayV2 TensorArrayWriteV2 TensorArrayReadV2 TensorArrayGatherV2 TensorArrayScatterV2
TensorArrayConcatV2 TensorArraySplitV2 TensorArraySizeV2 TensorArrayCloseV2 TensorArrayGradV2
"""
"""What these tests run."""


def test_every_old_op_is_listed() -> None:
    old = {op for op in opdef.registered_ops() if op.startswith("TensorArray")}
    assert set(OPS.split()) == {op for op in old if not op.endswith(("V3", "WithShape"))}


class Nodes:
    """A GraphDef with a tensor array, its ops of one form: TensorArrayWriteV2, ..."""

    def __init__(self, suffix: str, *, producer: int = 10, **attrs: Any) -> None:
        self.graph_def = oracle.GraphDef()
        self.graph_def.versions.producer = producer
        self._suffix = suffix
        for name, value in {
            "size": np.int32(3),
            "zero": np.int32(0),
            "two": np.int32(2),
            "flow": np.float32(0),
            "all": np.arange(3, dtype=np.int32),
            "lengths": np.array([1, 0, 2], np.int64),
            "rows": ROWS,
            "row": ROWS[1],
        }.items():
            proto = oracle.make_tensor_proto(value)
            self.node(name, "Const", dtype=proto.dtype, value=proto)
        self.node("array", f"TensorArray{suffix}", "size", dtype=1, **attrs)

    def node(self, name: str, op: str, *inputs: str, **attrs: Any) -> None:
        node = self.graph_def.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            if isinstance(value, bool):
                node.attr[key].b = value
            elif isinstance(value, int):
                node.attr[key].type = value
            elif isinstance(value, bytes):
                node.attr[key].s = value
            else:
                node.attr[key].tensor.CopyFrom(value)

    def on(self, name: str, op: str, *inputs: str, array: str = "array", **attrs: Any) -> None:
        """An op on the array."""
        self.node(name, f"TensorArray{op}{self._suffix}", array, *inputs, **attrs)

    def import_into(self, library: Any) -> None:
        graph_def = library.GraphDef()
        graph_def.ParseFromString(self.graph_def.SerializeToString())
        library.import_graph_def(graph_def, name="")

    def run(self, library: Any, fetches: Sequence[str]) -> list[Any]:
        with library.Graph().as_default():
            self.import_into(library)
            with library.Session() as session:
                return list(session.run(list(fetches)))

    def assert_same(self, *fetches: str) -> list[Any]:
        ours, theirs = self.run(tf, fetches), self.run(oracle, fetches)
        for have, want in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(have, want)
            assert np.asarray(have).dtype == np.asarray(want).dtype
        return ours


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_write_read_size_close(suffix: str) -> None:
    nodes = Nodes(suffix)
    nodes.on("write", "Write", "two", "row", "flow", T=1)
    nodes.on("read", "Read", "two", "write", dtype=1)
    nodes.on("count", "Size", "write")
    nodes.on("close", "Close", "^read", "^count")
    value, size, _ = nodes.run(tf, ["read:0", "count:0", "close"])
    np.testing.assert_array_equal(value, ROWS[1])
    assert size == 3
    nodes.assert_same("read:0", "count:0")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_scatter_gather_split_concat(suffix: str) -> None:
    nodes = Nodes(suffix, clear_after_read=False)
    nodes.on("scatter", "Scatter", "all", "rows", "flow", T=1)
    nodes.on("gather", "Gather", "all", "scatter", dtype=1)
    nodes.node("other", f"TensorArray{suffix}", "size", dtype=1)
    nodes.on("split", "Split", "rows", "lengths", "flow", T=1, array="other")
    nodes.on("concat", "Concat", "split", dtype=1, array="other")
    nodes.assert_same("gather:0", "concat:0", "concat:1")


def test_unpack_pack() -> None:
    nodes = Nodes("", clear_after_read=False)
    nodes.on("unpack", "Unpack", "rows", "flow", T=1)
    nodes.on("pack", "Pack", "unpack", dtype=1)
    nodes.assert_same("pack:0")


def test_pack_of_gradients_of_unpack() -> None:
    nodes = Nodes("", clear_after_read=False)
    nodes.on("unpack", "Unpack", "rows", "flow", T=1)
    nodes.on("slopes", "Grad", "unpack", source=b"g")
    nodes.on("write", "Write", "two", "row", "unpack", T=1, array="slopes")
    nodes.on("pack", "Pack", "write", dtype=1, array="slopes")
    nodes.assert_same("pack:0")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_gradient_array_sums(suffix: str) -> None:
    nodes = Nodes(suffix)
    nodes.on("forward", "Write", "two", "row", "flow", T=1)
    nodes.on("slopes", "Grad", "forward", source=b"g")
    nodes.on("first", "Write", "two", "row", "forward", T=1, array="slopes")
    nodes.on("second", "Write", "two", "row", "first", T=1, array="slopes")
    nodes.on("read", "Read", "two", "second", dtype=1, array="slopes")
    (value,) = nodes.assert_same("read:0")
    np.testing.assert_array_equal(value, 2 * ROWS[1])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_misuse_fails_the_step(suffix: str) -> None:
    nodes = Nodes(suffix)
    nodes.on("write", "Write", "two", "row", "flow", T=1)
    nodes.on("again", "Write", "two", "row", "write", T=1)
    for library in (oracle, tf):
        with pytest.raises(library.errors.InvalidArgumentError, match="already been written to"):
            nodes.run(library, ["again:0"])


def test_unpack_of_another_size_fails_the_step() -> None:
    nodes = Nodes("")
    nodes.on("unpack", "Unpack", "row", "flow", T=1)
    for library in (oracle, tf):
        with pytest.raises(
            library.errors.InvalidArgumentError, match="first dimension equal to the array size"
        ):
            nodes.run(library, ["unpack:0"])


def test_a_name_of_no_array_fails_the_step() -> None:
    nodes = Nodes("V2")
    proto = oracle.make_tensor_proto([b"_tensor_arrays", b"nothing"])
    nodes.node("name", "Const", dtype=7, value=proto)
    nodes.on("read", "Read", "two", "flow", dtype=1, array="name")
    with pytest.raises(tf.errors.InvalidArgumentError, match="There is no TensorArray"):
        nodes.run(tf, ["read:0"])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_static_shapes_are_tensorflows(suffix: str) -> None:
    nodes = Nodes(suffix)
    nodes.on("write", "Write", "two", "row", "flow", T=1)
    nodes.on("read", "Read", "two", "write", dtype=1)
    nodes.on("count", "Size", "write")
    nodes.on("scatter", "Scatter", "all", "rows", "flow", T=1)
    nodes.on("gather", "Gather", "all", "scatter", dtype=1)
    nodes.on("split", "Split", "rows", "lengths", "flow", T=1)
    nodes.on("concat", "Concat", "split", dtype=1)
    nodes.on("slopes", "Grad", "write", source=b"g")

    def shapes(library: Any) -> dict[str, Any]:
        with library.Graph().as_default() as graph:
            nodes.import_into(library)
            return {
                t.name: t.shape.as_list() if t.shape.rank is not None else None
                for op in graph.get_operations()
                for t in op.outputs
            }

    assert shapes(tf) == shapes(oracle)
