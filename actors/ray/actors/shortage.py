"""What actors wait for before Ray starts them: what they need and what their machines have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import ray
from ray._private import state

_GIB: Final = 2**30
_STATES: Final = {
    "DEPENDENCIES_UNREADY": "waits for what it is made of",
    "PENDING_CREATION": "waits for a process",
    "RESTARTING": "is being started again",
    "ALIVE": "runs, and has not answered",
    "DEAD": "has died",
}


@dataclass(frozen=True, slots=True)
class Need:
    """What an actor takes of a machine."""

    name: str
    """On Ray."""
    whom: str
    """What messages call it."""
    node_id: str
    gpus: int = 0
    """It reserves them; of processors and memory it reserves nothing."""


def shortage_text(needs: Sequence[Need]) -> str:
    """One line for each machine that actors wait for: what they need there, what there is.

    Args:
      needs: The actors that have not started.
    """
    nodes = {node["NodeID"]: node for node in ray.nodes()}
    free = state.available_resources_per_node()
    by_node: dict[str, list[Need]] = {}
    for need in needs:
        by_node.setdefault(need.node_id, []).append(need)
    return "\n".join(
        f"  {_waiting_text(node_id, nodes.get(node_id), free.get(node_id, {}), waiting)}"
        for node_id, waiting in by_node.items()
    )


def machines_text() -> str:
    """One line for each living machine: what of it is free."""
    free = state.available_resources_per_node()
    return "\n".join(
        f"  {_named(node)} has {_amounts(free.get(node['NodeID'], {}), node['Resources'])} free."
        for node in ray.nodes()
        if node["Alive"]
    )


def actor_text(name: str) -> str:
    """What Ray says of an actor that does not answer, by its name; "" if it knows of none."""
    for actor in state.actors().values():
        if actor["Name"] == name and actor["State"] != "DEAD":
            return _STATES.get(actor["State"], str(actor["State"]))
    return ""


def _waiting_text(
    node_id: str, node: dict[str, Any] | None, free: dict[str, float], waiting: list[Need]
) -> str:
    if node is None or not node["Alive"]:
        return f"Machine {node_id[:12]} is no longer part of Ray."
    gpus = sum(need.gpus for need in waiting)
    lack = gpus - free.get("GPU", 0.0)
    lines = [
        f"{_named(node)}: {len(waiting)} processes wait, which reserve {gpus} GPU and no CPU or "
        f"memory; {_amounts(free, node['Resources'])} free"
        + (f": {lack:g} GPU too few." if lack > 0 else ".")
    ]
    for need in waiting:
        text = actor_text(need.name)
        lines.append(f"    {need.whom} {text or 'is not known to Ray'}.")
    return "\n".join(lines)


def _named(node: dict[str, Any]) -> str:
    return f"Machine {node['NodeManagerAddress']} ({node.get('NodeManagerHostname', '')})"


def _amounts(free: dict[str, float], total: dict[str, float]) -> str:
    parts = [f"{free.get(kind, 0):g} of {total.get(kind, 0):g} {kind}" for kind in ("CPU", "GPU")]
    for kind, name in (("memory", "memory"), ("object_store_memory", "object store")):
        left, all_of_it = free.get(kind, 0.0) / _GIB, total.get(kind, 0.0) / _GIB
        parts.append(f"{left:.1f} of {all_of_it:.1f} GiB {name}")
    return ", ".join(parts)
