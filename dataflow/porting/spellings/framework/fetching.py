"""tensorflow.python.client.session: what a fetch argument asks for, as programs look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.session.fetches import map_fetches

__all__ = ["_FetchHandler"]


class _FetchHandler:
    """A fetch argument in parts: tensors to be computed, operations to be run.

    Args:
      graph: The graph of the fetches.
      fetches: What `Session.run` takes.
      feeds: Tensor -> its value; fed tensors are not fetched.
      feed_handles: Tensor -> the handle of its value.

    Raises:
      TypeError: A leaf is None or of a type that cannot be fetched.
      ValueError: A leaf is not in the graph.
    """

    def __init__(
        self,
        graph: Graph,
        fetches: Any,
        feeds: Mapping[Any, Any],
        feed_handles: Mapping[Any, Any] | None = None,
    ) -> None:
        self._map = map_fetches(graph, fetches)
        self._feeds = feeds
        self._handles = feed_handles or {}

    def fetches(self) -> list[Any]:
        """The tensors that a step has to compute, each once."""
        elements = self._map.elements
        return [x for x in elements if not isinstance(x, Operation) and x not in self._feeds]

    def targets(self) -> list[Operation]:
        """The operations that a step has to run."""
        return [each for each in self._map.elements if isinstance(each, Operation)]

    def build_results(self, session: Any, tensor_values: Sequence[Any]) -> Any:
        """The results in the structure of the fetches: None for operations.

        Args:
          session: Not looked at.
          tensor_values: The values of `fetches()`.
        """
        computed = iter(tensor_values)
        values: list[Any] = []
        for each in self._map.elements:
            if isinstance(each, Operation):
                values.append(None)
            elif each not in self._feeds:
                values.append(next(computed))
            elif each in self._handles:
                values.append(self._handles[each].eval())
            else:
                values.append(self._feeds[each])
        return self._map.build(values)
