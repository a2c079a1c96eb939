"""Writes the function that runs a cluster of elementwise nodes on some of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.actors.fusion.large.chains import Chain, in_chains
from dataflow.actors.fusion.large.reductions import Reduced, reduced_by, totals_of
from dataflow.actors.fusion.large.steps import in_steps
from dataflow.actors.nodes.binding import Adapter
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, PlanNode
from dataflow.kernels.elementwise.chained import Chained
from dataflow.kernels.elementwise.parted import of_part
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.reductions.parts import Reduction

_SLOW_WITH_NUMBERS: Final = frozenset({np.maximum, np.minimum})
"""Of an array and a number these take five times as long as of two arrays."""


class Arguments(NamedTuple):
    """What the function of a cluster works on."""

    size: int
    """Rows of a block,"""
    shape: tuple[int, ...]
    """and its shape."""
    length: int
    """Elements of a row."""
    operands: Sequence[Any]
    columns: Sequence[bool]
    """Which operands have a number for each row."""
    results: Sequence[Any]
    """What it fills."""
    reductions: Sequence[Reduction]


Piece = Callable[[int, int, Arguments], None]
"""Runs the rows from start to stop."""


class Operand(NamedTuple):
    """What a cluster takes from outside."""

    position: int
    """Place among the cluster's inputs."""
    adapter: Adapter | None
    is_whole: bool
    """It has the shape of the results; otherwise it is repeated."""
    is_constant: bool
    """It is the same in each step."""


