"""Makes a trial smaller as long as it goes wrong in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import dataflow as tf
from tests.fuzz.judge import Verdict
from tests.fuzz.trial import Trial


def shrunk(trial: Trial, kind: str, judge: Callable[[Trial], Verdict], seconds: float) -> Trial:
    """The smallest trial that was found.

    Args:
        trial: What went wrong.
        kind: How.
        judge: Says how a trial goes wrong.
        seconds: Time to look.
    """
    end = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for smaller in _smaller(trial):
            if time.monotonic() > end:
                return trial
            if judge(smaller).kind == kind:
                trial, found = smaller, True
                break
    return trial


def _smaller(trial: Trial) -> Iterator[Trial]:
    if len(trial.fetches) > 1:
        for fetch in trial.fetches:
            yield Trial(trial.graph, (fetch,), trial.feeds)
    try:
        whole = trial.graph_def()
    except Exception:
        return
    for place in reversed(range(len(whole.node))):
        graph_def = tf.GraphDef()
        graph_def.CopyFrom(whole)
        name = graph_def.node[place].name
        del graph_def.node[place]
        feeds = {key: fed for key, fed in trial.feeds.items() if key != f"{name}:0"}
        fetches = tuple(fetch for fetch in trial.fetches if fetch != name)
        fetches = fetches or tuple(node.name for node in graph_def.node[-1:])
        if fetches:
            yield Trial(graph_def.SerializeToString(deterministic=True), fetches, feeds)
    for place in reversed(range(len(whole.library.function))):
        graph_def = tf.GraphDef()
        graph_def.CopyFrom(whole)
        del graph_def.library.function[place]
        yield trial.with_graph(graph_def)
