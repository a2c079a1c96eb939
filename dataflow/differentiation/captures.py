"""How a gradient walk sees through the captures of the functions it is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor


class CaptureView:
    """Inputs and consumers of operations, with captured tensors in place of what stands for them.

    Outside of functions that is what the operations have.
    """

    def __init__(self, graph: Graph, xs: Iterable[Tensor]) -> None:
        """Looks from a graph outwards.

        Args:
          graph: The graph whose operations are differentiated.
          xs: Tensors to keep as they are.
        """
        self._xs = frozenset(xs)
        self._bodies: list[Any] = []
        current: Any = graph
        while current.building_function:
            self._bodies.append(current)
            current = current.outer_graph

    def inputs(self, op: Operation) -> Sequence[Tensor]:
        """The inputs of an operation."""
        if not op.graph.building_function:
            return op.inputs
        return [t if t in self._xs else _captured(t) for t in op.inputs]

    def consumers(self, tensor: Tensor) -> list[Operation]:
        """The operations that take a tensor, those in the functions around included."""
        found = tensor.consumers()
        for body in self._bodies:
            internal = body.captured.get(tensor)
            if internal is not None:
                found += self.consumers(internal)
        return found


def _captured(tensor: Tensor) -> Tensor:
    """What a tensor stands for, if it is a captured one."""
    body: Any = tensor.graph
    if body.building_function and tensor.op.type == "Placeholder":
        external = body.captured.external_of(tensor)
        if external is not None:
            return _captured(external)
    return tensor
