"""A node of a plan: its bound kernel, where its values lie, what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.actors.nodes.binding import Binding
from dataflow.kernels.memory.orders import Order, order_of

_SEEN: Final = frozenset({"BiasAdd", "BiasAddV1", "Reshape", "Sum"})
"""Ops whose values are looked at, besides elementwise ones."""


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


class Seen(NamedTuple):
    """What a value of a measured run looked like."""

    shape: tuple[int, ...]
    dtype: Any
    is_array: bool
    """False for a numpy scalar."""
    in_order: bool = True
    """It lies in C order, rows without gaps, all of them by the same distance apart."""
    order: Order | None = None
    """Otherwise the order of axes in which it lies without gaps, if there is one."""


NOT_CONSTANT: Final = object()
"""Stands for an input that is not a constant of the plan."""


class PlanNode:
    """A node of a plan."""

    __slots__ = (
        "adapters",
        "aliases",
        "broadcasts",
        "call",
        "changes",
        "constants",
        "cost",
        "divisible",
        "elementwise",
        "guard",
        "has_declared_cost",
        "index",
        "inputs",
        "kind",
        "leaves",
        "measured",
        "name",
        "op",
        "outputs",
        "saved",
        "seen",
        "sources",
        "takes_out",
        "wants_to_see",
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
        self.changes: tuple[int, ...] = ()
        """Those of variables that it takes as such, and so may change."""
        self.outputs: tuple[int, ...] = ()
        """Slot of each output, -1 for one that nobody reads."""
        self.guard: tuple[Condition, ...] = ()
        """What must hold for the node to run, the outermost branch first."""
        self.sources = sources
        """Names of the input tensors, for traces."""
        self.has_declared_cost = binding.cost is not None
        self.cost = binding.cost or 0.0
        """Seconds: declared by the kernel, or estimated until it is measured."""
        self.divisible = 0.0
        """Seconds that a lone thread spends on what idle threads can help with."""
        self.saved = 0.0
        """Seconds that they saved by helping: a lone thread takes so much longer."""
        self.measured = False
        self.elementwise = binding.elementwise
        """Each output element depends on the input elements at its place only."""
        self.broadcasts = binding.broadcasts or type(binding.call) is np.ufunc
        """Operands of different shapes are known to be its own affair."""
        self.takes_out = binding.takes_out
        """The callable takes `out=`, an array to fill that is none of the inputs."""
        self.leaves = False
        """What it makes goes to another process."""
        self.aliases = False
        """The output of an elementwise node shared memory with an input in a measured run."""
        self.constants: tuple[Any, ...] = ()
        """For each input its value if it is a constant of the plan, else `NOT_CONSTANT`; empty if
        none is."""
        self.wants_to_see = binding.elementwise or op in _SEEN
        """What it might be put together with depends on what its values look like."""
        self.seen: tuple[Seen, ...] = ()
        """What the inputs and then the output were in the last measured run, if it wants to see
        them; empty if one was no numpy value."""

    def measure(self, seconds: float, divisible: float = 0.0, saved: float = 0.0) -> None:
        """Takes note of how long a run took; the first one also pays for warming up.

        Args:
          seconds: How long.
          divisible: What a lone thread would have spent on what idle threads can help with.
          saved: What they did save by helping.
        """
        if self.has_declared_cost:
            return
        if not self.measured or seconds < self.cost:
            self.cost, self.divisible, self.saved = seconds, divisible, saved
        self.measured = True

    def note(self, arguments: Sequence[Any], result: Any) -> None:
        """Takes note of what the values of a measured run look like."""
        seen = []
        for value in (*arguments, result):
            if not isinstance(value, (np.ndarray, np.generic)):
                self.seen = ()
                return
            is_array = type(value) is np.ndarray
            in_order = _is_in_order(value)
            order = None if in_order else order_of(value)
            seen.append(Seen(value.shape, value.dtype, is_array, in_order, order))
        self.seen = tuple(seen)
        # What owns its memory shares it only with itself and with its views.
        if self.made_array and (
            result.base is not None
            or any(value is result or value.base is result for value in arguments)
        ):
            shares = any(np.may_share_memory(result, value) for value in arguments)
            self.aliases = self.aliases or shares

    @property
    def made_array(self) -> bool:
        """True if its output was an array of one or more dimensions when it was measured."""
        return bool(self.seen) and self.seen[-1].is_array and bool(self.seen[-1].shape)


def _is_in_order(value: Any) -> bool:
    if value.flags.c_contiguous:
        return True
    *leading, row, item = (0, *value.strides) if value.ndim == 1 else value.strides
    if item != value.itemsize or row < 0:
        return False
    # The rows may lie apart, all by the same distance.
    for stride, length in zip(reversed(leading), value.shape[-2:0:-1], strict=True):
        row *= length
        if stride != row:
            return False
    return True


Lines = dict[CodeType, tuple[PlanNode, ...]]
"""For each generated function the node of each line, the first line being 2."""
