"""Summaries that write themselves, as TensorFlow 2 has them: here there are none."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys


def all_v2_summary_ops() -> list[Any]:
    """The summaries of the default graph that write themselves to a default writer."""
    return scopes.get_collection(GraphKeys._SUMMARY_COLLECTION)


def initialize(graph: Graph | None = None, session: Any = None) -> None:
    """Would make the default writer of summaries that write themselves.

    Args:
      graph: A graph to write to it.
      session: The session to run its initializer in.

    Raises:
      RuntimeError: There is no such writer; `tf.summary.FileWriter` is one that programs call.
    """
    raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
