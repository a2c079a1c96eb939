"""Where a type of op says what its nodes cost, as far as types and shapes tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph
    from dataflow.proto.node_def_pb2 import NodeDef


class OpStats:
    """A number of a node and what it is the number of; two of a kind are added."""

    def __init__(self, statistic_type: str, value: float | None = None) -> None:
        """Makes a number; None stands for one that nobody knows."""
        self.statistic_type = statistic_type
        self.value = value

    @property
    def statistic_type(self) -> str:
        """What is counted, such as "flops"."""
        return self._statistic_type

    @statistic_type.setter
    def statistic_type(self, statistic_type: str) -> None:
        self._statistic_type = statistic_type

    @property
    def value(self) -> float | None:
        """The number."""
        return self._value

    @value.setter
    def value(self, value: float | None) -> None:
        self._value = value

    def __iadd__(self, other: OpStats) -> OpStats:
        if other.statistic_type != self.statistic_type:
            raise ValueError(
                f"Can't add an OpStat of type {self.statistic_type} to one of "
                f"{other.statistic_type}."
            )
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self._value = self.value + other.value
        return self


Counter = Callable[["Graph", "NodeDef"], OpStats]

_COUNTERS: Final[dict[tuple[str, str], Counter]] = {}


class RegisterStatistics:
    """Decorator of the function that says what nodes of a type cost; for ops of programs, too.

    ```python
    @ops.RegisterStatistics("Roll", "flops")
    def _roll_flops(graph, node):
        return ops.OpStats("flops", 0)
    ```
    """

    def __init__(self, op_type: str, statistic_type: str) -> None:
        """Says what is counted of which op.

        Raises:
          TypeError: One is not a string, or has a comma in it.
        """
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string.")
        if "," in op_type:
            raise TypeError("op_type must not contain a comma.")
        if not isinstance(statistic_type, str):
            raise TypeError("statistic_type must be a string.")
        if "," in statistic_type:
            raise TypeError("statistic_type must not contain a comma.")
        self._key = (op_type, statistic_type)

    def __call__(self, f: Counter) -> Counter:
        """Registers the function.

        Raises:
          KeyError: There is one already.
        """
        if self._key in _COUNTERS:
            raise KeyError(
                f"Registering two statistics functions with name '{','.join(self._key)}'!"
            )
        _COUNTERS[self._key] = f
        return f


def get_stats_for_node_def(graph: Graph, node: NodeDef, statistic_type: str) -> OpStats:
    """What a node costs; without a value where its type says nothing about it.

    Raises:
      ValueError: A shape that the count needs is not known.
    """
    counter = _COUNTERS.get((node.op, statistic_type))
    return OpStats(statistic_type) if counter is None else counter(graph, node)


def lengths_of(graph: Graph, name: str) -> list[int]:
    """The lengths of the dimensions of the tensor that a NodeDef's input names.

    Raises:
      ValueError: They are not all known.
    """
    node, _, index = name.partition(":")
    shape = graph.get_operation_by_name(node).outputs[int(index or 0)].get_shape()
    shape.assert_is_fully_defined()
    return [length or 0 for length in shape.as_list()]
