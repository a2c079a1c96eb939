"""tf.io: reading and writing."""

from __future__ import annotations

from dataflow.graph_io import write_graph

__all__ = ["write_graph"]
