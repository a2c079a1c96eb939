"""What tests of merged nodes share: which were made, and sessions that make them or do not."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.merged_nodes import Arrangement
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.actors.plan import plan as plans
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.rewriter_config_pb2 import RewriterConfig

RUNS = 5
"""Two measure, the others run what was put together."""

Merged = TypeVar("Merged", bound=PlanNode)


def session_config(merges: bool, threads: int = 2) -> ConfigProto:
    """A config of sessions that merge nodes, or leave them apart."""
    config = ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    if not merges:
        config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    return config


def numbers(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    """Normal numbers of a deviation of 9."""
    return (np.random.default_rng(seed).normal(size=shape) * 9).astype(dtype)


def run(fetches: Any, feeds: dict[Any, Any], merges: bool = True) -> Any:
    """What the last of several runs gives."""
    with tf.Session(config=session_config(merges)) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(RUNS):
            found = session.run(fetches, feeds)
        return found


def watch(monkeypatch: pytest.MonkeyPatch, merge: str, kind: type[Merged]) -> list[Merged]:
    """The merged nodes that are made from now on, also inside of loops.

    Args:
      monkeypatch: What ends the watch.
      merge: The function that plans make them by.
      kind: Their class.
    """
    made: list[Merged] = []
    find = getattr(plans, merge)

    def note(arranged: Arrangement, **options: Any) -> Arrangement:
        found: Arrangement = find(arranged, **options)
        made.extend(node for node in found.nodes if isinstance(node, kind))
        return found

    monkeypatch.setattr(plans, merge, note)
    return made
