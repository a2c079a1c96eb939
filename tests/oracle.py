"""TensorFlow as the oracle of values: it computes a graph as it is, and does not rewrite it first.

Rewriting takes several times as long as the kernels of a test do, and they are what it asks about.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as oracle


def unoptimized(**fields: Any) -> Any:
    """TensorFlow's ConfigProto with these fields, and without any optimization."""
    config = oracle.ConfigProto(**fields)
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    # Threads that wait for work would take the processor from tests beside them.
    config.experimental.disable_thread_spinning = True
    return config


def open_session(library: Any, graph: Any = None, **fields: Any) -> Any:
    """A session of either library with these fields of its ConfigProto; the caller closes it."""
    config = unoptimized(**fields) if library is oracle else library.ConfigProto(**fields)
    return library.Session(graph=graph, config=config)
