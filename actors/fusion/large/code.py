"""Runs a cluster of elementwise nodes block by block, so that what they hand on stays in cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from sys import getrefcount
from time import perf_counter
from typing import Any, Final

import numpy as np

from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.large.orders import (
    Order,
    common_order,
    made_contiguous,
    turned,
    turned_back,
)
from dataflow.actors.fusion.large.shapes import BLOCK, LARGEST, Extent, Grid, Shape, find_blocks
from dataflow.actors.fusion.large.writer import Arguments, ClusterWriter
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.actors.step.step import Step
from dataflow.kernels.memory import aligned
from dataflow.kernels.reductions.parts import Parts
from dataflow.kernels.threads.parallel import current, grain_of, split

_SPEED_UP: Final = 0.5
"""About what blocks leave of the time that several nodes took one by one."""
_CALL: Final = 40e-6
"""Seconds that each call for a block should take: threads whose calls are shorter wait for Python's
lock most of the time."""
_BLOCKS: Final = 8
"""Blocks that there should be at least, for several threads."""
_KEPT_SHAPES: Final = 64


class Cluster:
    """Runs a cluster: takes the step and the inputs, gives the outputs."""

    __slots__ = (
        "_calls",
        "_cost",
        "_known",
        "_lone",
        "_one_by_one",
        "_operands",
        "_piece",
        "_reduced",
        "_results",
        "_wholes",
        "dying",
    )

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        slots: Sequence[int],
        outputs: Sequence[int],
        lines: Lines,
    ) -> None:
        """Generates the code of a block.

        Args:
          nodes: Elementwise nodes, all with outputs of one shape, and reductions of these, in the
            order to run them.
          slots: Slots of the inputs.
          outputs: Slots of the outputs, those of reductions at the end.
          lines: Where the lines of code that runs the nodes one by one are written down.
        """
        self._one_by_one = OneByOne(nodes, slots, outputs, lines)
        self._lone = len(outputs) == 1
        writer = ClusterWriter(nodes, slots, outputs)
        self._piece = writer.compile()
        self._operands = tuple(writer.operands.values())
        self._results = tuple(writer.results)
        self._reduced = tuple(writer.reduced)
        self._wholes = [operand.is_whole for operand in self._operands]
        share = _SPEED_UP if len(nodes) > 1 else 1.0
        self._cost = sum(n.cost for n in nodes) * share / math.prod(nodes[0].seen[-1].shape)
        """Seconds for each element, as far as it was measured node by node."""
        self._calls = writer.calls
        self._known: dict[tuple[Shape, ...], _Blocks | None] = {}
        self.dying: frozenset[int] = frozenset()
        """Places of the inputs that nobody reads after the cluster."""

    def run(self, step: Step, *values: Any) -> Any:
        """Runs the nodes: in blocks, or one by one if the values do not fit each other so."""
        sole = {i for i in self.dying if getrefcount(values[i]) <= _SOLE and _is_own(values[i])}
        adapted = [
            values[i] if adapter is None else adapter(values[i]) for i, adapter, _ in self._operands
        ]
        order: Order | None = None
        blocks = self._blocks(tuple([value.shape for value in adapted]))
        if blocks is None:
            return self._one_by_one(step, values)
        grid = blocks.grid
        views = list(map(grid.view, adapted, grid.extents))
        if any(view is None for view in views):
            blocks, adapted, order = self._in_order(blocks, adapted)
            grid = blocks.grid
            views = list(map(grid.view, adapted, grid.extents))
        reused = False
        arrays: list[Any] = []
        for result in self._results:
            taken = next((o for o in result.reusable if self._operands[o].position in sole), None)
            if taken is None:
                arrays.append(aligned.empty(grid.shape, result.dtype))
            else:
                reused = True
                sole.discard(self._operands[taken].position)
                arrays.append(adapted[taken])
        targets = [grid.view(array, Extent.WHOLE) for array in arrays]
        reductions = [parts.begin() for parts in blocks.parts]
        arguments = Arguments(
            blocks.block, blocks.shape, grid.length, views, blocks.columns, targets, reductions
        )
        try:
            self._run_in_blocks(blocks, arguments)
            totals = zip(blocks.parts, reductions, strict=True)
            if order is not None:
                arrays = [turned_back(array, order) for array in arrays]
            made = arrays + [parts.finish(reduction.total()) for parts, reduction in totals]
        except Exception:
            if not reused:
                # Fails again, and so says which of the nodes it was.
                self._one_by_one(step, values)
            raise
        return made[0] if self._lone else made

    def _in_order(
        self, blocks: _Blocks, adapted: Sequence[Any]
    ) -> tuple[_Blocks, list[Any], Order | None]:
        """How it is cut if some operands are not contiguous, the operands, and their order."""
        wholes = [a for a, is_whole in zip(adapted, self._wholes, strict=True) if is_whole]
        are_turned = not all(array.flags.c_contiguous for array in wholes)
        # What is reduced along which axes is known only for axes as they are.
        order = common_order(wholes) if are_turned and not self._reduced else None
        if order is not None:
            found = [turned(array, order) for array in adapted]
            in_order = self._blocks(tuple([array.shape for array in found]))
            if in_order is not None:
                return in_order, made_contiguous(found, in_order.wholes), order
        return blocks, made_contiguous(adapted, blocks.wholes), None

    def _blocks(self, shapes: tuple[Shape, ...]) -> _Blocks | None:
        try:
            return self._known[shapes]
        except KeyError:
            if len(self._known) >= _KEPT_SHAPES:
                self._known.clear()
            found = self._known[shapes] = self._find_blocks(shapes)
            return found

    def _find_blocks(self, shapes: tuple[Shape, ...]) -> _Blocks | None:
        shape = next(s for s, is_whole in zip(shapes, self._wholes, strict=True) if is_whole)
        parts = [reduced.parts(shape) for reduced in self._reduced]
        known = tuple(one for one in parts if one is not None)
        if len(known) < len(parts):
            return None
        wanted = int(_CALL * self._calls / self._cost) if self._cost else 0
        most = min(LARGEST, math.prod(shape) // _BLOCKS)
        found = find_blocks(shapes, self._wholes, known, max(BLOCK, min(wanted, most)))
        return None if found is None else _Blocks(*found, known, self._cost * math.prod(shape))

    def _run_in_blocks(self, blocks: _Blocks, arguments: Arguments) -> None:
        rows, block, piece = blocks.grid.rows, blocks.block, self._piece

        def run(first: int, last: int) -> None:
            piece(first * block, min(rows, last * block), arguments)

        # Whole blocks: for shorter ones other code would be needed, or the calls would be short.
        count = -(-rows // block)
        helped, start = current.saved, perf_counter()
        split(count, grain_of(count, blocks.seconds), run)
        blocks.seconds = min(blocks.seconds, perf_counter() - start + current.saved - helped)


class _Blocks:
    """How operands of certain shapes are cut into blocks."""

    __slots__ = ("block", "columns", "grid", "parts", "seconds", "shape", "wholes")

    def __init__(self, grid: Grid, block: int, parts: tuple[Parts, ...], seconds: float) -> None:
        self.grid = grid
        self.parts = parts
        """Of each reduction."""
        self.block = block
        """Rows of a block."""
        self.shape = (block,) if grid.length == 1 else (block, grid.length)
        self.seconds = seconds
        """What all blocks take one thread: an estimate, or the least that they took so far."""
        self.wholes = [extent is Extent.WHOLE for extent in grid.extents]
        """Which operands have the shape of the result, if dimensions of 1 are left out."""
        self.columns = [
            extent is Extent.COLUMN or is_whole
            for extent, is_whole in zip(grid.extents, self.wholes, strict=True)
        ]
        """Which of them have something for each row."""


def _is_own(value: Any) -> bool:
    """True if an array has memory of its own that may be written to."""
    return type(value) is np.ndarray and value.base is None and value.flags.writeable


class _Probe:
    """Is called as a cluster is."""

    def run(self, step: Any, *values: Any) -> int:
        return min(getrefcount(values[i]) for i in (0,))


def _sole_count() -> int:
    """What `getrefcount` says of an input that only a local variable of the caller stands for."""
    names: dict[str, Any] = {"count": _Probe().run, "empty": np.empty}
    exec("def run(step):\n v1 = empty(1)\n return count(step, v1)", names)
    count: int = names["run"](None)
    return count


_SOLE: Final = _sole_count()
