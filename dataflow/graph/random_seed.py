"""Graph-level and op-level random seeds, combined as TensorFlow does (`random_seed.py`)."""

from __future__ import annotations

from typing import Final

from dataflow.graph import scopes

DEFAULT_GRAPH_SEED: Final = 87654321
_MAX_INT32 = 2**31 - 1


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds an op gets: (None, None) means it may differ from run to run.

    With a graph seed only, the op seed counts the ops of the graph that took one this way, so that
    each op draws its own numbers and a program draws the same ones each time.
    """
    graph = scopes.get_default_graph()
    if graph.seed is not None:
        seed, seed2 = graph.seed, graph.next_seed() if op_seed is None else op_seed
    elif op_seed is not None:
        seed, seed2 = DEFAULT_GRAPH_SEED, op_seed
    else:
        return None, None
    seeds = (_truncate(seed), _truncate(seed2))
    # (0, 0) would mean "not seeded" to the kernels.
    return (0, _MAX_INT32) if seeds == (0, 0) else seeds


def set_random_seed(seed: int | None) -> None:
    """Sets the default graph's random seed."""
    scopes.get_default_graph().seed = seed


def _truncate(seed: int) -> int:
    return seed % _MAX_INT32
