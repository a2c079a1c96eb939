"""Runs a cluster of elementwise nodes block by block, so that what they hand on stays in cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from sys import getrefcount
from typing import Any, Final

import numpy as np

from dataflow.actors.fused_shapes import Extent, Geometry, Shape, find_geometry
from dataflow.actors.fused_writer import ClusterWriter
from dataflow.actors.one_by_one import OneByOne
from dataflow.actors.plan_node import Lines, PlanNode
from dataflow.actors.step import Step
from dataflow.kernels import aligned
from dataflow.kernels.parallel import grain_of, split

_SPEED_UP: Final = 0.5
"""About what blocks leave of the time that several nodes took one by one."""
_KEPT_GEOMETRIES: Final = 64


class Cluster:
    """Runs a cluster: takes the step and the inputs, gives the outputs."""

    __slots__ = (
        "_cost",
        "_geometries",
        "_lone",
        "_one_by_one",
        "_operands",
        "_piece",
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
          nodes: Elementwise nodes in the order to run them, all with outputs of one shape.
          slots: Slots of the inputs.
          outputs: Slots of the outputs.
          lines: Where the lines of code that runs the nodes one by one are written down.
        """
        self._one_by_one = OneByOne(nodes, slots, outputs, lines)
        self._lone = len(outputs) == 1
        writer = ClusterWriter(nodes, slots, outputs)
        self._piece = writer.compile()
        self._operands = tuple(writer.operands.values())
        self._results = tuple(writer.results)
        self._wholes = [operand.is_whole for operand in self._operands]
        share = _SPEED_UP if len(nodes) > 1 else 1.0
        self._cost = sum(n.cost for n in nodes) * share / math.prod(nodes[0].seen[-1].shape)
        """Seconds for each element."""
        self._geometries: dict[tuple[Shape, ...], Geometry | None] = {}
        self.dying: frozenset[int] = frozenset()
        """Places of the inputs that nobody reads after the cluster."""

    def run(self, step: Step, *values: Any) -> Any:
        """Runs the nodes: in blocks, or one by one if the values do not fit each other so."""
        sole = {i for i in self.dying if getrefcount(values[i]) <= _SOLE and _is_own(values[i])}
        adapted = [
            values[i] if adapter is None else adapter(values[i]) for i, adapter, _ in self._operands
        ]
        views: list[Any] | None = None
        geometry = self._geometry(tuple([value.shape for value in adapted]))
        if geometry is not None:
            views = list(map(geometry.view, adapted, geometry.extents))
        if geometry is None or any(view is None for view in views or ()):
            return self._one_by_one(step, values)
        assert views is not None
        reused = False
        arrays: list[Any] = []
        for result in self._results:
            taken = next((o for o in result.reusable if self._operands[o].position in sole), None)
            if taken is None:
                arrays.append(aligned.empty(geometry.shape, result.dtype))
            else:
                reused = True
                sole.discard(self._operands[taken].position)
                arrays.append(adapted[taken])
        targets = [geometry.view(array, Extent.WHOLE) for array in arrays]
        try:
            self._run_in_blocks(geometry, views, targets)
        except Exception:
            if not reused:
                # Fails again, and so says which of the nodes it was.
                self._one_by_one(step, values)
            raise
        return arrays[0] if self._lone else arrays

    def _geometry(self, shapes: tuple[Shape, ...]) -> Geometry | None:
        try:
            return self._geometries[shapes]
        except KeyError:
            if len(self._geometries) >= _KEPT_GEOMETRIES:
                self._geometries.clear()
            found = self._geometries[shapes] = find_geometry(shapes, self._wholes)
            return found

    def _run_in_blocks(self, geometry: Geometry, views: list[Any], targets: list[Any]) -> None:
        rows, block, piece = geometry.rows, geometry.block, self._piece
        shape = (block,) if geometry.length == 1 else (block, geometry.length)
        columns = [extent is Extent.COLUMN for extent in geometry.extents]
        seconds = self._cost * rows * geometry.length

        def run(first: int, last: int) -> None:
            stop = min(rows, last * block)
            piece(first * block, stop, block, shape, views, columns, targets)

        # Whole blocks: for shorter ones other code would be needed, or the calls would be short.
        blocks = -(-rows // block)
        split(blocks, grain_of(blocks, seconds), run)


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
