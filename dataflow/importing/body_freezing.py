"""Rewrites nodes that had variables into nodes that have the values, in functions too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dataflow.proto.function_pb2 import FunctionDef, FunctionDefLibrary
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.values.tensor_proto import make_tensor_proto

PASS_ON = ("Identity", "Enter", "Switch", "Exit", "NextIteration")
"""Ops whose outputs are what they are given: a handle stays a handle, a value a value."""
READS = {
    "ReadVariableOp": "Identity",
    "VariableShape": "Shape",
    "ResourceGather": "GatherV2",
    "ResourceGatherNd": "GatherNd",
}
"""Ops that read a resource variable -> ops that take its value."""
_LOOPS = ("While", "StatelessWhile")


class _Caller(NamedTuple):
    """How an op calls: its first input that is an argument, its attrs of types and functions."""

    first: int
    types: str
    functions: tuple[str, ...]


_CALLERS = {
    **dict.fromkeys(("If", "StatelessIf"), _Caller(1, "Tin", ("then_branch", "else_branch"))),
    **dict.fromkeys(("Case", "StatelessCase"), _Caller(1, "Tin", ("branches",))),
    **dict.fromkeys(("PartitionedCall", "StatefulPartitionedCall"), _Caller(0, "Tin", ("f",))),
    **dict.fromkeys(_LOOPS, _Caller(0, "T", ("body", "cond"))),
}


@dataclass(frozen=True, slots=True)
class FrozenVariable:
    """A variable that becomes a constant; `is_handle` says that its node gives a handle."""

    name: str
    is_handle: bool
    dtype: int
    shape: tuple[int, ...] = ()


Endpoint = tuple[str, int]
"""A node, or an argument of a function, and an output of it."""


def endpoint(text: str) -> Endpoint:
    """What an input string names: "n", "n:1", or in a function "n:output:1"; ("", 0): control."""
    if text.startswith("^"):
        return "", 0
    name, *rest = text.split(":")
    return name, int(rest[-1]) if rest and rest[-1].isdecimal() else 0


def carriers(
    nodes: Iterable[NodeDef], sources: Mapping[str, FrozenVariable]
) -> dict[Endpoint, FrozenVariable]:
    """Every endpoint that gives one of the variables, or its handle; `sources` are the first."""
    consumers: dict[Endpoint, list[tuple[NodeDef, int]]] = {}
    for node in nodes:
        for index, text in enumerate(node.input):
            consumers.setdefault(endpoint(text), []).append((node, index))
    found = {(name, 0): variable for name, variable in sources.items()}
    pending = list(found)
    for source in pending:
        for node, index in consumers.get(source, ()):
            if node.op in PASS_ON and index == 0:
                outputs = [0, 1] if node.op == "Switch" else [0]
            else:
                outputs = [index] if node.op in _LOOPS else []
            for output in outputs:
                if (node.name, output) not in found:
                    found[node.name, output] = found[source]
                    pending.append((node.name, output))
    return found


class BodyFreezer:
    """Rewrites the nodes of a graph and the functions they call with a variable's handle."""

    def __init__(self, library: FunctionDefLibrary) -> None:
        self._functions = {f.signature.name: f for f in library.function}
        self._names: dict[tuple[str, tuple[tuple[int, FrozenVariable], ...]], str] = {}
        self._made: dict[str, FunctionDef] = {}

    def nodes(
        self, nodes: Sequence[NodeDef], sources: Mapping[str, FrozenVariable], in_function: bool
    ) -> list[NodeDef]:
        """The nodes, and the constants they need besides, where `sources` are values now.

        Raises:
          ValueError: A node needs the handle of a variable.
        """
        carried = carriers(nodes, sources)
        more: list[NodeDef] = []
        result = [self._node(node, carried, more, in_function) for node in nodes]
        if in_function:
            renamed = {n.name for n in nodes if n.op == "ReadVariableOp"} - {
                n.name for n in result if n.op == "ReadVariableOp"
            }
            for node in result:
                node.input[:] = [_after_reading(text, renamed) for text in node.input]
        return result + more

    def library(self, nodes: Iterable[NodeDef], library: FunctionDefLibrary) -> FunctionDefLibrary:
        """The functions of `library`, rewritten ones in place of those they were made of."""
        replaced = {name for name, _ in self._names}
        everything = {**self._functions, **self._made}
        pending = [name for node in nodes for name in _called(node)]
        pending += [name for name in self._functions if name not in replaced]
        kept: set[str] = set()
        for name in pending:
            if name in everything and name not in kept:
                kept.add(name)
                pending += [each for n in everything[name].node_def for each in _called(n)]
        result = FunctionDefLibrary(gradient=library.gradient)
        result.function.extend(f for name, f in everything.items() if name in kept)
        return result

    def _node(
        self,
        node: NodeDef,
        carried: Mapping[Endpoint, FrozenVariable],
        more: list[NodeDef],
        in_function: bool,
    ) -> NodeDef:
        given = {i: carried[e] for i, t in enumerate(node.input) if (e := endpoint(t)) in carried}
        handles = {index: variable for index, variable in given.items() if variable.is_handle}
        result = NodeDef()
        result.CopyFrom(node)
        if 0 in given and node.op in PASS_ON:
            result.attr["T"].type = given.pop(0).dtype  # type: ignore[assignment]
            result.attr.pop("_output_shapes", None)
            handles.pop(0, None)
        elif 0 in handles and node.op in READS:
            result = _value_reader(node, handles.pop(0), more, in_function)
        elif node.op in _CALLERS and handles:
            self._call(result, handles)
            return result
        for variable in handles.values():
            raise _needs_handle(variable, f"node '{node.name}' of type {node.op}")
        return result

    def _call(self, node: NodeDef, handles: Mapping[int, FrozenVariable]) -> None:
        """Gives a calling node the types of the values, and the functions that take them."""
        first, types, functions = _CALLERS[node.op]
        arguments = {}
        for index, variable in handles.items():
            if index < first:
                raise _needs_handle(variable, f"node '{node.name}' of type {node.op}")
            arguments[index - first] = variable
            node.attr[types].list.type[index - first] = variable.dtype  # type: ignore[call-overload]
            if node.op in _LOOPS and index < len(node.attr["output_shapes"].list.shape):
                shape = node.attr["output_shapes"].list.shape[index]
                shape.Clear()
                for size in variable.shape:
                    shape.dim.add(size=size)
        for attr in functions:
            value = node.attr[attr]
            called = [value.func] if value.HasField("func") else value.list.func
            for function in called:
                if function.name not in self._functions:
                    raise ValueError(
                        f"Node '{node.name}' of type {node.op} calls function '{function.name}', "
                        "which is not in the library of the graph."
                    )
                keeps = node.op in _LOOPS and attr == "body"
                function.name = self._function(function.name, arguments, keeps)

    def _function(self, name: str, arguments: dict[int, FrozenVariable], keeps: bool) -> str:
        """The name of a function that takes values for the handles `name` takes.

        `keeps`: it may return them where it takes them, as the body of a loop does.
        """
        key = (name, tuple(sorted(arguments.items(), key=lambda item: item[0])))
        if key in self._names:
            return self._names[key]
        base, _, number = name.rpartition("_")
        base = base if base and number.isdecimal() else name
        count = 0
        while (new := f"{base}_frozen_{count}") in self._functions or new in self._made:
            count += 1
        self._names[key] = new
        result = self._made[new] = FunctionDef()
        old = self._functions[name]
        result.CopyFrom(old)
        result.signature.name = new
        for index, variable in arguments.items():
            result.signature.input_arg[index].type = variable.dtype  # type: ignore[assignment]
            _forget_shape(result, index)
        sources = {old.signature.input_arg[i].name: v for i, v in arguments.items()}
        del result.node_def[:]
        result.node_def.extend(self.nodes(old.node_def, sources, in_function=True))
        reads = {n.name for n in old.node_def if n.op == "ReadVariableOp"}
        reads -= {n.name for n in result.node_def if n.op == "ReadVariableOp"}
        carried = carriers(old.node_def, sources)
        for index, output in enumerate(result.signature.output_arg):
            text = old.ret[output.name]
            result.ret[output.name] = _after_reading(text, reads)
            returned = carried.get(endpoint(text))
            if returned is None or not returned.is_handle:
                continue
            if not keeps or arguments.get(index) != returned:
                raise _needs_handle(returned, f"output '{output.name}' of function '{name}'")
            output.type = returned.dtype  # type: ignore[assignment]
        return new


