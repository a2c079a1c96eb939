"""Runs the programs of a small cluster on values of a step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any, Final

import numpy as np

from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.small.draft import Draft
from dataflow.actors.fusion.small.machine import LARGEST, Instructions, Machine, RunProgram
from dataflow.actors.fusion.small.ops import is_strict
from dataflow.actors.step.step import Step

Shape = tuple[int, ...]
Runner = Callable[..., Any]
"""Takes the step and the inputs of a cluster, gives the output."""

_shape_of: Final = attrgetter("shape")
_KEPT_SHAPES: Final = 64


def make_runner(draft: Draft, one_by_one: OneByOne) -> Runner:
    """The function that runs a cluster.

    Args:
      draft: Its programs.
      one_by_one: What runs the nodes where values do not fit the programs, and names the node of
        an error.
    """
    renamed = draft.nodes[-1].seen[-1].dtype
    last = draft.programs[-1]
    pools = [
        _Pool(draft.machine, p.instructions, renamed if p is last else None) for p in draft.programs
    ]
    shapes = _Shapes(draft)
    taken = [draft.operands.get(value) for value in last.operands]
    whole = [o.position for o in taken if o is not None and o.adapter is None]
    if len(pools) == 1 and not draft.arrays and whole == list(range(len(draft.slots))):
        return _lone(pools[0], shapes, one_by_one)
    return _general(draft, pools, shapes, one_by_one)


class _Pool:
    """Machines with one program: a thread takes one out, and puts it back when it is done.

    A machine keeps what it works on in itself and lets go of the interpreter's lock.
    """

    __slots__ = ("idle", "make")

    def __init__(self, machine: Machine, instructions: Instructions, dtype: Any) -> None:
        if dtype != np.int64:
            self.make: Callable[[], RunProgram] = lambda: machine.load(instructions)
        else:
            self.make = lambda: _as_int64(machine.load(instructions))
        self.idle = [self.make()]


def _as_int64(run: RunProgram) -> RunProgram:
    """The machine's integers have a C type of the same size as numpy's, but another name."""
    return lambda *operands: run(*operands).view(np.int64)


def _lone(pool: _Pool, shapes: _Shapes, one_by_one: OneByOne) -> Runner:
    """Runs one program whose operands are the inputs."""
    idle, make, fit = pool.idle, pool.make, shapes.fit
    if len(shapes.expected) > 1:
        expected = shapes.expected

        def run(step: Step, *values: Any) -> Any:
            try:
                found = list(map(_shape_of, values))
                if found == expected or fit(found):
                    machine = idle.pop() if idle else make()
                    result = machine(*values)
                    idle.append(machine)
                    return result
            except Exception:
                pass
            return one_by_one(step, values)

        return run
    (shape,) = shapes.expected

    def run_one(step: Step, value: Any) -> Any:
        try:
            if value.shape == shape or fit((value.shape,)):
                machine = idle.pop() if idle else make()
                result = machine(value)
                idle.append(machine)
                return result
        except Exception:
            pass
        return one_by_one(step, (value,))

    return run_one


def _general(draft: Draft, pools: Sequence[_Pool], shapes: _Shapes, one_by_one: OneByOne) -> Runner:
    """Runs any number of programs, whose operands are also what others of them made."""
    takes = [(operand.position, operand.adapter) for operand in draft.operands.values()]
    arrays = list(draft.arrays.values())
    places = {value: i for i, value in enumerate((*draft.operands, *draft.arrays))}
    parts: list[
        tuple[list[RunProgram], Callable[[], RunProgram], Callable[[Any], tuple[Any, ...]]]
    ] = []
    for pool, program in zip(pools, draft.programs, strict=True):
        parts.append((pool.idle, pool.make, _picker([places[v] for v in program.operands])))
        places[program.result] = len(places)
    expected, fit = shapes.expected, shapes.fit

    def run(step: Step, *values: Any) -> Any:
        try:
            made = [values[i] if adapter is None else adapter(values[i]) for i, adapter in takes]
            found = list(map(_shape_of, made))
            if found == expected or fit(found):
                made += arrays
                for idle, make, pick in parts:
                    machine = idle.pop() if idle else make()
                    made.append(machine(*pick(made)))
                    idle.append(machine)
                return made[-1]
        except Exception:
            pass
        return one_by_one(step, values)

    return run


def _picker(places: Sequence[int]) -> Callable[[Any], tuple[Any, ...]]:
    if len(places) == 1:
        (place,) = places
        return lambda values: (values[place],)
    return itemgetter(*places)


class _Shapes:
    """Which shapes of operands the programs are right for."""

    __slots__ = ("_fixed", "_is_strict", "_known", "_result", "expected")

    def __init__(self, draft: Draft) -> None:
        self.expected = [operand.shape for operand in draft.operands.values()]
        """Those that were measured."""
        self._result = draft.nodes[-1].seen[-1].shape
        self._is_strict = any(is_strict(node) for node in draft.nodes)
        self._fixed = [array.shape for array in draft.arrays.values()]
        self._known: dict[tuple[Shape, ...], bool] = {}

    def fit(self, shapes: Sequence[Shape]) -> bool:
        """True if operands of these shapes give what the nodes would give one by one."""
        key = tuple(shapes)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KEPT_SHAPES:
                self._known.clear()
            found = self._known[key] = self._fit(key)
        return found

    def _fit(self, shapes: tuple[Shape, ...]) -> bool:
        try:
            result = np.broadcast_shapes(*shapes, *self._fixed)
        except ValueError:
            return False
        # Results that are scalars are no arrays, and with empty arrays the machine does not
        # broadcast. On large ones it would use threads of its own.
        if not result or not 0 < math.prod(result) <= LARGEST:
            return False
        if not self._is_strict:
            return True
        now = {self._result: result, (): ()}
        return not any(self._fixed) and all(
            now.get(before) == shape for before, shape in zip(self.expected, shapes, strict=True)
        )
