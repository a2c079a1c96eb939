"""tf.profiler: trees, sums, counts and text are TensorFlow's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.core.profiler import tfprof_log_pb2

import dataflow as tf
from dataflow import errors

oracle.disable_v2_behavior()


def _net(library: Any) -> Any:
    x = library.placeholder(library.float32, [4, 8], name="x")
    with library.variable_scope("net"):
        w = library.get_variable("w", [8, 3])
        b = library.get_variable("b", [3])
        s = library.get_variable("s", [])
        with library.name_scope("inner"):
            y = library.nn.relu(library.matmul(x, w) + b) * s
    library.Variable(library.zeros([2, 2]), name="old")
    return library.reduce_mean(library.square(y))


def _images(library: Any) -> Any:
    images = library.constant(1.0, shape=[2, 8, 8, 3])
    filters = library.get_variable("filters", [3, 3, 3, 5])
    each = library.get_variable("each", [2, 2, 5, 2])
    y = library.nn.conv2d(images, filters, strides=[1, 2, 2, 1], padding="SAME")
    y = library.nn.bias_add(y, library.get_variable("bias", [5]))
    y = library.nn.max_pool(library.nn.relu(y), [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
    y = library.nn.avg_pool(y, [1, 3, 3, 1], [1, 1, 1, 1], "VALID")
    y = library.nn.depthwise_conv2d(y, each, [1, 1, 1, 1], "SAME")
    y = library.nn.softmax(library.reshape(y, [-1, 10]))
    loss = library.nn.l2_loss(y) + library.reduce_sum(library.squared_difference(y, y + 1))
    library.train.GradientDescentOptimizer(0.1).minimize(loss)
    volume = library.nn.conv3d(
        library.ones([1, 4, 4, 4, 2]), library.ones([2, 2, 2, 2, 3]), [1] * 5, "SAME"
    )
    return library.matmul(library.ones([3, 4, 5]), library.ones([3, 5, 6])), volume


def _elementwise(library: Any) -> Any:
    x, y = library.ones([3, 4]), library.ones([4])
    math = library.math
    for call in (math.reciprocal, math.log, math.rsqrt, math.negative, math.argmax, math.argmin):
        call(x)
    for binary in (
        math.subtract,
        math.divide,
        math.maximum,
        math.minimum,
        math.pow,
        math.greater,
        math.less,
        math.greater_equal,
        math.less_equal,
        math.equal,
        math.not_equal,
    ):
        binary(x, y)
    library.add_n([x, x, x])
    variable = library.Variable(library.zeros([7]), use_resource=False)
    variable.assign_add(library.ones([7]))
    unknown = library.placeholder(library.float32, [None, 2])
    return library.square(unknown), library.reduce_sum(x, 1)


def _builder(library: Any) -> Any:
    return library.profiler.ProfileOptionBuilder


def _everything(library: Any) -> Any:
    made = _builder(library)(_builder(library).float_operation()).with_min_float_operations(0)
    return made.select(["params", "float_ops", "op_types", "occurrence", "input_shapes"]).build()


def _reads(library: Any) -> Any:
    builder = _builder(library)(_builder(library).float_operation())
    return (
        builder.with_accounted_types(["Identity", "Mul", "Sub"])
        .with_min_float_operations(0)
        .account_displayed_op_only(False)
        .order_by("params")
        .with_node_names(hide_name_regexes=[".*Initializer"], trim_name_regexes=["net/b.*"])
        .with_max_depth(5)
        .select(["params", "float_ops"])
        .build()
    )


def _started(library: Any) -> Any:
    builder = _builder(library)().with_node_names(
        start_name_regexes=["net/.*"], show_name_regexes=[".*(w|add|mul).*"]
    )
    return builder.select(["float_ops"]).with_min_parameters(0).with_min_occurrence(0).build()


_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "parameters": lambda library: _builder(library).trainable_variables_parameter(),
    "operations": lambda library: _builder(library).float_operation(),
    "everything": _everything,
    "reads": _reads,
    "started": _started,
}


def _profiled(library: Any, net: Any, command: str, options: Any, folder: Path) -> tuple[Any, str]:
    path = folder / library.__name__
    with library.Graph().as_default() as graph:
        net(library)
        given = options(library)
        given["output"] = f"file:outfile={path}"
        message = library.profiler.profile(graph, cmd=command, options=given)
    text = path.read_text() if path.exists() else ""
    # What columns mean is told in words of our own.
    told = text.split("Profile:")[-1].split("\n\n=====")[0].strip()
    return message, told


@pytest.mark.parametrize("command", ["scope", "graph", "op"])
@pytest.mark.parametrize("options", list(_OPTIONS))
def test_a_net(command: str, options: str, tmp_path: Path) -> None:
    made = [
        _profiled(library, _net, command, _OPTIONS[options], tmp_path) for library in (tf, oracle)
    ]
    (ours, text), (theirs, expected) = made
    assert text == expected
    assert theirs.FromString(ours.SerializeToString()) == theirs


@pytest.mark.parametrize("net", [_images, _elementwise])
def test_counts(net: Any, tmp_path: Path) -> None:
    counts = []
    for library in (tf, oracle):
        message, _ = _profiled(library, net, "op", _OPTIONS["operations"], tmp_path)
        found = {}
        while message.children:
            (message,) = message.children
            found[message.name] = message.float_ops
        counts.append(found)
    assert counts[0] == counts[1]
    assert len(counts[0]) > 12


def test_lines_of_the_program() -> None:
    with tf.Graph().as_default() as graph:
        _net(tf)
        options = tf.profiler.ProfileOptionBuilder(
            tf.profiler.ProfileOptionBuilder.float_operation()
        )
        found = tf.profiler.profile(graph, cmd="code", options=options.with_empty_output().build())
    while len(found.children) == 1:
        (found,) = found.children
    names = [child.name for child in found.children]
    assert all(re.fullmatch(r"test_profile.py:\d+:_net", name) for name in names)
    by_count = [child.total_float_ops for child in found.children]
    assert by_count == sorted(by_count, reverse=True)
    assert sum(by_count) == found.total_float_ops == 299
    assert {node.name for node in found.children[0].graph_nodes} >= {"net/inner/MatMul"}


def test_builders_are_tensorflows() -> None:
    for name in ("trainable_variables_parameter", "float_operation", "time_and_memory"):
        assert getattr(_builder(tf), name)() == getattr(_builder(oracle), name)()
    built = [
        _builder(library)()
        .with_min_memory(1, 2, 3, 4)
        .with_min_execution_time(5, 6, 7)
        .with_step(8)
        .with_stdout_output()
        .with_timeline_output("timeline")
        .build()
        for library in (tf, oracle)
    ]
    assert built[0] == built[1]


def test_a_log_of_ops(tmp_path: Path) -> None:
    logs = []
    for library in (tf, oracle):
        folder = tmp_path / library.__name__
        folder.mkdir()
        with library.Graph().as_default() as graph:
            _net(library)
            log = library.profiler.OpLogProto()
            log.log_entries.add(name="net/inner/Relu", float_ops=7, types=["mine"])
            library.profiler.write_op_log(graph, str(folder), log, add_trace=False)
            options = _builder(library)(_builder(library).float_operation())
            options = options.with_accounted_types(["mine"]).with_empty_output().build()
            message = library.profiler.profile(graph, op_log=log, options=options)
            assert message.total_float_ops == 7
        read = tfprof_log_pb2.OpLogProto.FromString((folder / "tfprof_log").read_bytes())
        logs.append({entry.name: entry for entry in read.log_entries})
    assert logs[0] == logs[1]


def test_refusals() -> None:
    with tf.Graph().as_default() as graph:
        _net(tf)
        for refused, call in (
            (errors.InvalidArgumentError, lambda: tf.profiler.profile(graph, cmd="files")),
            (errors.UnimplementedError, lambda: tf.profiler.advise(graph)),
            (errors.UnimplementedError, lambda: tf.profiler.Profiler(graph).advise({})),
            (
                errors.UnimplementedError,
                lambda: tf.profiler.profile(
                    graph, options=_builder(tf)().with_pprof_output("x").build()
                ),
            ),
        ):
            with pytest.raises(refused):
                call()
