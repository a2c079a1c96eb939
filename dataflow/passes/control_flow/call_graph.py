"""Which functions of a library call which, and so which of them call themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.values.attrs import NameAttrList


class CallGraph:
    """The calls between the functions of a library."""

    def __init__(self, graph: NodeGraph) -> None:
        """Takes the library of a graph."""
        self._functions = graph.functions
        self._gradients = graph.gradient_functions
        self._calls: dict[str, frozenset[str]] = {}
        self._recursive: dict[str, bool] = {}

    def is_recursive(self, name: str) -> bool:
        """True if a call of the function leads to a call of the function."""
        found = self._recursive.get(name)
        if found is None:
            found = self._recursive[name] = name in self.reached(self.calls(name))
        return found

    def calls(self, name: str) -> frozenset[str]:
        """The functions that the body of one names."""
        found = self._calls.get(name)
        if found is None:
            function = self._functions.get(name)
            nodes = function.node_def if function is not None else ()
            named = {text for node in nodes for text in called_by(node)}
            # A node may call the gradient function of what it names.
            named |= {self._gradients[text] for text in named & self._gradients.keys()}
            found = self._calls[name] = frozenset(named & self._functions.keys())
        return found

    def reached(self, names: Iterable[str]) -> set[str]:
        """These functions and all that they call."""
        seen = set(names)
        stack = list(seen)
        while stack:
            for name in self.calls(stack.pop()) - seen:
                seen.add(name)
                stack.append(name)
        return seen


def called_by(node: NodeDef) -> Iterator[str]:
    """Names that may be those of functions that a node calls."""
    yield node.op
    for value in node.attr.values():
        yield from _named(value)


def _named(value: AttrValue) -> Iterator[str]:
    functions = [value.func] if value.WhichOneof("value") == "func" else value.list.func
    for function in functions:
        yield function.name
        for inner in function.attr.values():
            yield from _named(inner)


def keep_called_functions(graph: NodeGraph) -> None:
    """Drops the functions that no node of a graph leads to from its library."""
    if graph.functions:
        named = {name for node in graph.nodes() for name in _functions_of(node)}
        kept = CallGraph(graph).reached(named)
        graph.functions = {n: f for n, f in graph.functions.items() if n in kept}
        graph.gradient_functions = {
            name: gradient
            for name, gradient in graph.gradient_functions.items()
            if {name, gradient} <= kept
        }


def _functions_of(node: Node) -> Iterator[str]:
    """Names of the functions that a node's attrs hold."""
    for value in node.attrs.values():
        for item in value if type(value) is tuple else (value,):
            if isinstance(item, NameAttrList):
                yield item.name
