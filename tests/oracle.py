"""TensorFlow as the oracle of values: it computes a graph as it is, and does not rewrite it first.

Rewriting takes several times as long as the kernels of a test do, and they are what it asks about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def run_all(
    library: Any,
    session: Any,
    fetches: Sequence[Any],
    feeds: Any,
    run: Callable[[Any], Any] | None = None,
) -> list[Any]:
    """What each fetch is worth; None for None.

    All of one step, which costs little more than a step for one of them, unless a step may change
    what the next one finds. Where that fails each has a step of its own, and says what is wrong.

    Args:
      run: Runs a step for one of them, if not `session.run`.
    """
    present = [each for each in fetches if each is not None]
    if len(present) > 1 and not _has_state(session.graph):
        try:
            values = iter(session.run(present, feeds))
        except library.errors.OpError:
            pass
        else:
            return [None if each is None else next(values) for each in fetches]
    run = run or (lambda fetch: session.run(fetch, feeds))
    return [None if each is None else run(each) for each in fetches]


def _has_state(graph: Any) -> bool:
    """Whether there is what outlives a step: variables, queues, tables."""
    return any(
        op.type in _VARIABLES or any(word in op.type for word in _CONTAINERS)
        for op in graph.get_operations()
    )


_VARIABLES = ("Variable", "VariableV2", "VarHandleOp", "TemporaryVariable")
_CONTAINERS = ("Queue", "Barrier", "Table", "Stage", "Iterator", "Accumulator")
