"""Graphs with functions as TensorFlow writes them: calls, v2 conditionals and loops, recursion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops, gen_functional_ops

oracle.disable_v2_behavior()


@dataclass(frozen=True, slots=True)
class FunctionProgram:
    """A graph that TensorFlow builds, and runs of it.

    Attributes:
      build: Adds the graph to TensorFlow's default graph.
      fetches: Names of tensors.
      runs: The feeds of each run, by names of tensors.
      init: Operation that runs first.
    """

    build: Callable[[], None]
    fetches: Sequence[str] = ("y:0",)
    runs: Sequence[Mapping[str, Any]] = field(default_factory=lambda: [{}])
    init: str = ""


_DECLARED = "_declared"


def declare(name: str, types: Sequence[Any], result: Any) -> Any:
    """A function to call before it is defined under that name; see `graph_def_of`."""

    @function.Defun(*types, func_name=name + _DECLARED, out_names=["y"])
    def stub(*args: Any) -> Any:
        return oracle.zeros([], result)

    return stub


def _x(*shape: int | None) -> Any:
    return oracle.placeholder(oracle.float32, shape, name="x")


def call() -> None:
    @oracle.function
    def inner(a: Any, b: Any) -> Any:
        return a * b + 1.0, oracle.reduce_sum(a)

    @oracle.function
    def outer(a: Any) -> Any:
        first, second = inner(a, a * 2.0)
        third, _ = inner(first, second)
        return third - second, first

    y, z = outer(_x(None))
    oracle.identity(y, name="y")
    oracle.identity(z, name="z")


def named_call() -> None:
    @function.Defun(oracle.float32, oracle.float32, func_name="twice_and_more")
    def inner(a: Any, b: Any) -> Any:
        return a * 2.0 + b, a - b

    @function.Defun(oracle.float32, func_name="outer")
    def outer(a: Any) -> Any:
        first, second = inner(a, oracle.constant(3.0))
        return first * second

    oracle.identity(outer(_x(3)), name="y")


def conditional() -> None:
    @oracle.function
    def f(x: Any, limit: Any) -> Any:
        scale = oracle.constant(3.0)
        return oracle.cond(
            oracle.reduce_sum(x) > limit,
            lambda: (x * scale, oracle.constant([1])),
            lambda: (x - limit, oracle.constant([2, 3])),
        )

    limit = oracle.placeholder(oracle.float32, [], name="limit")
    y, z = f(_x(None), limit)
    oracle.identity(y, name="y")
    oracle.identity(z, name="z")


def nested_conditional() -> None:
    @oracle.function
    def f(x: Any) -> Any:
        def low() -> Any:
            return oracle.cond(x < -1.0, lambda: x * 10.0, lambda: x * 20.0)

        def high() -> Any:
            return oracle.cond(x > 1.0, lambda: x * 30.0, lambda: x + 40.0)

        return oracle.cond(x < 0.0, low, high)

    oracle.identity(f(_x()), name="y")


def switch() -> None:
    @oracle.function
    def f(index: Any, x: Any) -> Any:
        return oracle.switch_case(
            index, [lambda: x + 1.0, lambda: x * 10.0, lambda: oracle.constant(7.0)]
        )

    index = oracle.placeholder(oracle.int32, [], name="index")
    oracle.identity(f(index, _x()), name="y")


def loop() -> None:
    @oracle.function
    def f(x: Any, n: Any) -> Any:
        factor = oracle.reduce_max(x)
        _, total, steps = oracle.while_loop(
            lambda i, total, steps: i < n,
            lambda i, total, steps: (i + 1, total + x * factor, steps * 2.0),
            [oracle.constant(0), oracle.zeros_like(x), oracle.constant(1.0)],
        )
        return total, steps

    n = oracle.placeholder(oracle.int32, [], name="n")
    y, z = f(_x(None), n)
    oracle.identity(y, name="y")
    oracle.identity(z, name="z")


def nested_loop() -> None:
    @oracle.function
    def f(n: Any) -> Any:
        def outer(i: Any, total: Any) -> Any:
            def inner(j: Any, part: Any) -> Any:
                even = oracle.equal(j % 2, 0)
                return j + 1, part + oracle.cond(even, lambda: i * j, lambda: -j)

            _, part = oracle.while_loop(lambda j, _: j <= i, inner, [0, oracle.constant(0)])
            return i + 1, total + part

        return oracle.while_loop(lambda i, _: i < n, outer, [0, oracle.constant(0)])[1]

    oracle.identity(f(oracle.placeholder(oracle.int32, [], name="n")), name="y")


def lists_in_loop() -> None:
    @oracle.function
    def f(x: Any) -> Any:
        return oracle.map_fn(lambda row: oracle.reduce_sum(row) * row, x)

    oracle.identity(f(_x(None, 2)), name="y")


def variables() -> None:
    v = oracle.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    count = oracle.get_variable("count", initializer=0, use_resource=True)

    @oracle.function
    def f(x: Any) -> Any:
        before = v.read_value()
        v.assign_add(x)
        count.assign_add(1)
        return before * 10.0 + v.read_value()

    @oracle.function
    def g(x: Any, n: Any) -> Any:
        def body(i: Any) -> Any:
            f(x)
            return i + 1

        oracle.while_loop(lambda i: i < n, body, [0])
        return oracle.cond(n > 2, lambda: f(x), lambda: v + 0.0)

    oracle.identity(g(_x(2), oracle.placeholder(oracle.int32, [], name="n")), name="y")
    with oracle.control_dependencies(["y"]):
        oracle.identity(v.read_value(), name="v_after")
        oracle.identity(count.read_value(), name="count_after")
    oracle.global_variables_initializer()


def polymorphic() -> None:
    """The same function under two types: the calls carry attrs for it."""

    @function.Defun(oracle.float32, func_name="body")
    def body(x: Any) -> Any:
        return x * 0.5

    @function.Defun(oracle.float32, func_name="cond")
    def cond(x: Any) -> Any:
        return oracle.reduce_sum(x)

    # A condition that is no boolean: zero ends the loop.
    @function.Defun(oracle.int32, oracle.float32, func_name="count_body")
    def count_body(i: Any, x: Any) -> Any:
        return i - 1, x * 2.0

    @function.Defun(oracle.int32, oracle.float32, func_name="count_cond")
    def count_cond(i: Any, x: Any) -> Any:
        return i

    n = oracle.placeholder(oracle.int32, [], name="n")
    result = functional_ops.While([n, _x(None)], count_cond, count_body)
    oracle.identity(result[1], name="y")
    picked = functional_ops.If(n, [_x2()], body, _plus_one())
    oracle.identity(picked[0], name="z")


def _x2() -> Any:
    return oracle.placeholder(oracle.float32, [], name="x2")


def _plus_one() -> Any:
    @function.Defun(oracle.float32, func_name="plus_one")
    def plus_one(x: Any) -> Any:
        return x + 1.0

    return plus_one


def fibonacci() -> None:
    fib = declare("fib", [oracle.int32], oracle.int32)

    @function.Defun(oracle.int32, func_name="fib_more", out_names=["y"])
    def more(n: Any) -> Any:
        return fib(n - 1) + fib(n - 2)

    @function.Defun(oracle.int32, func_name="fib_end", out_names=["y"])
    def end(n: Any) -> Any:
        return oracle.identity(n)

    @function.Defun(oracle.int32, func_name="fib", out_names=["y"])
    def define(n: Any) -> Any:
        return functional_ops.If(n > 1, [n], more, end)[0]

    define.add_to_graph(oracle.get_default_graph())
    oracle.identity(fib(oracle.placeholder(oracle.int32, [], name="n")), name="y")


def ackermann() -> None:
    ints = [oracle.int32, oracle.int32]
    ack = declare("ack", ints, oracle.int32)

    @function.Defun(*ints, func_name="ack_zero_m", out_names=["y"])
    def zero_m(m: Any, n: Any) -> Any:
        return n + 1

    @function.Defun(*ints, func_name="ack_zero_n", out_names=["y"])
    def zero_n(m: Any, n: Any) -> Any:
        return ack(m - 1, oracle.constant(1))

    @function.Defun(*ints, func_name="ack_both", out_names=["y"])
    def both(m: Any, n: Any) -> Any:
        return ack(m - 1, ack(m, n - 1))

    @function.Defun(*ints, func_name="ack", out_names=["y"])
    def define(m: Any, n: Any) -> Any:
        index = oracle.where(m > 0, oracle.where(n > 0, 2, 1), 0)
        return gen_functional_ops.case(index, [m, n], [oracle.int32], [zero_m, zero_n, both])[0]

    define.add_to_graph(oracle.get_default_graph())
    m, n = (oracle.placeholder(oracle.int32, [], name=name) for name in "mn")
    oracle.identity(ack(m, n), name="y")


def parity() -> None:
    even = declare("even", [oracle.int32], oracle.bool)
    odd = declare("odd", [oracle.int32], oracle.bool)

    def define(name: str, other: Any, at_zero: bool) -> None:
        @function.Defun(oracle.int32, func_name=f"{name}_more", out_names=["y"])
        def more(n: Any) -> Any:
            return other(n - 1)

        @function.Defun(oracle.int32, func_name=f"{name}_end", out_names=["y"])
        def end(n: Any) -> Any:
            return oracle.constant(at_zero)

        @function.Defun(oracle.int32, func_name=name, out_names=["y"])
        def choose(n: Any) -> Any:
            return functional_ops.If(n > 0, [n], more, end)[0]

        choose.add_to_graph(oracle.get_default_graph())

    define("even", odd, True)
    define("odd", even, False)
    n = oracle.placeholder(oracle.int32, [], name="n")
    oracle.identity(even(n), name="y")
    oracle.identity(odd(n), name="z")


def _runs(name: str, *values: Any) -> list[dict[str, Any]]:
    return [{f"{name}:0": value} for value in values]


_ROW = np.float32([1.5, -2.0, 4.0])

PROGRAMS: dict[str, FunctionProgram] = {
    "call": FunctionProgram(call, ("y:0", "z:0"), _runs("x", _ROW)),
    "named_call": FunctionProgram(named_call, ("y:0",), _runs("x", _ROW)),
    "conditional": FunctionProgram(
        conditional,
        ("y:0", "z:0"),
        [{"x:0": _ROW, "limit:0": limit} for limit in (1.0, 10.0)],
    ),
    "nested_conditional": FunctionProgram(
        nested_conditional, ("y:0",), _runs("x", -2.0, -0.5, 0.5, 3.0)
    ),
    "switch": FunctionProgram(
        switch, ("y:0",), [{"x:0": 2.0, "index:0": index} for index in (0, 1, 2, 3, -1)]
    ),
    "loop": FunctionProgram(loop, ("y:0", "z:0"), [{"x:0": _ROW, "n:0": n} for n in (0, 1, 17)]),
    "nested_loop": FunctionProgram(nested_loop, ("y:0",), _runs("n", 0, 1, 6)),
    "lists_in_loop": FunctionProgram(
        lists_in_loop, ("y:0",), _runs("x", np.arange(6, dtype=np.float32).reshape(3, 2))
    ),
    "variables": FunctionProgram(
        variables,
        ("y:0", "v_after:0", "count_after:0"),
        [{"x:0": np.float32([0.5, 1.0]), "n:0": n} for n in (0, 3, 1)],
        "init",
    ),
    "polymorphic": FunctionProgram(
        polymorphic,
        ("y:0", "z:0"),
        [{"x:0": _ROW, "x2:0": 8.0, "n:0": n} for n in (3, 0)],
    ),
    "fibonacci": FunctionProgram(fibonacci, ("y:0",), _runs("n", 0, 1, 9)),
    "ackermann": FunctionProgram(
        ackermann, ("y:0",), [{"m:0": m, "n:0": n} for m, n in ((0, 3), (1, 2), (2, 3))]
    ),
    "parity": FunctionProgram(parity, ("y:0", "z:0"), _runs("n", 0, 5, 8)),
}


def graph_def_of(program: FunctionProgram) -> Any:
    """The GraphDef that TensorFlow writes, with declared functions called by their own names."""
    with oracle.Graph().as_default() as graph:
        program.build()
        graph_def = graph.as_graph_def()
    functions = [f for f in graph_def.library.function if _DECLARED not in f.signature.name]
    for nodes in (graph_def.node, *(f.node_def for f in functions)):
        for node in nodes:
            node.op = node.op.removesuffix(_DECLARED)
    del graph_def.library.function[:]
    graph_def.library.function.extend(functions)
    return graph_def


def results(
    library: Any, graph_def: Any, program: FunctionProgram, target: str = "", config: Any = None
) -> list[Any]:
    """What the runs of a program fetch when a library has imported it."""
    with library.Graph().as_default() as graph:
        library.import_graph_def(graph_def, name="")
        with library.Session(target, graph=graph, config=config) as session:
            if program.init:
                session.run(program.init)
            return [session.run(list(program.fetches), dict(feeds)) for feeds in program.runs]


def as_ours(graph_def: Any) -> Any:
    """TensorFlow's GraphDef as this library's."""
    from dataflow.proto.graph_pb2 import GraphDef

    return GraphDef.FromString(graph_def.SerializeToString())
