"""Has maximum pooling tell its gradient where the maxima were, where a plan has both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.kernels.pooling.places import TellingPool, ToldGradient


def pair_pools(nodes: Sequence[PlanNode], template: list[Any]) -> None:
    """Gives each such pair a slot for the places, which stays empty where the pool does not run.

    Args:
      nodes: The nodes of a plan.
      template: Its slots.
    """
    pools: dict[int, PlanNode] = {}
    for node in nodes:
        call: Any = node.call
        if node.kind is not CallKind.PLAIN or any(node.adapters):
            continue
        if isinstance(call, TellingPool) and node.outputs[0] >= 0:
            pools[node.outputs[0]] = node
        elif isinstance(call, ToldGradient) and node.inputs[1] in pools:
            pool = pools[node.inputs[1]]
            other: Any = pool.call
            if pool.inputs[0] == node.inputs[0] and other.geometry == call.geometry:
                # One that has told is none of these any more.
                del pools[node.inputs[1]]
                _connect(pool, node, len(template))
                template.append(None)


def _connect(pool: PlanNode, gradient: PlanNode, slot: int) -> None:
    tell: Any = pool.call
    told: Any = gradient.call
    pool.call, pool.outputs = tell.tell, (*pool.outputs, slot)
    gradient.call, gradient.inputs = told.at, (*gradient.inputs, slot)
    gradient.adapters = (*gradient.adapters, None)
    gradient.sources = (*gradient.sources, f"{pool.name}:places")
