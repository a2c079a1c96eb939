"""Dumps of steps, as TensorFlow's own reader and ours see them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorflow.python.debug.lib import debug_data

import dataflow as tf
from dataflow.debugger.dump_folder import DebugDumpDir, WatchKeyDoesNotExistInDebugDumpDirError
from dataflow.debugger.tensor_dumps import (
    DebugTensorDatum,
    InconvertibleTensorProto,
    has_inf_or_nan,
    load_tensor_from_event_file,
)
from dataflow.debugger.watching import (
    add_debug_tensor_watch,
    watch_graph,
    watch_graph_with_denylists,
)
from dataflow.proto.types_pb2 import DT_INT32
from dataflow.records.dumps import dump_tensor
from tests.conftest import SessionFactory

_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


class _Step:
    """A step with a loop, a branch, variables, texts and a division by zero."""

    def __init__(self) -> None:
        with tf.Graph().as_default() as self.graph:
            self.fed = tf.placeholder(tf.float32, [2], name="fed")
            variable = tf.Variable([1.0, 2.0], name="scope/v")
            resource = tf.get_variable("w", initializer=[3.0, 4.0], use_resource=True)
            product = tf.multiply(self.fed, variable, name="product")
            ratio = tf.divide(product, tf.constant([1.0, 0.0]), name="ratio")
            _, last = tf.while_loop(
                lambda i, x: i < 3,
                lambda i, x: (i + 1, tf.multiply(x, 2.0, name="double")),
                [0, ratio + resource],
                name="loop",
            )
            branch = tf.cond(
                self.fed[0] > 0,
                lambda: tf.multiply(self.fed, 3.0, name="yes"),
                lambda: tf.negative(self.fed, name="no"),
                name="branch",
            )
            text = tf.as_string(branch, precision=1, name="text")
            self.fetches = [last, text, tf.group(tf.assign_add(variable, [1.0, 1.0]), name="up")]
            self.init = tf.global_variables_initializer()

    def run(self, options: Any, metadata: Any = None) -> Any:
        with tf.Session(graph=self.graph) as session:
            session.run(self.init)
            feeds = {self.fed: [1.0, 0.0]}
            return session.run(self.fetches, feeds, options=options, run_metadata=metadata)


def _dumped(folder: Path, **how: Any) -> None:
    step = _Step()
    options = tf.RunOptions()
    watch_graph(options, step.graph, debug_urls=f"file://{folder}", **how)
    found = step.run(options)
    np.testing.assert_array_equal(found[0], [32.0, np.nan])
    assert found[1].tolist() == [b"3.0", b"0.0"]


def test_tensorflow_reads_all_of_a_step(tmp_path: Path) -> None:
    _dumped(tmp_path)
    dump = debug_data.DebugDumpDir(str(tmp_path))
    op = "DebugIdentity"

    def values(node: str, slot: int = 0) -> list[Any]:
        return [np.asarray(value).tolist() for value in dump.get_tensors(node, slot, op)]

    assert dump.devices() == [_CPU]
    assert values("product") == [[1.0, 0.0]]
    assert values("scope/v/read") == [[1.0, 2.0]]
    assert values("_arg_fed_0_0") == [[1.0, 0.0]]
    assert [value[0] for value in values("loop/double")] == [8.0, 16.0, 32.0]
    assert values("loop/Less") == [True, True, True, False]
    assert values("branch/yes") == [[3.0, 0.0]]
    assert values("branch/Merge", 1) == [1]
    assert values("text") == [[b"3.0", b"0.0"]]
    assert not dump.debug_watch_keys("branch/no")
    first = dump.find(debug_data.has_inf_or_nan)[0]
    assert (first.node_name, first.output_slot) == ("ratio", 0)
    assert dump.node_op_type("ratio") == "RealDiv"
    assert dump.node_inputs("ratio") == ["product", "Const"]
    assert dump.core_metadata.global_step == -1
    assert dump.core_metadata.session_run_index == 0
    assert dump.core_metadata.input_names == ["fed:0"]
    assert dump.core_metadata.output_names == ["loop/Exit_1:0", "text:0"]
    assert dump.core_metadata.target_nodes == ["up"]


def test_our_reader_sees_what_tensorflow_sees(tmp_path: Path) -> None:
    _dumped(tmp_path)
    ours, theirs = DebugDumpDir(str(tmp_path)), debug_data.DebugDumpDir(str(tmp_path))
    assert ours.size == theirs.size > 20
    assert ours.t0 == theirs.t0
    assert tuple(ours.core_metadata) == tuple(theirs.core_metadata)
    assert sorted(ours.nodes()) == sorted(theirs.nodes())
    assert ours.devices() == theirs.devices()
    for mine, other in zip(ours.dumped_tensor_data, theirs.dumped_tensor_data, strict=True):
        assert mine.file_path == other.file_path
        assert mine.dump_size_bytes == other.dump_size_bytes
        assert (mine.watch_key, mine.timestamp) == (other.watch_key, other.timestamp)
        np.testing.assert_array_equal(mine.get_tensor(), other.get_tensor())
    bad = [str(datum) for datum in ours.find(has_inf_or_nan)]
    assert bad == [str(datum) for datum in theirs.find(debug_data.has_inf_or_nan)]
    assert [str(datum) for datum in ours.find(has_inf_or_nan, first_n=2)] == bad[:2]
    assert len(bad) > 2
    assert all(
        "loop" not in datum.node_name
        for datum in ours.find(has_inf_or_nan, exclude_node_names="loop/")
    )
    for node in ("ratio", "loop/double", "text"):
        assert ours.node_inputs(node) == theirs.node_inputs(node)
        assert ours.node_recipients(node) == theirs.node_recipients(node)
        assert ours.node_op_type(node) == theirs.node_op_type(node)
        assert ours.node_device(node) == theirs.node_device(node)
        args = node, 0, "DebugIdentity"
        assert ours.get_rel_timestamps(*args) == theirs.get_rel_timestamps(*args)
        assert ours.get_tensor_file_paths(*args) == theirs.get_tensor_file_paths(*args)
        assert ours.get_dump_sizes_bytes(*args) == theirs.get_dump_sizes_bytes(*args)


def test_patterns_choose(tmp_path: Path) -> None:
    _dumped(tmp_path, node_name_regex_allowlist="product|ratio|text", op_type_regex_allowlist="Mul")
    assert [d.tensor_name for d in DebugDumpDir(str(tmp_path)).dumped_tensor_data] == ["product:0"]


def test_denied_patterns_and_types() -> None:
    step = _Step()
    options = tf.RunOptions()
    watch_graph_with_denylists(
        options,
        step.graph,
        debug_urls="file:///x",
        node_name_regex_denylist="(?!text|product)",
        tensor_dtype_regex_denylist="float",
    )
    watches = options.debug_options.debug_tensor_watch_opts
    assert [(w.node_name, w.output_slot) for w in watches] == [("text", 0)]
    options = tf.RunOptions()
    watch_graph(
        options, step.graph, debug_urls=["file:///x"], tensor_dtype_regex_allowlist="string"
    )
    watches = options.debug_options.debug_tensor_watch_opts
    assert [(w.node_name, list(w.debug_urls)) for w in watches] == [("text", ["file:///x"])]


def test_steps_before_and_after_dump_nothing(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        doubled = tf.constant([1, 2]) * tf.placeholder_with_default(2, [], name="by")
        options = tf.RunOptions()
        add_debug_tensor_watch(options, "mul", debug_urls=f"file://{tmp_path / 'a'}")
        with tf.Session(graph=graph) as session:
            session.run(doubled)
            assert not os.listdir(tmp_path)
            plans = len(session._link._plans)
            for number in range(2):
                assert session.run(doubled, options=options).tolist() == [2, 4]
                assert DebugDumpDir(str(tmp_path / "a")).size == number + 1
                assert len(session._link._plans) == plans
            session.run(doubled)
    folder = DebugDumpDir(str(tmp_path / "a"))
    assert folder.size == 2
    assert [core.session_run_index for core in folder.core_metadata] == [0, 1]


def test_what_a_failing_step_has_made_is_there(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        value = tf.placeholder_with_default([1.0], [1], name="value") * 2.0
        checked = tf.check_numerics(tf.log(value - 2.0, name="log"), "bad", name="check")
        options = tf.RunOptions()
        watch_graph(options, graph, debug_urls=f"file://{tmp_path}")
        with (
            tf.Session(graph=graph) as session,
            pytest.raises(tf.errors.InvalidArgumentError, match="bad"),
        ):
            session.run(checked, options=options)
    dump = DebugDumpDir(str(tmp_path))
    assert [d.node_name for d in dump.find(has_inf_or_nan)] == ["log"]
    assert not dump.debug_watch_keys("check")


@pytest.mark.parametrize(
    ("op", "url", "kind", "message"),
    [
        (
            "DebugIdentity",
            "bogus",
            tf.errors.InvalidArgumentError,
            "debug target URL: bogus",
        ),
        ("DebugIdentity", "file://", tf.errors.InvalidArgumentError, "Invalid debug target URL"),
        (
            "DebugIdentity",
            "grpc://x:1",
            tf.errors.UnimplementedError,
            "sent to grpc://x:1",
        ),
        ("DebugNanCount", "file:///x", tf.errors.UnimplementedError, "c:0 is watched by DebugNanC"),
        (
            "DebugIdentity",
            "file:///dev/null/x",
            tf.errors.UnavailableError,
            "Dumps cannot be written",
        ),
    ],
)
def test_refused(op: str, url: str, kind: Any, message: str) -> None:
    with tf.Graph().as_default() as graph:
        value = tf.constant(1, name="c")
        options = tf.RunOptions()
        add_debug_tensor_watch(options, "c", 0, op, url)
        with tf.Session(graph=graph) as session:
            with pytest.raises(kind) as caught:
                session.run(value, options=options)
            assert session.run(value) == 1
    assert message in caught.value.message


def test_a_graph_cannot_bring_nodes_that_dump() -> None:
    graph_def = tf.GraphDef()
    node = graph_def.node.add(name="x", op="_DebugIdentity", input=["c"])
    node.attr["T"].type = DT_INT32
    constant = graph_def.node.add(name="c", op="Placeholder")
    constant.attr["dtype"].type = DT_INT32
    with tf.Graph().as_default(), pytest.raises(ValueError, match="_DebugIdentity"):
        tf.import_graph_def(graph_def)


def test_dumps_lie_below_their_folder(tmp_path: Path) -> None:
    graph_def = tf.GraphDef()
    for name in ("a/../../../../far", "../near"):
        node = graph_def.node.add(name=name, op="Const")
        node.attr["dtype"].type = DT_INT32
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(1, tf.int32))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        for node in graph_def.node:
            options = tf.RunOptions()
            watch_graph(options, graph, debug_urls=f"file://{tmp_path / 'x' / 'y'}")
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(f"{node.name}:0", options=options)
            assert f"{node.name}:0 cannot be dumped" in caught.value.message
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and all(path.is_relative_to(tmp_path / "x" / "y") for path in files)


def test_both_targets_dump(tmp_path: Path, session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        total = tf.add(tf.placeholder_with_default([1.0, 2.0], [2]), 1.0, name="total")
        options = tf.RunOptions()
        add_debug_tensor_watch(options, "total", debug_urls=f"file://{tmp_path}")
        with session_factory(graph) as session:
            assert session.run(total, options=options).tolist() == [2.0, 3.0]
    (found,) = debug_data.DebugDumpDir(str(tmp_path)).get_tensors("total", 0, "DebugIdentity")
    assert found.tolist() == [2.0, 3.0]


def test_watching_needs_urls() -> None:
    with pytest.raises(ValueError, match=r"^debug_urls must not be empty or None\.$"):
        watch_graph(tf.RunOptions(), tf.Graph())
    with pytest.raises(ValueError, match=r"^debug_ops must not be empty or None\.$"):
        watch_graph(tf.RunOptions(), tf.Graph(), debug_ops=[])


@pytest.mark.parametrize(
    "value",
    [
        np.array([], np.float32),
        np.array(3.5, np.float64),
        np.zeros((2, 0), np.int32),
        np.array([True, False]),
        np.array([1 + 2j], np.complex64),
        np.array([b"a\0", b""], object),
        np.array([1.5, -2.0], tf.bfloat16.as_numpy_dtype),
    ],
)
def test_tensorflow_reads_every_kind_of_value(tmp_path: Path, value: Any) -> None:
    dump_tensor(str(tmp_path), _CPU, "a/b_c", 1, value)
    (path,) = tmp_path.glob("*/a/*")
    mine = load_tensor_from_event_file(str(path))
    other = debug_data.load_tensor_from_event_file(str(path))
    for found in (mine, other):
        assert found.dtype == value.dtype and found.shape == value.shape
        np.testing.assert_array_equal(found, value)
    datum = DebugTensorDatum(str(tmp_path), str(path.relative_to(tmp_path)))
    assert (datum.device_name, datum.watch_key) == (_CPU, "a/b_c:1:DebugIdentity")


def test_the_reader_refuses(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="does not exist"):
        DebugDumpDir(str(tmp_path / "none"))
    (tmp_path / "bad").write_bytes(b"\xff\xff\xff")
    with pytest.raises(tf.errors.DataLossError) as caught:
        load_tensor_from_event_file(str(tmp_path / "bad"))
    assert "holds no Event" in caught.value.message
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(tf.errors.DataLossError):
        load_tensor_from_event_file(str(tmp_path / "empty"))
    for name in ("a_b", "a_0_DebugIdentity_late", "a_b_DebugIdentity_1"):
        with pytest.raises(ValueError, match=f"does not conform to the naming pattern: {name}"):
            DebugTensorDatum(str(tmp_path), f"_tfdbg_device_,x/{name}")
    event = tf.Event()
    event.summary.value.add().tensor.CopyFrom(tf.make_tensor_proto([1, 2], tf.int32))
    event.summary.value[0].tensor.tensor_shape.dim[0].size = 7
    event.summary.value[0].tensor.tensor_content = b"123"
    (tmp_path / "short").write_bytes(event.SerializeToString())
    with pytest.raises(tf.errors.DataLossError) as caught:
        load_tensor_from_event_file(str(tmp_path / "short"))
    assert caught.value.message.startswith(f"{tmp_path / 'short'} holds no tensor: ")
    dump_tensor(str(tmp_path / "d"), _CPU, "x", 0, np.float32(1))
    dump = DebugDumpDir(str(tmp_path / "d"))
    with pytest.raises(WatchKeyDoesNotExistInDebugDumpDirError, match=r'"y:0:DebugIdentity"'):
        dump.get_tensors("y", 0, "DebugIdentity")
    with pytest.raises(LookupError, match="No partition graphs"):
        dump.nodes()
    with pytest.raises(LookupError, match="Python graph"):
        dump.node_traceback("x")
    bad = tf.Event(graph_def=b"\xff\xff").SerializeToString()
    text = tf.Event()
    text.log_message.message = '{"global_step": 1}'
    for name, data, message in (
        (f"{next((tmp_path / 'd').iterdir()).name}/_tfdbg_graph_x", bad, "holds no GraphDef"),
        ("_tfdbg_core_metadata_x", text.SerializeToString(), "KeyError('session_run_index')"),
        ("_tfdbg_core_metadata_x", b"\xff", "holds no Event"),
    ):
        path = tmp_path / "d" / name
        path.write_bytes(data)
        with pytest.raises(tf.errors.DataLossError) as caught:
            DebugDumpDir(str(tmp_path / "d"))
        assert str(path) in caught.value.message and message in caught.value.message
        path.unlink()
    with pytest.raises(ValueError, match="Node name 'x' is not found"):
        graph = tf.GraphDef()
        graph.node.add(name="z", op="NoOp", device=_CPU)
        DebugDumpDir(str(tmp_path / "d"), [graph])


def test_values_that_are_not_there() -> None:
    shown = InconvertibleTensorProto("proto", False)
    assert not shown.initialized and str(shown) == "Uninitialized tensor:\nproto"
    assert str(InconvertibleTensorProto("proto")) == "proto"
