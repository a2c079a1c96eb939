"""tf.io: reading and writing."""

from __future__ import annotations

from dataflow.importing.files import write_graph

__all__ = ["write_graph"]
