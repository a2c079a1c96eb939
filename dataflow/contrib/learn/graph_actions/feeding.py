"""Runs tensors of a graph, once for each feed, in a session of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dataflow.contrib.framework.tensors import get_graph_from_inputs
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.library.table_initializers import tables_initializer
from dataflow.saving.saver import Saver
from dataflow.session.session import Session
from dataflow.training.coordination.coordinator import Coordinator
from dataflow.training.coordination.queue_runner import start_queue_runners
from dataflow.values import logging
from dataflow.variables.resources import initialize_resources, local_resources, shared_resources
from dataflow.variables.variable import global_variables_initializer, local_variables_initializer

STOP_SECONDS = 120
"""How long threads may take to end."""


def run_n(
    output_dict: Mapping[str, Any],
    feed_dict: Any = None,
    restore_checkpoint_path: str | None = None,
    n: int = 1,
) -> list[dict[str, Any]]:
    """The values of tensors, `n` times with one feed; see `run_feeds_iter`."""
    return run_feeds(output_dict, itertools.repeat(feed_dict, n), restore_checkpoint_path)


def run_feeds(
    output_dict: Mapping[str, Any],
    feed_dicts: Iterable[Any],
    restore_checkpoint_path: str | None = None,
) -> list[dict[str, Any]]:
    """The values of tensors for each feed in a list; see `run_feeds_iter`."""
    return list(run_feeds_iter(output_dict, feed_dicts, restore_checkpoint_path))


def infer(
    restore_checkpoint_path: str | None, output_dict: Mapping[str, Any], feed_dict: Any = None
) -> dict[str, Any]:
    """The values of tensors for one feed, or none; see `run_feeds_iter`."""
    return run_feeds(output_dict, [feed_dict], restore_checkpoint_path)[0]


def run_feeds_iter(
    output_dict: Mapping[str, Any],
    feed_dicts: Iterable[Any],
    restore_checkpoint_path: str | None = None,
) -> Iterator[dict[str, Any]]:
    """The values of tensors for each feed, one after the other.

    Args:
      output_dict: Tensors of one graph by name.
      feed_dicts: The feeds.
      restore_checkpoint_path: The checkpoint that variables come from; their initializers if None.

    Raises:
      ValueError: There are no tensors, or no feeds.
    """
    if not output_dict:
        raise ValueError(f"output_dict is invalid: {output_dict}.")
    if not feed_dicts:
        raise ValueError(f"feed_dicts is invalid: {feed_dicts}.")
    graph = get_graph_from_inputs(list(output_dict.values()))
    with graph.as_default(), Session("") as session:
        session.run(initialize_resources(shared_resources() + local_resources()))
        if restore_checkpoint_path:
            restore(session, graph, restore_checkpoint_path)
        else:
            session.run(global_variables_initializer())
        session.run(local_variables_initializer())
        session.run(tables_initializer())
        coordinator = Coordinator()
        threads = None
        try:
            threads = start_queue_runners(session, coord=coordinator)
            for feed in feed_dicts:
                yield session.run(output_dict, feed)
        finally:
            coordinator.request_stop()
            if threads:
                coordinator.join(threads, stop_grace_period_secs=STOP_SECONDS)


def restore(session: Any, graph: Graph, path: str, saver: Any = None) -> None:
    """Restores what is saved of a graph."""
    logging.info("Loading model from checkpoint: %s.", path)
    saver = saver or saver_of(graph)
    if saver:
        saver.restore(session, path)
    else:
        logging.info("No variables found in graph, not creating Saver() object.")


def saver_of(graph: Graph, kept: int | None = 5) -> Saver | None:
    """A sharded Saver of what is saved of a graph; None if there is nothing."""
    saved = [
        *graph.get_collection(GraphKeys.GLOBAL_VARIABLES),
        *graph.get_collection(GraphKeys.SAVEABLE_OBJECTS),
    ]
    return Saver(saved, sharded=True, max_to_keep=kept) if saved else None
