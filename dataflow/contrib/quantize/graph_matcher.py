"""Patterns under the names of `tensorflow.contrib.quantize.python.graph_matcher`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from dataflow.contrib.quantize.patterns import OneOf, Types
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor

Pattern: TypeAlias = Types | OneOf

_MAX_INPUTS = 8


class MatchResult(dict[Any, tuple[Operation, Any]]):
    """Which operation each pattern has matched, and which of its outputs is used further on."""

    def add(self, pattern: OpTypePattern, op: Operation, tensor: Tensor | None) -> None:
        """Notes what a pattern has matched.

        Raises:
          ValueError: Another pattern has its name.
        """
        if pattern.name is not None and pattern.name in self._named():
            raise ValueError(f"Name {pattern.name} is already bound to another pattern")
        self[pattern] = op, tensor

    def _named(self) -> dict[str | None, tuple[Operation, Any]]:
        return {pattern.name: found for pattern, found in self.items()}

    def _entry(self, key: Pattern | str) -> tuple[Operation | None, Tensor | None]:
        if isinstance(key, str):
            return self._named().get(key) or (None, None)
        if isinstance(key, Types | OneOf):
            return self.get(key) or (None, None)
        raise ValueError(f"pattern_or_name has type {type(key)}. Expect Pattern or str.")

    def get_op(self, pattern_or_name: Pattern | str) -> Operation | None:
        """The operation that a pattern, or the one of a name, has matched, or None.

        Raises:
          ValueError: It is neither a pattern nor a string.
        """
        return self._entry(pattern_or_name)[0]

    def get_tensor(self, pattern_or_name: Pattern | str) -> Tensor | None:
        """The output of that operation that is used further on; None of a root and where none is.

        Raises:
          ValueError: It is neither a pattern nor a string.
        """
        return self._entry(pattern_or_name)[1]

    def merge_from(self, other_match_result: MatchResult) -> None:
        """Adds what another one has."""
        self.update(other_match_result)


class OpTypePattern(Types):
    """An operation of certain types, with certain inputs."""

    def __init__(
        self,
        op_type: str,
        name: str | None = None,
        inputs: Sequence[Pattern | str] | None = None,
        ordered_inputs: bool = True,
    ) -> None:
        """Describes an operation.

        Args:
          op_type: An op type, several with "|" between them, or "*" for any.
          name: Under which a `MatchResult` has what matched.
          inputs: What the inputs look like; a string is a pattern of these types with any inputs.
            If None, any inputs match.
          ordered_inputs: Whether the inputs come in this order; otherwise any order matches.

        Raises:
          ValueError: There are more than eight inputs.
        """
        inputs = inputs or ()
        if len(inputs) > _MAX_INPUTS:
            raise ValueError("Only < 8 inputs are allowed when ordered_inputs is False.")
        patterns = [OpTypePattern(each) if isinstance(each, str) else each for each in inputs]
        super().__init__(op_type, *patterns, part=self, any_order=not ordered_inputs)
        self._name = name

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    def match(self, op: Operation, tensor: Tensor | None = None) -> MatchResult | None:
        """What matches, if an operation does; None otherwise."""
        found = super().match(op, tensor)
        return None if found is None else MatchResult(found)


class OneofPattern(OneOf):
    """The first of several patterns that matches."""

    def __init__(self, sub_patterns: Iterable[Pattern]) -> None:
        """Takes the patterns."""
        super().__init__(*sub_patterns)


class GraphMatcher:
    """Looks for a pattern in graphs."""

    def __init__(self, pattern: Pattern) -> None:
        """Takes the pattern."""
        self._pattern = pattern

    def match_op(self, op: Operation) -> MatchResult | None:
        """What matches with an operation as the root, or None."""
        found = self._pattern.match(op)
        return None if found is None else MatchResult(found)

    def match_ops(self, ops: Iterable[Operation]) -> Iterator[MatchResult]:
        """The matches among some operations, in their order."""
        return (found for found in map(self.match_op, ops) if found is not None)

    def match_graph(self, graph: Graph) -> Iterator[MatchResult]:
        """The matches in a graph, in the order in which its operations were made."""
        return self.match_ops(graph.get_operations())
