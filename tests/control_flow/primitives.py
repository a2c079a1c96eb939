"""Runs graphs that TensorFlow has made of control flow primitives, there and here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from tensorflow.python.ops import gen_control_flow_ops as flow

import dataflow as tf
from dataflow import errors
from dataflow.proto.graph_pb2 import GraphDef
from tests.control_flow.conftest import ControlFlowPath
from tests.oracle import open_session
from tests.session.both import core_text, described, oracle, oracle_errors

Build = Callable[[], tuple[Sequence[Any], Sequence[Any]]]
"""Builds into TensorFlow's default graph; returns fetches and what is fed."""
Feeds = Iterable[Sequence[Any]]
"""For each run the values to feed."""


def loop_variable(
    initial: Any,
    goes_on: Callable[[Any], Any],
    step: Callable[[Any], Any],
    frame: str = "loop",
    parallel_iterations: int = 10,
) -> Any:
    """A while loop over one tensor, of primitives; returns its Exit.

    `goes_on` and `step` must make constants by `inside`.
    """
    entered = flow.enter(initial, frame, parallel_iterations=parallel_iterations)
    merged, _ = flow.merge([entered, entered])
    condition = flow.loop_cond(goes_on(merged))
    over, value = flow.switch(merged, condition)
    again = flow.next_iteration(step(oracle.identity(value)))
    merged.op._update_input(1, again)
    return flow._exit(over)


def invariant(value: Any, frame: str = "loop") -> Any:
    """A value from outside that each iteration sees."""
    return flow.enter(oracle.convert_to_tensor(value), frame, is_constant=True)


def constant_after(value: Any, node: Any) -> Any:
    """A constant in the loop or on the branch in which a node is."""
    with oracle.control_dependencies([node]):
        return oracle.constant(value)


def assert_same(
    build: Build,
    feeds: Feeds,
    path: ControlFlowPath,
    targets: bool = False,
    one_by_one: bool = False,
    **config: Any,
) -> list[Any]:
    """Fails unless all runs give the same values, or fail with the same words.

    TensorFlow's graph optimizer is off: it gives dead tensors a life.

    Args:
      build: Makes the graph.
      feeds: The values to feed, for each run.
      path: How sessions here run control flow.
      targets: Runs the fetches' ops instead of fetching them.
      one_by_one: Makes a run of its own for each fetch.
      **config: Fields of the config of both sessions.

    Returns:
      What came out of each run.
    """
    feeds = [tuple(values) for values in feeds]
    with oracle.Graph().as_default() as graph:
        fetched, fed = build()
        names = [t.op.name if targets else t.name for t in fetched]
        fed_names = [t.name for t in fed]
        runs = [
            ([name] if one_by_one else names, fed_names, values)
            for values in feeds
            for name in (names if one_by_one else [""])
        ]
        with open_session(oracle, graph, **config) as session:
            theirs = [_outcome(session, *run) for run in runs]
        text = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default() as ours_graph:
        tf.import_graph_def(GraphDef.FromString(text), name="")
        with path.session(ours_graph, **config) as session:
            ours = [_outcome(session, *run) for run in runs]
    assert ours == theirs, f"\nhere:       {ours}\nTensorFlow: {theirs}"
    return ours


def ours_of(build: Build) -> tuple[tf.Graph, list[str], list[str]]:
    """The graph in this library, with the names of fetches and feeds."""
    with oracle.Graph().as_default() as graph:
        fetched, fed = build()
        text = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default() as ours:
        tf.import_graph_def(GraphDef.FromString(text), name="")
    return ours, [t.name for t in fetched], [t.name for t in fed]


def _outcome(session: Any, names: list[str], fed: list[str], values: Sequence[Any]) -> Any:
    try:
        result = session.run(names, dict(zip(fed, values, strict=True)))
    except (errors.OpError, oracle_errors.OpError) as error:
        return type(error).__name__, _plain_text(error.message)
    return [described(np.asarray(v) if v is not None else None) for v in result]


def _plain_text(message: str) -> str:
    """What an error says, without where the nodes that it names were made."""
    message = message.removeprefix("Graph execution error:\n\n")
    message = re.sub(r"Detected at node .*?\nNode: '[^']*'\n", "", message, flags=re.DOTALL)
    message = re.sub(r"\{\{(node [^}]*)\}\}", r"\1", message)
    return core_text(re.sub(r"(node \S+) \(defined at [^)]*\) ", r"\1", message))
