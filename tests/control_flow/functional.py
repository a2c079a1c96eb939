"""Compares programs whose control flow is functional: graphs, up to names of functions, and values.

Names of functions hold a number that counts what the process has made before, so that functions
are numbered here in the order in which nodes name them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.differentiation.both import (
    _IGNORED_ATTRS,
    _attr_text,
    assert_same_value,
    flatten,
    run,
)

Program = Callable[[Any], Any]


@contextmanager
def functional_control_flow(library: Any) -> Iterator[None]:
    """Switches the library's functional control flow on inside the context."""
    library.enable_control_flow_v2()
    try:
        yield
    finally:
        library.disable_control_flow_v2()


def assert_same(program: Program, *, graphs: bool = True, values: bool = True) -> None:
    """Fails unless both libraries build the same functions and nodes, and compute the same."""
    theirs, expected = built(oracle, program, values)
    ours, actual = built(tf, program, values)
    if graphs:
        assert ours == theirs
    assert len(actual) == len(expected)
    for have, want in zip(actual, expected, strict=True):
        assert_same_value(have, want)


def built(library: Any, program: Program, values: bool = True) -> tuple[str, list[Any]]:
    """The graph as text, and the values of what the program returns."""
    with functional_control_flow(library), library.Graph().as_default() as graph:
        fetches = flatten(program(library))
        text = described(graph.as_graph_def().SerializeToString())
        return text, run(library, fetches) if values else []


def refusal(library: Any, program: Program) -> Exception:
    """The error a program raises while it is built."""
    with functional_control_flow(library), library.Graph().as_default():
        try:
            program(library)
        except Exception as error:
            return error
    raise AssertionError(f"{library.__name__} builds the program")


def described(data: bytes) -> str:
    """A serialised GraphDef as text: nodes, then the functions they use, in that order."""
    graph_def = oracle.GraphDef()
    graph_def.ParseFromString(data)
    functions = {f.signature.name: f for f in graph_def.library.function}
    order: list[str] = []
    for node in graph_def.node:
        _visit(node, functions, order)
    lines = [_node_text(node) for node in graph_def.node]
    for name in order:
        lines += _function_text(functions[name])
    text = "\n".join(lines)
    numbers = {name: f"<{index}>" for index, name in enumerate(order)}
    for name in sorted(order, key=len, reverse=True):
        text = text.replace(name, numbers[name])
        text = text.replace(name.lower(), numbers[name])
    text = re.sub(r"while_cond_\d+___redundant", "while_cond_N___redundant", text)
    unused = sorted(re.sub(r"\d+", "N", name) for name in functions.keys() - set(order))
    return "\n".join([text, f"unused: {unused}"])


def _visit(node: Any, functions: Any, order: list[str]) -> None:
    named = [node.op] if node.op in functions else []
    for key in sorted(node.attr):
        value = node.attr[key]
        if value.HasField("func"):
            named.append(value.func.name)
        named += [function.name for function in value.list.func]
    for name in named:
        if name and name not in order:
            order.append(name)
            for inner in functions[name].node_def:
                _visit(inner, functions, order)


def _function_text(function: Any) -> Iterator[str]:
    signature = function.signature
    inputs = [f"{arg.name}: {arg.type}" for arg in signature.input_arg]
    outputs = [f"{arg.name}: {arg.type} = {function.ret[arg.name]}" for arg in signature.output_arg]
    yield f"{signature.name}({inputs}) -> {outputs} stateful={signature.is_stateful}"
    yield f"  control {list(signature.control_output)} {sorted(function.control_ret.items())}"
    for index, attrs in sorted(function.arg_attr.items()):
        shown = {key: _text(value) for key, value in sorted(attrs.attr.items())}
        yield f"  argument {index} {shown}"
    yield f"  attrs { {key: _text(value) for key, value in sorted(function.attr.items())} }"
    for node in function.node_def:
        yield "  " + _node_text(node)


def _node_text(node: Any) -> str:
    attrs = {
        key: _text(value) for key, value in sorted(node.attr.items()) if key not in _IGNORED_ATTRS
    }
    return f"{node.name} = {node.op}({', '.join(node.input)}) {attrs} {node.device}"


def _text(value: Any) -> str:
    return _attr_text(value.SerializeToString())


def first_gradient(program: Program) -> Program:
    """The program's gradients with respect to its float placeholders and its variables."""

    def differentiated(library: Any) -> Any:
        found = library.gradients(_floats(program(library)), _sources(library))
        # A variable's rows may be asked for twice: their order is the library's own.
        return [None if grad is None else library.convert_to_tensor(grad) for grad in found]

    return differentiated


def second_gradient(program: Program) -> Program:
    """The gradients of the sum of the program's gradients."""

    def differentiated(library: Any) -> Any:
        firsts = library.gradients(_floats(program(library)), _sources(library))
        return library.gradients([g for g in firsts if g is not None], _sources(library))

    return differentiated


def _floats(results: Any) -> list[Any]:
    return [each for each in flatten(results) if each is not None and each.dtype.is_floating]


def _sources(library: Any) -> list[Any]:
    placeholders = [
        op.outputs[0]
        for op in library.get_default_graph().get_operations()
        if op.type == "Placeholder" and op.outputs[0].dtype.is_floating
    ]
    return [*placeholders, *library.trainable_variables()]
