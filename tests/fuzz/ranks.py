"""Every op with inputs of every rank: it works, or is refused with an error that names it."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, Final

import numpy as np

import dataflow as tf
from dataflow.importing.errors import InvalidGraphDefError
from dataflow.schema.opdef import registered_ops
from tests.fuzz.drafts import Draft, public_ops
from tests.fuzz.judge import TIMEOUT_MS, WAITING, WAITING_MS, Verdict, judge_run
from tests.fuzz.values import Recipe

_DRAFTS: Final = 2
"""Choices of attrs for each op,"""
_FEEDS: Final = 4
"""and of feeds for each rank."""


def judge_op(name: str, ranks: Iterable[int]) -> Verdict:
    """Feeds an op inputs of these ranks, and vectors of as many elements."""
    rng = Random(name)
    for _ in range(_DRAFTS):
        draft = Draft(rng, public_ops(), fed=1.0)
        fetch = draft.add(registered_ops()[name])
        with tf.Graph().as_default() as graph:
            try:
                tf.import_graph_def(draft.graph_def, name="")
            except InvalidGraphDefError:
                continue
            verdict = _run(graph, fetch, draft, ranks)
        if verdict.kind:
            return verdict
    return Verdict("")


def _run(graph: tf.Graph, fetch: str, draft: Draft, ranks: Iterable[int]) -> Verdict:
    names = [op.name for op in graph.get_operations()]
    waits = any(op.type in WAITING for op in graph.get_operations())
    config = tf.ConfigProto(operation_timeout_in_ms=WAITING_MS if waits else TIMEOUT_MS)
    with tf.Session(graph=graph, config=config) as session:
        # Without inputs one run is as another, and some wait for their time-out.
        for rank in ranks if draft.feeds else (0,):
            for _ in range(_FEEDS):
                feeds = {key: _fed(draft.rng, made, rank) for key, made in draft.feeds.items()}
                verdict = judge_run(session, fetch, feeds, names, waits)
                if verdict.kind:
                    shapes = [value.shape for value in feeds.values()]
                    return Verdict(verdict.kind, f"{shapes}: {verdict.text}")
    return Verdict("")


def _fed(rng: Random, recipe: Recipe, rank: int) -> np.ndarray[Any, Any]:
    """An array of that rank, a vector of so many elements, or something small."""
    sizes = (2,) * min(rank, 3) + (1,) * max(rank - 3, 0)
    shape = rng.choice((sizes, sizes, (1,) * rank, (rank,), recipe.shape))
    fill = rng.choice(("zeros", "ones", "ones", "range"))
    return Recipe(recipe.dtype, shape, fill, seed=recipe.seed).array()
