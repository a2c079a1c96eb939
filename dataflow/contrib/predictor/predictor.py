"""Predictor: a session and the tensors that a model is fed and that are fetched, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.graph.graph import Graph


class Predictor:
    """A model that is called with a dict of arrays and returns one.

    Args:
      graph: The graph.
      session: A session with it, that has the variables.
      feed_tensors: What is fed, by name.
      fetch_tensors: What is fetched, by name.
    """

    def __init__(
        self,
        graph: Graph,
        session: Any,
        feed_tensors: Mapping[str, Any],
        fetch_tensors: Mapping[str, Any],
    ) -> None:
        self._graph, self._session = graph, session
        self._feed_tensors, self._fetch_tensors = dict(feed_tensors), dict(fetch_tensors)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} with feed tensors {self.feed_tensors} and fetch_tensors "
            f"{self.fetch_tensors}"
        )

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @property
    def session(self) -> Any:
        """The session."""
        return self._session

    @property
    def feed_tensors(self) -> dict[str, Any]:
        """What is fed, by name."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> dict[str, Any]:
        """What is fetched, by name."""
        return self._fetch_tensors

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs by name, for inputs by name.

        Raises:
          ValueError: An input has an unknown name.
        """
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError(
                f"Got unexpected keys in input_dict: {unexpected}\nexpected: "
                f"{set(self._feed_tensors)}"
            )
        feeds = {self._feed_tensors[key]: value for key, value in input_dict.items()}
        found: dict[str, Any] = self._session.run(self._fetch_tensors, feeds)
        return found
