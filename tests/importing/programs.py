"""Programs of many op families, built with either library: what graphs are exchanged with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.importing import loop_programs
from tests.importing.loop_programs import floats

Feeds = Mapping[str, np.ndarray[Any, Any]]


@dataclass(frozen=True, slots=True)
class Program:
    """A graph and a run of it.

    Attributes:
      build: `build(library)` adds the graph to the default graph, unless it comes from a file.
      fetches: Names of tensors.
      feeds: Values by names of tensors.
      steps: Names of operations that run first, one step each.
    """

    build: Callable[[Any], None]
    fetches: tuple[str, ...] = ("y:0",)
    feeds: Feeds = field(default_factory=dict)
    steps: tuple[str, ...] = ()


def elementwise(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [None, 4], name="x")
    a = lib.tanh(x) * 2.0 - lib.exp(-lib.abs(x)) / (lib.square(x) + 0.5)
    b = lib.where(lib.greater(x, 0.25), lib.sqrt(lib.abs(x)), lib.floor(x * 10.0))
    c = lib.maximum(lib.cast(lib.cast(a * 100.0, lib.int32), lib.float32), b)
    lib.add_n([a, b, c], name="y")


def integers(lib: Any) -> None:
    x = lib.placeholder(lib.int32, [5], name="x")
    lib.floormod(x * 7 - 3, lib.constant([2, 3, 4, 5, 6]), name="y")
    lib.logical_and(lib.less(x, 3), lib.not_equal(x, -1), name="z")
    lib.bitwise.bitwise_xor(lib.cast(x, lib.int64), lib.constant(21, lib.int64), name="w")


def reductions(lib: Any) -> None:
    x = lib.placeholder(lib.float64, [3, None, 2], name="x")
    mean = lib.reduce_mean(x, axis=[0, 2], keepdims=True)
    top = lib.reduce_max(lib.reduce_sum(x - mean, 1), 0)
    lib.concat([top, lib.reshape(lib.reduce_logsumexp(x), [1])], 0, name="y")
    lib.argmax(x, axis=1, name="z")


def arrays(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [4, 6], name="x")
    halves = lib.split(x, 2, axis=1)
    turned = lib.transpose(lib.stack([halves[0][1:3, ::2], halves[1][:2, :2]]), [2, 0, 1])
    padded = lib.pad(lib.squeeze(turned[:, :1], 1), [[1, 0], [0, 2]], constant_values=3.0)
    lib.tile(lib.reverse(lib.expand_dims(padded, 0), [1]), [2, 1, 1], name="y")
    lib.gather_nd(x, lib.constant([[0, 5], [3, 1]]), name="z")
    lib.one_hot(lib.constant([1, -1, 2]), 3, on_value=5.0, off_value=-1.0, name="w")
    lib.identity(lib.shape(x)[1] + lib.size(padded), name="n")


def strided(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [3, 4, 5], name="x")
    lib.identity(x[..., lib.newaxis, ::-2], name="y")
    lib.identity(x[1, -3:, None, 2], name="z")


def dynamic_shapes(lib: Any) -> None:
    x = lib.placeholder(lib.float32, name="x")
    rows = lib.shape(x)[0]
    flat = lib.reshape(x, [rows, -1])
    lib.identity(flat + lib.fill(lib.shape(flat), 0.5), name="y")
    lib.range(0, rows * 2, 3, name="z")


def matrices(lib: Any) -> None:
    a = lib.placeholder(lib.float32, [2, 3, 4], name="a")
    b = lib.placeholder(lib.float32, [2, 5, 4], name="b")
    product = lib.matmul(a, b, transpose_b=True)
    lib.identity(lib.einsum("bij,bkj->bik", a, b), name="e")
    lib.identity(lib.tensordot(product, lib.constant(floats(5, 2, seed=3)), 1), name="y")


def strings(lib: Any) -> None:
    words = lib.constant([b"zero", b"one\x00\xff", b"", b"three"], name="words")
    picked = lib.gather(words, lib.placeholder(lib.int64, [None], name="x"))
    lib.reshape(picked, [-1, 1], name="y")
    lib.equal(picked, lib.constant("three"), name="z")


def kinds(lib: Any) -> None:
    for name in ("float16", "bfloat16", "uint8", "int8", "uint16", "int16", "int64", "bool"):
        values = lib.cast(lib.constant([0, 1, 3]), lib.as_dtype(name))
        lib.identity(values, name=name)
    lib.constant([1 + 2j, -3j], lib.complex64, name="complex64")
    lib.constant(1.5, lib.bfloat16, name="b")
    lib.constant([0.1, 0.2], lib.float16, name="h")


def segments(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [6, 2], name="x")
    lib.segment_sum(x, lib.constant([0, 0, 1, 1, 1, 3]), name="y")
    lib.unsorted_segment_max(x, lib.constant([2, 0, 2, 1, 0, 0]), 3, name="z")
    parts = lib.dynamic_partition(x, lib.constant([1, 0, 1, 1, 0, 0]), 2)
    lib.dynamic_stitch([[1, 4, 5], [0, 2, 3]], parts, name="w")


def convolution(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [None, 8, 8, 3], name="x")
    kernel = lib.constant(floats(3, 3, 3, 4, seed=1), name="kernel")
    h = lib.nn.relu(lib.nn.bias_add(lib.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"), [0.1] * 4))
    h = lib.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    h = lib.nn.avg_pool(h, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
    logits = lib.matmul(lib.reshape(h, [-1, 16]), lib.constant(floats(16, 5, seed=2)))
    lib.nn.softmax(logits, name="y")
    labels = lib.constant([3, 0], lib.int64)
    loss = lib.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    lib.identity(loss, name="loss")


def gradients(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [3, 4], name="x")
    w = lib.constant(floats(4, 2, seed=5), name="w")
    y = lib.reduce_sum(
        lib.sigmoid(lib.matmul(x, w)) * lib.log(1.5 + lib.gather(x, [0, 2, 0])[:, :2])
    )
    by_x, by_w = lib.gradients(y, [x, w])
    lib.identity(by_x, name="y")
    lib.identity(by_w, name="z")


def waiting(lib: Any) -> None:
    v = lib.Variable(1.0, name="v", use_resource=False)
    with lib.control_dependencies([lib.assign_add(v, 2.0)]):
        with lib.control_dependencies([lib.assign(v, v.read_value() * 10.0, name="b")]):
            pass
        first = lib.identity(v.read_value(), name="first")
    with lib.control_dependencies([first, lib.no_op(name="nothing")]):
        lib.group(lib.assign_sub(v, 1.0), lib.no_op(), name="step")
    lib.identity(v, name="y")
    lib.variables_initializer([v], name="init")


def resources(lib: Any) -> None:
    table = lib.get_variable(
        "table", initializer=lib.constant(floats(5, 2, seed=6)), use_resource=True
    )
    count = lib.get_variable("count", initializer=lib.constant(0, lib.int64), use_resource=True)
    rows = lib.placeholder(lib.int32, [None], name="x")
    with lib.control_dependencies([count.assign_add(2)]):
        lib.identity(table.sparse_read(rows), name="y")
        lib.identity(count.read_value(), name="z")
    lib.group(table.scatter_add(lib.IndexedSlices(lib.ones([2, 2]), [0, 3])), name="step")
    lib.variables_initializer([table, count], name="init")


def places(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [2], name="x")
    with lib.device("/cpu:0"):
        a = lib.add(x, 1.0, name="a")
        with lib.device("/job:localhost/replica:0/task:0"):
            b = lib.multiply(a, 2.0, name="b")
    with lib.colocate_with(b.op):
        c = lib.negative(x, name="c")
    with lib.colocate_with(c.op), lib.device(None):
        lib.add(b, c, name="y")


def training(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [None, 3], name="x")
    labels = lib.placeholder(lib.float32, [None, 2], name="labels")
    w = lib.get_variable("w", initializer=lib.constant(floats(3, 2, seed=7)), use_resource=False)
    b = lib.get_variable("b", [2], initializer=lib.zeros_initializer(), use_resource=False)
    loss = lib.reduce_mean(lib.squared_difference(lib.matmul(x, w) + b, labels), name="loss")
    step = lib.train.get_or_create_global_step()
    rate = lib.train.exponential_decay(0.1, step, 2, 0.5)
    optimizer = lib.train.MomentumOptimizer(rate, 0.9)
    lib.group(optimizer.minimize(loss, global_step=step), name="step")
    lib.identity(w, name="y")
    lib.variables_initializer(lib.global_variables(), name="init")


def adam(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [None, 3], name="x")
    w = lib.get_variable("w", initializer=lib.constant(floats(3, seed=8)), use_resource=True)
    loss = lib.reduce_sum(lib.square(x * w - 1.0), name="loss")
    lib.group(lib.train.AdamOptimizer(0.05).minimize(loss), name="step")
    lib.identity(w, name="y")
    lib.variables_initializer(lib.global_variables(), name="init")


PROGRAMS: dict[str, Program] = {
    "elementwise": Program(elementwise, feeds={"x:0": floats(3, 4)}),
    "integers": Program(
        integers, ("y:0", "z:0", "w:0"), {"x:0": np.int32([-5, -1, 0, 2, 9])}
    ),
    "reductions": Program(
        reductions, ("y:0", "z:0"), {"x:0": floats(3, 4, 2).astype(np.float64)}
    ),
    "arrays": Program(arrays, ("y:0", "z:0", "w:0", "n:0"), {"x:0": floats(4, 6)}),
    "strided": Program(strided, ("y:0", "z:0"), {"x:0": floats(3, 4, 5)}),
    "dynamic_shapes": Program(dynamic_shapes, ("y:0", "z:0"), {"x:0": floats(3, 2, 2)}),
    "matrices": Program(
        matrices, ("y:0", "e:0"), {"a:0": floats(2, 3, 4), "b:0": floats(2, 5, 4, seed=1)}
    ),
    "strings": Program(strings, ("y:0", "z:0"), {"x:0": np.int64([3, 1, 2])}),
    "kinds": Program(
        kinds,
        tuple(
            f"{name}:0"
            for name in (
                *("float16", "bfloat16", "uint8", "int8", "uint16", "int16", "int64", "bool"),
                *("complex64", "b", "h"),
            )
        ),
    ),
    "segments": Program(segments, ("y:0", "z:0", "w:0"), {"x:0": floats(6, 2)}),
    "convolution": Program(
        convolution,
        ("y:0", "loss:0"),
        {"x:0": floats(2, 8, 8, 3)},
    ),
    "gradients": Program(gradients, ("y:0", "z:0"), {"x:0": floats(3, 4)}),
    "waiting": Program(waiting, ("first:0", "y:0"), steps=("init", "step", "step")),
    "resources": Program(
        resources, ("y:0", "z:0"), {"x:0": np.int32([0, 3, 0])}, ("init", "step", "step")
    ),
    "places": Program(places, feeds={"x:0": floats(2)}),
    "training": Program(
        training,
        ("y:0", "b:0", "loss:0", "global_step:0"),
        {"x:0": floats(4, 3), "labels:0": floats(4, 2, seed=1)},
        ("init", "step", "step", "step"),
    ),
    "adam": Program(adam, ("y:0", "loss:0"), {"x:0": floats(2, 3)}, ("init", "step", "step")),
}  # fmt: skip

_LOOPS: dict[str, Program] = {
    "nested_loops": Program(
        loop_programs.nested_loops, ("y:0", "g:0"), {"x:0": floats(3), "n:0": np.int32(4)}
    ),
    "cond_in_loop": Program(loop_programs.cond_in_loop, ("y:0", "z:0"), {"x:0": np.int64(27)}),
    "maps": Program(loop_programs.maps, ("y:0", "z:0", "w:0"), {"x:0": floats(4, 2)}),
    "sequence": Program(
        loop_programs.sequence,
        ("y:0", "z:0", "loss:0"),
        {"x:0": floats(5, 2, 3)},
        ("init", "step", "step"),
    ),
    "suppression": Program(
        loop_programs.suppression,
        ("y:0", "z:0", "n:0"),
        {"boxes:0": loop_programs.corners(), "scores:0": abs(floats(12, seed=3))},
    ),
}
PROGRAMS.update(_LOOPS)
PROGRAMS.update(
    (f"{name}_functional", replace(program, build=loop_programs.functional(program.build)))
    for name, program in _LOOPS.items()
)


FILES: dict[str, Program] = {
    **PROGRAMS,
    "stripped": PROGRAMS["convolution"],
    "frozen": Program(
        lambda library: None, ("probabilities:0", "label:0"), {"images:0": abs(floats(3, 8, 8, 1))}
    ),
    "exported": Program(
        lambda library: None,
        ("scores:0", "states:0"),
        {"serving_default_rows:0": floats(5, 2, 3), "serving_default_head:0": np.int32(1)},
        ("init",),
    ),
    **dict.fromkeys(
        ("exported_frozen", "exported_lowered"),
        Program(
            lambda library: None,
            ("Identity:0", "Identity_1:0"),
            {"rows:0": floats(5, 2, 3), "head:0": np.int32(1)},
        ),
    ),
    "recurrent": Program(
        lambda library: None, ("y:0", "z:0", "g:0", "k:0", "b:0"), {"x:0": floats(3, 5, 3)}
    ),
    "recurrent_lengths": Program(
        lambda library: None,
        ("y:0", "z:0", "g:0", "k:0", "b:0"),
        {"x:0": floats(3, 6, 3), "lengths:0": np.int32([6, 0, 3])},
    ),
}
"""The runs of the graphs in tests/data/graphs, which tools/make_test_graphs.py writes."""


def results(library: Any, graph_def: Any, program: Program) -> list[np.ndarray[Any, Any]]:
    """What the graph computes when a library imports and runs it."""
    with library.Graph().as_default() as graph:
        library.import_graph_def(graph_def, name="")
        config = library.ConfigProto(allow_soft_placement=True)
        with library.Session(graph=graph, config=config) as session:
            for step in program.steps:
                feeds = {} if step == "init" else dict(program.feeds)
                session.run(graph.get_operation_by_name(step), feeds)
            return [np.asarray(v) for v in session.run(list(program.fetches), dict(program.feeds))]
