"""The programs of a small cluster, and where their operands come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dataflow.actors.fusion.small.code import Code, UnsupportedError
from dataflow.actors.fusion.small.machine import Machine
from dataflow.actors.fusion.small.ops import express, steps_of
from dataflow.actors.fusion.small.program import Program, assemble
from dataflow.actors.nodes.binding import Adapter
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, PlanNode


class Operand(NamedTuple):
    """What a cluster takes from outside."""

    position: int
    """Place among its inputs."""
    adapter: Adapter | None
    shape: tuple[int, ...]
    """The shape it had when it was measured."""


class Draft:
    """The programs of a cluster."""

    __slots__ = (
        "arrays",
        "constants",
        "instructions",
        "machine",
        "nodes",
        "operands",
        "programs",
        "slots",
    )

    def __init__(self, nodes: Sequence[PlanNode], machine: Machine) -> None:
        """Writes the programs.

        Args:
          nodes: The nodes in the order to run them; the last one makes the output.
          machine: What is to run the programs.

        Raises:
          UnsupportedError: The machine cannot run one of the nodes.
        """
        self.nodes, self.machine = nodes, machine
        self.slots: list[int] = []
        """Slots of its inputs."""
        self.operands: dict[int, Operand] = {}
        """What the programs take from the inputs, by value."""
        self.constants: dict[int, Any] = {}
        """The constants that the nodes read, by slot."""
        self.arrays: dict[int, np.ndarray] = {}
        """Constants that the programs take as operands, by value."""
        code = Code(machine)
        result = self._write(code)
        self.instructions = sum(instruction is not None for instruction in code.instructions)
        """How many instructions the nodes come to."""
        self.programs: Sequence[Program] = assemble(code, result, machine) or ()
        """What runs one after the other, the last one for the output; none if the cluster cannot
        be put into programs."""

    def _write(self, code: Code) -> int:
        values: dict[tuple[int, Adapter | None], int] = {}
        made = {slot for node in self.nodes for slot in node.outputs}
        positions: dict[int, int] = {}
        value = -1
        for node in self.nodes:
            inputs: list[int] = []
            for index, key in enumerate(zip(node.inputs, node.adapters, strict=True)):
                if key not in values:
                    if key[0] in made:
                        raise UnsupportedError
                    values[key] = self._read(code, node, index, positions)
                inputs.append(values[key])
            value = express(code, steps_of(node), inputs, node.seen[-1].dtype)
            values[node.outputs[0], None] = value
        return value

    def _read(self, code: Code, node: PlanNode, index: int, positions: dict[int, int]) -> int:
        """The value for what a node takes from outside."""
        slot, adapter, seen = node.inputs[index], node.adapters[index], node.seen[index]
        constant = node.constants[index] if node.constants else NOT_CONSTANT
        if constant is NOT_CONSTANT or adapter is not None:
            if slot not in positions:
                positions[slot] = len(self.slots)
                self.slots.append(slot)
            value = code.operand(seen.dtype)
            self.operands[value] = Operand(positions[slot], adapter, seen.shape)
            return value
        self.constants[slot] = constant
        if not seen.shape and code.takes_constants:
            return code.constant(seen.dtype.type(constant))
        value = code.operand(seen.dtype)
        self.arrays[value] = np.asarray(constant)
        return value
