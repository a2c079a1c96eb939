"""A node of a plan: its bound kernel, where its values lie, what it costs."""

from __future__ import annotations

from typing import NamedTuple

from dataflow.actors.binding import Binding


class Condition(NamedTuple):
    """What the value of a predicate must be for a node to run."""

    slot: int
    branch: int
    ways: int
    """Number of branches."""
    is_number: bool
    """The slot holds the number of the branch; otherwise a truth value."""
    switch: PlanNode
    """Stands for the Switch in errors."""


class PlanNode:
    """A node of a plan."""

    __slots__ = (
        "adapters",
        "call",
        "cost",
        "guard",
        "has_declared_cost",
        "index",
        "inputs",
        "kind",
        "measured",
        "name",
        "op",
        "outputs",
        "sources",
    )

    def __init__(
        self,
        index: int,
        name: str,
        op: str,
        binding: Binding,
        inputs: tuple[int, ...],
        sources: tuple[str, ...] = (),
    ) -> None:
        self.index = index
        self.name = name
        self.op = op
        self.call = binding.call
        self.kind = binding.kind
        self.adapters = binding.adapters
        self.inputs = inputs
        """Slots of the input values."""
        self.outputs: tuple[int, ...] = ()
        """Slot of each output, -1 for one that nobody reads."""
        self.guard: tuple[Condition, ...] = ()
        """What must hold for the node to run, the outermost branch first."""
        self.sources = sources
        """Names of the input tensors, for traces."""
        self.has_declared_cost = binding.cost is not None
        self.cost = binding.cost or 0.0
        """Seconds: declared by the kernel, or estimated until it is measured."""
        self.measured = False

    def measure(self, seconds: float) -> None:
        """Takes note of how long a run took; the first one also pays for warming up."""
        if self.has_declared_cost:
            return
        self.cost = min(self.cost, seconds) if self.measured else seconds
        self.measured = True
