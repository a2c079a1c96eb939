"""What tests of merged nodes share: which were made, and sessions that make them or do not."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest

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
