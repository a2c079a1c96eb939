"""Runs the nodes of a cluster one by one: for values that do not fit it, and to find an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from dataflow.actors.code.codegen import Code, generate
from dataflow.actors.nodes.loop_node import last_uses
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.actors.step.step import Step


class OneByOne:
    """The nodes of a cluster as a function of its inputs."""

    __slots__ = ("_codes", "_constants", "_lines", "_nodes", "_outputs", "_slots")

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        slots: Sequence[int],
        outputs: Sequence[int],
        lines: Lines,
        constants: Mapping[int, Any] = MappingProxyType({}),
    ) -> None:
        """Prepares to run them.

        Args:
          nodes: The nodes in the order to run them.
          slots: Slots of the inputs.
          outputs: Slots of the outputs.
          lines: Where the lines of the code are written down, once there is code.
          constants: What else they read, by slot.
        """
        # It is called where the guard of its nodes, which is one, holds.
        taken = {
            test.slot: test.branch if test.is_number else np.bool_(test.branch)
            for node in nodes
            for test in node.guard
        }
        self._constants = {**taken, **constants}
        self._nodes, self._slots, self._outputs, self._lines = nodes, slots, outputs, lines
        self._codes: Sequence[Code] = ()

    def __call__(self, step: Step, values: Sequence[Any]) -> Any:
        """Runs the nodes.

        Args:
          step: The step.
          values: The inputs.

        Returns:
          The output, or a list if there are several.
        """
        if not self._codes:
            inner = {slot for node in self._nodes for slot in node.outputs}
            dropped = last_uses(self._nodes, inner.difference(self._outputs))
            self._codes = generate(self._nodes, set(self._outputs), dropped, self._lines)
        slots: Any = {slot: None for node in self._nodes for slot in node.outputs}
        slots.update(self._constants)
        slots.update(zip(self._slots, values, strict=True))
        for code in self._codes:
            code(step, slots)
        made = [slots[slot] for slot in self._outputs]
        return made[0] if len(made) == 1 else made
