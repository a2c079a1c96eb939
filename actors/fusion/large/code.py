"""Runs a cluster of elementwise nodes block by block, so that what they hand on stays in cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from dataflow.actors.code.one_by_one import OneByOne
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
_SMALLEST: Final = 1 << 12
"""Elements from which kernels that take large arrays in another way do so (`of_part`)."""


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

    def run(self, step: Step, *values: Any) -> Any:
        """Runs the nodes: in blocks, or one by one if the values do not fit each other so."""
        adapted = [
            values[i] if adapter is None else adapter(values[i])
            for i, adapter, *_ in self._operands
        ]
        blocks = self._blocks(tuple([value.shape for value in adapted]))
        views = None if blocks is None else blocks.views(adapted)
        if blocks is None or views is None:
            return self._one_by_one(step, values)
        grid, form = blocks.grid, blocks.form
        arrays = [aligned.empty(grid.shape, dtype) for dtype in self._results]
        targets = arrays if grid.shape == form else [array.reshape(form) for array in arrays]
        reductions = [parts.begin() for parts in blocks.parts]
        arguments = Arguments(
            blocks.block, blocks.shape, grid.length, views, blocks.columns, targets, reductions
        )
        try:
            self._run_in_blocks(blocks, arguments)
            for parts, reduction in zip(blocks.parts, reductions, strict=True):
                arrays.append(parts.finish(reduction.total()))
        except Exception:
            # Fails again, and so says which of the nodes it was.
            self._one_by_one(step, values)
            raise
        return arrays[0] if self._lone else arrays

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
        if math.prod(shape) < _SMALLEST:
            return None
        parts = [reduced.parts(shape) for reduced in self._reduced]
        known = tuple(one for one in parts if one is not None)
        if len(known) < len(parts):
            return None
        wanted = int(_CALL * self._calls / self._cost) if self._cost else 0
        most = min(LARGEST, math.prod(shape) // _BLOCKS)
        found = find_blocks(shapes, self._wholes, known, max(BLOCK, min(wanted, most)))
        if found is None:
            return None
        forms = [
            found[0].form(own, extent) for own, extent in zip(shapes, found[0].extents, strict=True)
        ]
        constant = [operand.is_constant for operand in self._operands]
        return _Blocks(*found, known, self._cost * math.prod(shape), forms, constant)

    def _run_in_blocks(self, blocks: _Blocks, arguments: Arguments) -> None:
        rows, block, piece = blocks.grid.rows, blocks.block, self._piece
        # Whole blocks: for shorter ones other code would be needed, or the calls would be short.
        count = -(-rows // block)
        if count == 1:
            piece(0, rows, arguments)
            return

        def run(first: int, last: int) -> None:
            piece(first * block, min(rows, last * block), arguments)

        helped, start = current.saved, perf_counter()
        split(count, grain_of(count, blocks.seconds), run)
        blocks.seconds = min(blocks.seconds, perf_counter() - start + current.saved - helped)


class _Blocks:
    """How operands of certain shapes are cut into blocks."""

    __slots__ = (
        "_constant",
        "_constants",
        "_forms",
        "block",
        "columns",
        "form",
        "grid",
        "parts",
        "seconds",
        "shape",
    )

    def __init__(
        self,
        grid: Grid,
        block: int,
        parts: tuple[Parts, ...],
        seconds: float,
        forms: Sequence[Shape | None],
        constant: Sequence[bool],
    ) -> None:
        self.grid = grid
        self.parts = parts
        """Of each reduction."""
        self.block = block
        """Rows of a block."""
        self.shape = (block,) if grid.length == 1 else (block, grid.length)
        self.form = grid.two_axes
        """The shape of the results on the axes of the blocks."""
        self.seconds = seconds
        """What all blocks take one thread: an estimate, or the least that they took so far."""
        self.columns = [extent in (Extent.COLUMN, Extent.WHOLE) for extent in grid.extents]
        """Which of them have something for each row."""
        self._forms = forms
        """The shape of each on these axes; None for those that are repeated."""
        self._constant = constant
        """Which of them are the same in each step,"""
        self._constants: list[Any] = [None] * len(forms)
        """and views of these, once they were needed."""

    def views(self, operands: Sequence[Any]) -> list[Any] | None:
        """The operands on the axes of the blocks; None if a large one is not in C order.

        What reads results goes through them as they lie: they lie as those of the nodes one by one
        only where all operands lie in this order.
        """
        views, extents = self._constants.copy(), self.grid.extents
        for place, form in enumerate(self._forms):
            if views[place] is not None:
                continue
            array = operands[place]
            if form is None:
                view = self.grid.repeated(array, extents[place])
            elif array.flags.c_contiguous:
                view = array if array.shape == form else array.reshape(form)
            elif extents[place] is Extent.WHOLE:
                return None
            else:
                view = np.ascontiguousarray(array).reshape(form)
            views[place] = view
            if self._constant[place]:
                self._constants[place] = view
        return views