class ClusterWriter:
    """Writes the function of one cluster."""

    def __init__(
        self, nodes: Sequence[PlanNode], slots: Sequence[int], outputs: Sequence[int]
    ) -> None:
        """Prepares to write.

        Args:
          nodes: Elementwise nodes, all with outputs of one shape, and reductions of these, in the
            order to run them.
          slots: Slots of the inputs.
          outputs: Slots of the outputs, those of reductions at the end.
        """
        self.reduced: list[Reduced] = []
        self.operands: dict[tuple[int, Adapter | None], Operand] = {}
        self.results: list[Any] = []
        """The type of each result."""
        self._nodes = nodes = in_steps(nodes)
        self._units = in_chains(nodes, outputs)
        self.calls = len(self._units)
        """Calls for each block."""
        self._positions = {slot: i for i, slot in enumerate(slots)}
        self._reductions = {id(node): r for node in nodes if (r := reduced_by(node))}
        totals = totals_of(nodes)
        self._results = {slot: i for i, slot in enumerate(outputs) if slot not in totals}
        self._names: dict[str, Any] = {"workspace": workspace, "np": np}
        self._before: list[str] = []
        """Lines before the loop over the blocks: buffers."""
        self._trims: list[str] = []
        """What makes the buffers shorter for a shorter block."""
        self._body: list[str] = []
        self._place: dict[int, str] = {}
        """Text for each value made so far."""
        self._free: dict[Any, list[str]] = {}
        """Buffers that hold nothing any more, by element type."""
        self._count = 0
        self._ends = _last_readers(self._units)

    def compile(self) -> Piece:
        """Writes the function; afterwards `operands`, `results` and `reduced` are known."""
        for position, unit in enumerate(self._units):
            if isinstance(unit, PlanNode) and id(unit) in self._reductions:
                self._write_reduction(position, unit)
                continue
            last = unit.nodes[-1] if isinstance(unit, Chain) else unit
            (slot,) = last.outputs
            if isinstance(unit, Chain):
                self._write_chain(position, unit)
            else:
                self._write(position, unit)
            if slot not in self._ends:
                self._free_buffers((slot,))
        self.results = [self._dtype_of(slot) for slot in self._results]
        lines = ["def run(start, stop, arguments):", f" {', '.join(Arguments._fields)} = arguments"]
        lines += [*_unpacked("x", len(self.operands), "operands"), *self._before]
        lines += _unpacked("o", len(self.results), "results")
        lines += [*_unpacked("r", len(self.reduced), "reductions"), " i = start"]
        lines += [" while i < stop:", "  j = min(i + size, stop)"]
        if self._trims:
            lines += ["  if j - i < size:", *(f"   {text}" for text in self._trims)]
        for number, operand in enumerate(self.operands.values()):
            rows = f"x{number}[i:j]"
            choice = "" if operand.is_whole else f" if columns[{number}] else x{number}"
            lines.append(f"  y{number} = {rows}{choice}")
        lines += [f"  w{number} = o{number}[i:j]" for number in range(len(self.results))]
        lines += [f"  {text}" for text in self._body]
        lines.append("  i = j")
        exec(compile("\n".join(lines), "<dataflow cluster>", "exec"), self._names)
        piece: Piece = self._names.pop("run")
        return piece

    def _write(self, position: int, node: PlanNode) -> None:
        arguments = [self._argument(node, i) for i in range(len(node.inputs))]
        self._names[f"k{position}"] = of_part(node.call)
        (slot,) = node.outputs
        number = self._results.get(slot)
        last_read = [s for s in dict.fromkeys(node.inputs) if self._ends[s] == position]
        places = [self._place[s] for s in last_read if s in self._place]
        if type(node.call) is np.ufunc:
            # It may write where one of its operands stands.
            self._free_buffers(last_read)
            place = self._target(slot, node)
            self._body.append(f"k{position}({', '.join(arguments)}, out={place})")
        elif node.takes_out:
            place = self._target(slot, node)
            self._body.append(f"k{position}({', '.join(arguments)}, out={place})")
            self._free_buffers(last_read)
        else:
            place = f"v{position}"
            self._body.append(f"{place} = k{position}({', '.join(arguments)})")
            if number is not None:
                self._body.append(f"w{number}[...] = {place}")
            self._free_buffers(last_read)
        self._place[slot] = place
        self._body += [f"{done} = None" for done in places if done[0] == "v"]

    def _write_reduction(self, position: int, node: PlanNode) -> None:
        slot = node.inputs[0]
        place = self._place[slot]
        self._body.append(f"r{len(self.reduced)}.take(i * length, {place})")
        self.reduced.append(self._reductions[id(node)])
        if self._ends[slot] == position:
            self._free_buffers((slot,))
            if place[0] == "v":
                self._body.append(f"{place} = None")

    def _write_chain(self, position: int, chain: Chain) -> None:
        chained = Chained(chain.operations)
        self._names[f"c{position}"] = chained
        places = (chain.source, *chain.operands)
        source, *others = (node.inputs[index] for node, index in places)
        operands = [self._argument(*place) for place in places]
        slots = ((id(node), node.inputs[index]) for node, index in places)
        texts = dict(zip(slots, operands, strict=True))
        last_read = [s for s in dict.fromkeys((source, *others)) if self._ends[s] == position]
        done = [self._place[s] for s in last_read if s in self._place]
        # Called one by one, the nodes write over what is read first; it costs a copy to write an
        # extreme over what it is made of.
        is_free = source not in others and not chained.has_extremes
        if is_free:
            self._free_buffers([s for s in last_read if s == source])
        (slot,) = chain.nodes[-1].outputs
        target = self._target(slot, chain.nodes[-1])
        self._body.append(f"if not c{position}({', '.join((target, *operands))}):")
        for number, node in enumerate(chain.nodes):
            arguments = ", ".join(self._again(node, texts, target))
            self._names[f"k{position}_{number}"] = of_part(node.call)
            call = f"k{position}_{number}({arguments}"
            writes = type(node.call) is np.ufunc
            self._body.append(f" {call}, out={target})" if writes else f" {target}[...] = {call})")
        self._free_buffers([s for s in last_read if s != source or not is_free])
        self._place[slot] = target
        self._body += [f"{name} = None" for name in done if name[0] == "v"]

    def _again(self, node: PlanNode, texts: dict[tuple[int, int], str], target: str) -> list[str]:
        """The arguments of a node of a chain that is called by itself."""
        arguments = []
        for index, slot in enumerate(node.inputs):
            text = texts.get((id(node), slot))
            if text is None and node.constants and node.constants[index] is not NOT_CONSTANT:
                text = f"z{slot}"
                self._names[text] = np.asarray(node.constants[index])
                if node.call in _SLOW_WITH_NUMBERS:
                    text = f"np.full_like({target}, {text})"
            # What the node before it in the chain has made is where this one writes.
            arguments.append(target if text is None else text)
        return arguments

    def _target(self, slot: int, node: PlanNode) -> str:
        """The text for where a node writes."""
        number = self._results.get(slot)
        return f"w{number}" if number is not None else self._buffer(node.seen[-1].dtype)

    def _argument(self, node: PlanNode, index: int) -> str:
        """The text for an input."""
        slot, adapter = node.inputs[index], node.adapters[index]
        place = self._place.get(slot)
        if place is not None:
            return place
        constant = node.constants[index] if node.constants else NOT_CONSTANT
        if adapter is None and isinstance(constant, np.generic):
            return self._number(slot, constant, node)
        operand = self.operands.get((slot, adapter))
        is_whole = node.seen[index].shape == node.seen[-1].shape
        if operand is None:
            is_constant = constant is not NOT_CONSTANT
            operand = Operand(self._positions[slot], adapter, is_whole, is_constant)
            self.operands[slot, adapter] = operand
        number = list(self.operands).index((slot, adapter))
        return f"y{number}"

    def _number(self, slot: int, value: np.generic, node: PlanNode) -> str:
        """The text for a constant number."""
        if node.call not in _SLOW_WITH_NUMBERS:
            self._names[f"z{slot}"] = np.asarray(value)
            return f"z{slot}"
        name = f"f{slot}"
        if name not in self._names:
            self._names[name] = value
            self._add_buffer(f"e{slot}", value.dtype)
            self._before.append(f" e{slot}.fill(f{slot})")
        return f"e{slot}"

    def _buffer(self, dtype: Any) -> str:
        free = self._free.get(dtype)
        if free:
            return free.pop()
        name = f"b{self._count}"
        self._add_buffer(name, dtype)
        return name

    def _add_buffer(self, name: str, dtype: Any) -> None:
        role = f"cluster {self._count}"
        self._count += 1
        self._names[f"t_{name}"] = dtype
        self._before.append(f" {name} = workspace(np, {role!r}, shape, t_{name})")
        self._trims.append(f"{name} = {name}[:j - i]")

    def _free_buffers(self, slots: Sequence[int]) -> None:
        for slot in slots:
            place = self._place.get(slot, "")
            if place[:1] == "b":
                self._free.setdefault(self._dtype_of(slot), []).append(place)

    def _dtype_of(self, slot: int) -> Any:
        return next(n.seen[-1].dtype for n in self._nodes if n.outputs[0] == slot)


def _last_readers(units: Sequence[Chain | PlanNode]) -> dict[int, int]:
    """For the slot of each value the position of the last unit that reads it."""
    found: dict[int, int] = {}
    for position, unit in enumerate(units):
        for node in unit.nodes if isinstance(unit, Chain) else (unit,):
            found.update(dict.fromkeys(node.inputs, position))
    return found


def _unpacked(prefix: str, count: int, source: str) -> list[str]:
    return [f" {prefix}{number} = {source}[{number}]" for number in range(count)]
