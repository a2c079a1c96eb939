"""Rows for ops that call functions, and for what stands in their place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops, gen_functional_ops

from tests.control_flow.functional import functional_control_flow
from tests.ops.case import FLOAT32_64, Case
from tests.ops.program import Inputs, Program, Step, infers, run, slopes

TRUTHS = ("float32", "float64", "int8", "int32", "int64", "uint8", "bool", "string")


def _chosen(tf: Any, v: Inputs) -> Iterator[Step]:
    """Branches without state, and with some."""
    which, place = tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
    x, cell = v.fed(v.any(2)), v.variable(v.any(2), resource=True)
    with functional_control_flow(tf):
        chosen = tf.cond(which, lambda: x * x, lambda: x + x)
        written = tf.cond(which, lambda: cell.assign_add(x), lambda: cell.read_value())
        branches: list[Callable[[], Any]] = [lambda: x * x, lambda: x + x, lambda: -x]
        listed = tf.switch_case(place, branches)
        counted = tf.switch_case(place, [lambda: cell.assign_sub(x), lambda: cell.read_value()])
    yield v.initializers()
    for value in (True, False):
        yield run(chosen, feeds={which: value})
        yield run(written, feeds={which: value})
    for index in (0, 1, 2, 7, -1):
        yield run(listed, feeds={place: index})
        yield run(counted, feeds={place: index})
    yield run(cell)


def _chosen_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    cell = v.variable(v.any(2), resource=True)
    yield v.initializers()
    for value in (True, False):
        which, place = v.known(value, bool), v.known(int(value), np.int32)
        x = v.known(v.any(2))
        with functional_control_flow(tf):
            chosen = tf.cond(which, lambda x=x: x * x, lambda x=x: x + x)
            read = tf.cond(which, lambda x=x: cell * x, lambda x=x: x - cell)
            listed = tf.switch_case(place, [lambda x=x: x * x, lambda x=x: -x])
            cells = tf.switch_case(place, [lambda x=x: cell * x, lambda x=x: x - cell])
            step = slopes(tf, [chosen, read, listed, cells], [x, cell])
        yield step


def _looped(tf: Any, v: Inputs) -> Iterator[Step]:
    limit = tf.placeholder(tf.int32, [])
    x, cell = v.known(v.any(2)), v.variable(v.any(2), resource=True)
    with functional_control_flow(tf):
        count, end = tf.while_loop(
            lambda i, y: i < limit, lambda i, y: (i + 1, y * x), [tf.constant(0), x]
        )
        written = tf.while_loop(
            lambda i, y: i < limit, lambda i, y: (i + 1, cell.assign_add(y)), [tf.constant(0), x]
        )
    yield v.initializers()
    for number in (0, 1, 3):
        yield run(count, end, feeds={limit: number})
        yield run(*written, feeds={limit: number})
    yield run(cell)


def _loop_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x, cell = v.known(v.any(2)), v.variable(v.any(2), resource=True)
    start = [tf.constant(0), x]
    with functional_control_flow(tf):
        _, power = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), start)
        _, read = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * cell), start)
        step = slopes(tf, [power, read], [x, cell])
    yield v.initializers()
    yield step


def _defined(name: str, build: Callable[[Any], Any]) -> Any:
    return function.Defun(oracle.float32, func_name=name, out_names=["y"])(build)


@functools.cache
def _calls() -> Any:
    """A graph of calls as TensorFlow writes it, with `x` for what is given to them."""
    floats = [oracle.float32]
    with oracle.Graph().as_default() as graph:
        half = _defined("half", lambda x: oracle.multiply(x, 0.5))
        cell = oracle.Variable([1.0, 2.0], use_resource=True, name="cell")
        x = oracle.placeholder(oracle.float32, [2], name="x")

        @function.Defun(oracle.float32, oracle.resource, func_name="added", out_names=["y"])
        def added(x: Any, handle: Any) -> Any:
            change = oracle.raw_ops.AssignAddVariableOp(resource=handle, value=x)
            with oracle.control_dependencies([change]):
                return oracle.raw_ops.ReadVariableOp(resource=handle, dtype=oracle.float32)

        gen_functional_ops.partitioned_call([x], floats, half, name="pure")
        gen_functional_ops.stateful_partitioned_call(
            [x, cell.handle], floats, added, name="stateful"
        )
        functional_ops.remote_call(
            target=oracle.constant("/cpu:0"), args=[x], Tout=floats, f=half, name="remote"
        )
        cube = _defined("cube", lambda x: x * x * x)
        oracle.identity(oracle.gradients(cube(x), x)[0], name="slope")
        return graph.as_graph_def().SerializeToString()


def _called(tf: Any, v: Inputs) -> Iterator[Step]:
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(_calls())
    names = ["pure", "stateful", "remote", "slope", "cell/Assign"]
    operations: Mapping[str, Any] = dict(
        zip(
            names,
            tf.import_graph_def(graph_def, {"x": v.known([3, 4])}, names, name="called"),
            strict=True,
        )
    )
    yield run(operations["cell/Assign"])
    for name in names[:-1]:
        for _ in range(2):
            yield run(operations[name].outputs[0])


@functools.cache
def _counts() -> Any:
    """A graph with For as TensorFlow writes it; `start`, `limit`, `delta` and `x` are given."""
    with oracle.Graph().as_default() as graph:
        numbers = [oracle.placeholder(oracle.int32, name=n) for n in ("start", "limit", "delta")]
        x = oracle.placeholder(oracle.float32, [2], name="x")
        cell = oracle.Variable([1.0, 2.0], use_resource=True, name="cell")
        pair = [oracle.int32, oracle.float32]

        @function.Defun(*pair, oracle.float32, func_name="swapped", out_names=["y", "x"])
        def swapped(number: Any, x: Any, y: Any) -> Any:
            return y, x + oracle.cast(number, oracle.float32)

        @function.Defun(*pair, oracle.resource, func_name="kept", out_names=["x", "handle"])
        def kept(number: Any, x: Any, handle: Any) -> Any:
            oracle.raw_ops.AssignAddVariableOp(resource=handle, value=x)
            return x, handle

        @function.Defun(*pair, func_name="inner", out_names=["x"])
        def inner(number: Any, x: Any) -> Any:
            return gen_functional_ops._for(0, number, 1, [x], added, name="inside")

        @function.Defun(*pair, func_name="added", out_names=["x"])
        def added(number: Any, x: Any) -> Any:
            return x + oracle.cast(number, oracle.float32)

        gen_functional_ops._for(*numbers, [x, x * x], swapped, name="swap")
        gen_functional_ops._for(*numbers, [x, cell.handle], kept, name="keep")
        gen_functional_ops._for(*numbers, [x], inner, name="nest")
        return graph.as_graph_def().SerializeToString()


def _counted(tf: Any, v: Inputs) -> Iterator[Step]:
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(_counts())
    start, limit, delta = (tf.placeholder(tf.int32) for _ in range(3))
    given = {"start": start, "limit": limit, "delta": delta, "x": v.known([3, 4])}
    names = ["swap:0", "swap:1", "keep:0", "nest:0", "cell/Assign", "cell/Read/ReadVariableOp:0"]
    *results, first, cell = tf.import_graph_def(graph_def, given, names, name="counted")
    yield infers(*results)
    yield run(first)
    for numbers in ((0, 5, 1), (5, 0, -2), (2, 3, 9), (4, 4, 0)):
        feeds = dict(zip((start, limit, delta), numbers, strict=True))
        yield run(*results, feeds=feeds)
        yield run(cell)


def _stand_ins(tf: Any, v: Inputs) -> Iterator[Step]:
    """FakeParam is never read where it counts; DeviceIndex finds the type of its device."""
    raw = tf.raw_ops
    fakes = [raw.FakeParam(dtype=v.element, shape=shape) for shape in ([2, 3], [None, 3], None)]
    which = tf.placeholder(tf.bool, [])
    no, yes = raw.Switch(data=fakes[0], pred=which)
    merged = raw.Merge(inputs=[v.constant([1, 2]), no])
    yield infers(*fakes, no, yes)
    yield run(*merged, feeds={which: True})
    yield run(*(raw.DeviceIndex(device_names=n) for n in (["GPU", "CPU"], ["CPU"], ["GPU"], [])))


def _no_truth(tf: Any, v: Inputs) -> Iterator[Step]:
    truth = tf.raw_ops.ToBool(input=v.fed(v.any()))
    yield infers(truth)


CASES = [
    *(
        Case("ToBool", lambda v, s=shape: [v.any(*s)], TRUTHS, label=str(shape))
        for shape in ((), (2, 3), (0, 3))
    ),
    Case("ToBool", lambda v: [np.zeros((), v.dtype)], TRUTHS[:-1], label="zero"),
    Case("ToBool", lambda v: [np.array(b"", object)], ("string",), label="empty"),
]
PROGRAMS = [
    Program("If StatelessIf Case StatelessCase", _chosen, FLOAT32_64),
    Program("If StatelessIf Case StatelessCase", _chosen_slopes, FLOAT32_64, gradients=True),
    Program("While StatelessWhile", _looped, FLOAT32_64),
    Program("While StatelessWhile", _loop_slopes, FLOAT32_64, gradients=True),
    Program(
        "PartitionedCall StatefulPartitionedCall RemoteCall SymbolicGradient",
        _called,
        ("float32",),
    ),
    Program("For", _counted, ("float32",)),
    Program("FakeParam DeviceIndex", _stand_ins, ("float32",)),
    Program("ToBool", _no_truth, ("complex64",)),
]
