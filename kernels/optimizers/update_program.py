"""Update rules of large float32 variables as passes of oneDNN, on some threads.

A rule that numpy computes in twelve passes over memory, as Adam, takes four.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.chains import BINARIES, UNARIES, Link, OperandKind, chain
from dataflow.kernels.elementwise.stand_ins import Array, NoFormula, Number
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn import library as onednn
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import FLOAT32, Library
from dataflow.kernels.onednn.primitive import Primitive, plain
from dataflow.kernels.optimizers.update_formula import UpdateFormula
from dataflow.kernels.threads.parallel import current, grain_of, run_alone, split

LEAST: Final = 1 << 15
"""Elements from which on the passes are faster than numpy with what it works on in the cache."""
_BLOCK: Final = 1 << 17
_SHARED_BLOCK: Final = 1 << 19
"""Elements of a block where each thread does some, and where all do one after the other; what is
left over is a block of its own from `LEAST` on. Calls cost 2 us."""
_OPERATIONS: Final = 2
"""Operations for each pass from which on one is faster than numpy, which takes a pass for each."""
_PASS: Final = 0.15e-9
"""Seconds that a pass takes for an element, about."""
_WAKING: Final = 150e-6
"""Seconds of one thread that are worth waking others for."""
_KEPT: Final = 256
"""Sizes of arrays that a program remembers the blocks of."""


class _Place(Enum):
    """Where a value is."""

    GIVEN = auto()
    """In a target, or in the gradient, which comes after them."""
    BUFFER = auto()
    """In a buffer for intermediate results."""
    NUMBER = auto()
    """Among the numbers of the step."""


_Where = tuple[_Place, int]


@dataclass(frozen=True, slots=True)
class _Pass:
    """A chain of operations."""

    links: tuple[Link, ...]
    values: tuple[_Where, ...]
    """The source, the operands in order, and the result."""


class UpdateProgram:
    """A formula as passes over blocks of the arrays."""

    def __init__(self, formula: UpdateFormula) -> None:
        """Cuts a formula into passes.

        Raises:
          NoFormula: It has something that no pass computes, or so little that numpy is as fast.
        """
        passes = _Passes(formula)
        if passes.operations < _OPERATIONS * len(passes.passes):
            raise NoFormula("A rule is as fast with numpy.")
        self.passes: Final = passes.passes
        """Chains of operations, in order."""
        # Kept here: to look passes up takes as long as to run some.
        self._blocks: Final = functools.lru_cache(_KEPT)(partial(_blocks, passes=passes.passes))
        self._numbers: Final = passes.numbers
        self._buffers: Final = passes.buffers

    def run(self, targets: Sequence[Any], gradient: Any, arguments: Sequence[Any]) -> bool:
        """Changes the targets.

        Args:
          targets: float32 arrays of equal sizes, contiguous.
          gradient: One more.
          arguments: What the rule takes after the targets.

        Returns:
          False if nothing has been done: the arrays are small, or there is no oneDNN.
        """
        size = gradient.size
        library = onednn.find() if size >= LEAST else None
        if library is None:
            return False
        numbers = np.array([n.compute(arguments) for n in self._numbers], FLOAT32)
        given = (*targets, plain(gradient))
        blocks = self._blocks(library, size, _SHARED_BLOCK)
        if blocks is None:
            return False
        whole = partial(self._run, blocks, given, numbers, True, 0, blocks.count)
        seconds = size * len(self.passes) * _PASS
        if current.helpers is None:
            self._run(blocks, given, numbers, False, 0, blocks.count)
        elif not library.team.run(current.helpers, (self, size), whole, seconds < _WAKING):
            blocks = self._blocks(library, size, _BLOCK) or blocks
            grain = grain_of(blocks.count, seconds)
            run = partial(self._run, blocks, given, numbers, False)
            run_alone(partial(split, blocks.count, grain, run))
        return True

    def _run(
        self,
        blocks: _Blocks,
        given: Sequence[Any],
        numbers: Any,
        together: bool,
        first: int,
        stop: int,
    ) -> None:
        """Runs the passes on some blocks."""
        buffers = workspace(np, "updates", (self._buffers, blocks.longest), FLOAT32)
        first_given = [address_of(array) for array in given]
        first_buffer, first_number = address_of(buffers), address_of(numbers)
        step = 4 * blocks.longest
        place = {
            _Place.BUFFER: [first_buffer + step * i for i in range(self._buffers)],
            _Place.NUMBER: [first_number + 4 * i for i in range(len(numbers))],
        }
        for block in range(first, stop):
            offset = 4 * blocks.size * block
            place[_Place.GIVEN] = [address + offset for address in first_given]
            primitives = blocks.final if block + 1 == blocks.count else blocks.regular
            for one, primitive in zip(self.passes, primitives, strict=True):
                run = primitive.run_together if together else primitive.run
                run(*[place[kind][index] for kind, index in one.values])


@dataclass(frozen=True, slots=True)
class _Blocks:
    """How arrays are cut."""

    count: int
    size: int
    """Elements of each but the last."""
    longest: int
    """Elements of the longest one."""
    regular: tuple[Primitive, ...]
    final: tuple[Primitive, ...]
    """The code of each pass, for all blocks but the last and for that."""


def _blocks(library: Library, size: int, block: int, passes: Sequence[_Pass]) -> _Blocks | None:
    """Blocks of arrays of a size; None if oneDNN cannot run the passes on them."""
    count = max(1, (size + block - LEAST) // block)
    last = size - (count - 1) * block
    regular = [chain(library, (block,), one.links) for one in passes] if count > 1 else []
    final = [chain(library, (last,), one.links) for one in passes]
    if not all((*regular, *final)):
        return None
    codes = (tuple(p for p in found if p is not None) for found in (regular, final))
    return _Blocks(count, block, max(last, block if count > 1 else 0), *codes)


class _Passes:
    """The passes of a formula while they are found."""

    def __init__(self, formula: UpdateFormula) -> None:
        self.numbers: list[Number] = []
        self.buffers = 0
        self.operations = 0
        """How many the passes do on arrays; those that only turn signs do not count."""
        self._passes: list[_Pass] = []
        self._where: dict[Array, _Where] = {formula.gradient: (_Place.GIVEN, len(formula.initial))}
        """Where the values are that have been computed, or were given."""
        self._content = list(formula.initial)
        for place, array in enumerate(self._content):
            self._where[array] = (_Place.GIVEN, place)
        for place, value, after in formula.assignments:
            self._compute(value, (_Place.GIVEN, place))
            # Whoever still looks for what was there comes too late.
            del self._where[self._content[place]]
            self._content[place] = after
            self._where[after] = (_Place.GIVEN, place)
        self.passes = tuple(self._passes)

    def _compute(self, value: Array, target: _Where) -> None:
        """Makes the pass that writes a value somewhere."""
        source, steps = self._chain(value)
        if not steps or steps[0][1] is None:
            steps.insert(0, ("multiply", self._number(Number(lambda _: 1.0))))
        kinds = {_Place.GIVEN: OperandKind.ARRAY, _Place.BUFFER: OperandKind.ARRAY}
        links = tuple(
            Link(name) if at is None else Link(name, kinds.get(at[0], OperandKind.NUMBER))
            for name, at in steps
        )
        operands = (at for _, at in steps if at is not None)
        self._passes.append(_Pass(links, (source, *operands, target)))

    def _buffered(self, value: Array) -> _Where:
        """Where an intermediate result is, in a buffer if it had to be computed."""
        if value not in self._where:
            where = (_Place.BUFFER, self.buffers)
            self.buffers += 1
            self._compute(value, where)
            self._where[value] = where
        return self._where[value]

    def _number(self, number: Number) -> _Where:
        self.numbers.append(number)
        return (_Place.NUMBER, len(self.numbers) - 1)

    def _chain(self, value: Array) -> tuple[_Where, list[tuple[str, _Where | None]]]:
        """Where a value begins and what then is done with it, one after the other."""
        if value in self._where:
            return self._where[value], []
        if not value.operation:
            raise NoFormula("A rule reads a value that it has overwritten.")
        if value.operation not in BINARIES and value.operation not in UNARIES:
            raise NoFormula("A rule does what no pass does.")
        self.operations += 1
        for operand in value.operands:
            if isinstance(operand, Array) and operand.uses > 1 and operand.operation:
                # What others need too is computed once.
                self._buffered(operand)
        left, right = value.operands[0], value.operands[-1]
        if value.operation not in BINARIES and isinstance(left, Array):
            source, steps = self._chain(left)
            return source, [*steps, (value.operation, None)]
        if isinstance(left, Number):
            return self._after_number(value.operation, left, right)
        if isinstance(right, Number):
            source, steps = self._chain(left)
            return source, [*steps, (value.operation, self._number(right))]
        if right not in self._where and left in self._where and value.operation != "divide":
            # The one on the right is not written down to be read again at once.
            source, steps = self._chain(right)
            if value.operation == "subtract":
                steps.append(("multiply", self._number(Number(lambda _: -1.0))))
            name = "multiply" if value.operation == "multiply" else "add"
            return source, [*steps, (name, self._where[left])]
        other = self._buffered(right)
        source, steps = self._chain(left)
        return source, [*steps, (value.operation, other)]

    def _after_number(
        self, operation: str, number: Number, value: Any
    ) -> tuple[_Where, list[tuple[str, _Where | None]]]:
        source, steps = self._chain(value)
        if operation == "divide":
            steps.append(("reciprocal", None))
            if number.is_one:
                return source, steps
            raise NoFormula("A rule divides a number by an array.")
        if operation == "subtract":
            steps.append(("multiply", self._number(Number(lambda _: -1.0))))
        name = "multiply" if operation == "multiply" else "add"
        return source, [*steps, (name, self._number(number))]