def constant(name: str, value: object, dtype: int) -> NodeDef:
    """A node Const of a value."""
    node = NodeDef(name=name, op="Const")
    node.attr["dtype"].type = dtype  # type: ignore[assignment]
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value, dtype=dtype))
    return node


def _value_reader(
    node: NodeDef, variable: FrozenVariable, more: list[NodeDef], in_function: bool
) -> NodeDef:
    result = NodeDef(name=node.name, op=READS[node.op], input=[node.input[0]])
    if node.op == "ReadVariableOp":
        result.attr["T"].CopyFrom(node.attr["dtype"])
    elif node.op == "VariableShape":
        result.attr["T"].type = variable.dtype  # type: ignore[assignment]
        result.attr["out_type"].CopyFrom(node.attr["out_type"])
    else:
        result.input.append(node.input[1])
        result.attr["Tparams"].CopyFrom(node.attr["dtype"])
        result.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    if node.op == "ResourceGather":
        batch_dims = node.attr["batch_dims"].i
        if batch_dims:
            raise ValueError(
                f"batch_dims must be 0 for freeze_graph, but got node({node.name})"
                f".attr('batch_dims') = {batch_dims}."
            )
        axis = f"{node.name}/axis"
        result.input.append(f"{axis}:output:0" if in_function else axis)
        result.attr["Taxis"].CopyFrom(node.attr["Tindices"])
        more.append(constant(axis, np.int64(0), node.attr["Tindices"].type))
    if "_class" in node.attr:
        result.attr["_class"].CopyFrom(node.attr["_class"])
    return result


def _needs_handle(variable: FrozenVariable, place: str) -> ValueError:
    return ValueError(
        f"Cannot freeze variable '{variable.name}': {place} needs its handle. Leave the variable "
        "out, or the node out of the outputs."
    )


def _after_reading(text: str, renamed: set[str]) -> str:
    """An input in a function whose ReadVariableOps of these names are Identities now."""
    name, _, output = text.partition(":")
    return f"{name}:output:0" if name in renamed and output == "value:0" else text


def _called(node: NodeDef) -> list[str]:
    names = [node.op]
    for value in node.attr.values():
        names += [function.name for function in [value.func, *value.list.func] if function.name]
    return names


def _forget_shape(function: FunctionDef, index: int) -> None:
    """What was known of the handle's shape does not hold for the value."""
    if "_input_shapes" in function.attr:
        shape = function.attr["_input_shapes"].list.shape[index]
        shape.Clear()
        shape.unknown_rank = True
    if index in function.arg_attr:
        attrs = function.arg_attr[index].attr
        if "_output_shapes" in attrs:
            attrs["_output_shapes"].list.shape[0].Clear()
            attrs["_output_shapes"].list.shape[0].unknown_rank = True
