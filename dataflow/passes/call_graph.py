"""Which functions of a library call which, and so which of them call themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.node_def_pb2 import NodeDef


class CallGraph:
    """The calls between the functions of a library."""

    def __init__(self, functions: Mapping[str, FunctionDef]) -> None:
        self._functions = functions
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
            found = self._calls[name] = frozenset(named & self._functions.keys())
        return found

    def reached(self, names: frozenset[str]) -> set[str]:
        """These functions and all that they call."""
        seen = set(names)
        stack = list(names)
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
