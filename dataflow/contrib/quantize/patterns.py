"""Patterns of operations: what types follow one another, and which of them plays what part."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, TypeAlias

from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor

Match: TypeAlias = dict[Any, tuple[Operation, Any]]
"""Part -> the operation that plays it, and the output of it that the pattern has gone through."""


class Types:
    """An operation of some types, with inputs that match patterns."""

    def __init__(
        self,
        types: str,
        *inputs: Types | OneOf,
        part: Any = None,
        any_order: bool = False,
    ) -> None:
        """Takes types.

        Args:
          types: Divided by "|"; "*" is any.
          inputs: What all inputs match; none says nothing of them.
          part: Under what name the operation is found in the match.
          any_order: Whether the inputs may be permuted.
        """
        self._types = frozenset(types.split("|"))
        self._orders = list(itertools.permutations(inputs)) if any_order else [inputs]
        self._part = part

    def match(self, op: Operation, tensor: Tensor | None = None) -> Match | None:
        """The parts of a tree of operations, or None if it is another."""
        if op.type not in self._types and "*" not in self._types:
            return None
        own: Match = {} if self._part is None else {self._part: (op, tensor)}
        for order in self._orders:
            if not order:
                return own
            if len(order) != len(op.inputs):
                return None
            parts = [
                each.match(taken.op, taken) for each, taken in zip(order, op.inputs, strict=True)
            ]
            if all(part is not None for part in parts):
                return own | {name: found for part in parts if part for name, found in part.items()}
        return None


class OneOf:
    """The first of some patterns that matches."""

    def __init__(self, *patterns: Types | OneOf) -> None:
        """Takes the patterns."""
        self._patterns = patterns

    def match(self, op: Operation, tensor: Tensor | None = None) -> Match | None:
        """The parts of a tree of operations, or None if it is another."""
        found = (pattern.match(op, tensor) for pattern in self._patterns)
        return next((match for match in found if match is not None), None)


ANY = Types("*")


def matches(graph: Graph, pattern: Types | OneOf) -> Iterator[Match]:
    """The matches of a pattern in a graph as it is now, in the order of its operations."""
    for op in graph.get_operations():
        found = pattern.match(op)
        if found is not None:
            yield found


def op_of(match: Match, part: str) -> Operation | None:
    """The operation that plays a part, if there is one."""
    return match[part][0] if part in match else None


def tensor_of(match: Match, part: str) -> Any:
    """The tensor that the pattern has gone through at a part, if there is one."""
    return match[part][1] if part in match else None
