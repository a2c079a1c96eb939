"""A partition whose nodes are bound to kernels and whose values have slots: what a plan runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataflow.actors.nodes.binding import Adapter
    from dataflow.actors.nodes.plan_node import PlanNode
    from dataflow.actors.plan.last_reads import LastRead
    from dataflow.passes.graphs.node_graph import Node


@dataclass(frozen=True, slots=True)
class BoundGraph:
    """A partition, bound. Feeds and fetches go by their index in the signature."""

    template: list[Any]
    """The slots at the start of a step: constants in their places."""
    nodes: list[PlanNode]
    """In an order in which they can run."""
    predecessors: list[tuple[int, ...]]
    """For each node the positions of those that it follows."""
    feeds: Mapping[int, tuple[int, Adapter | None]]
    """Slot of each feed, and what takes it to where the device wants it."""
    fetches: dict[int, int]
    """Slot of each fetch, in the order of the signature: those of a lone device need no sorting."""
    late_feeds: tuple[int, ...]
    """The feeds that arrive while the step runs."""
    late_fetches: tuple[int, ...]
    """The fetches that are handed out while the step runs."""
    retained: frozenset[int]
    """The fetches that something else may hold on to: they are copied for the user."""
    uncertain: frozenset[int]
    """Slots that are read whether they have been filled or not; they hold `DEAD` till then."""
    constants: Mapping[int, Any]
    """The constants, by slot."""
    origins: Sequence[tuple[Node, PlanNode]]
    """The nodes of the partition that run, each with what it became."""
    given: Mapping[int, int]
    """Slot of what is there when a step starts, by node id: feeds and constants."""
    late_constants: Mapping[int, int]
    """Slot of each constant that waits for something, by node id."""
    last_reads: tuple[tuple[int, LastRead], ...]
    """Slots of fetches that are read again when the step is done."""
