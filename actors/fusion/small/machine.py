"""The virtual machine that runs small clusters: numexpr's, handed instructions instead of text.

An instruction is named as numexpr names it, `add_fff`: what it does, then one letter for the type
of the result and of each operand. An instruction is used only if it gives what numpy gives, to the
bit, for infinities, NaNs, denormals and both zeros too. That is tried out before its first use.
"""

from __future__ import annotations

import functools
import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

TYPES: Final[Mapping[Any, str]] = {
    np.dtype(np.bool_): "b",
    np.dtype(np.int32): "i",
    np.dtype(np.int64): "l",
    np.dtype(np.float32): "f",
    np.dtype(np.float64): "d",
}
"""The element types that the machine knows, and its letters for them."""
DTYPES: Final[Mapping[str, Any]] = {letter: dtype for dtype, letter in TYPES.items()}

REGISTERS: Final = 255
"""Results, operands, constants and temporaries of a program together."""
OPERANDS: Final = 62
"""Arrays that a program takes."""
LARGEST: Final = 1024
"""Elements up to which a program surely runs on the calling thread."""

_EXPECTED: Final[Mapping[str, Callable[..., Any]]] = {
    "add": np.add,
    "and": np.logical_and,
    "ceil": np.ceil,
    "div": np.true_divide,
    "eq": np.equal,
    "floor": np.floor,
    "fmod": np.fmod,
    "ge": np.greater_equal,
    "gt": np.greater,
    "invert": np.logical_not,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "or": np.logical_or,
    "sqrt": np.sqrt,
    "sub": np.subtract,
    "where": np.where,
}
"""What instructions are to do; `cast` stands for itself."""
_OF_FLOATS: Final = frozenset({"ceil", "div", "floor", "fmod", "sqrt"})
"""Of integers these are not even tried: the least one divided by -1 ends the process."""
_UNUSED: Final = 255


class Instructions(NamedTuple):
    """A program as the machine takes it."""

    operands: str
    """The type of each operand; they are in the registers from 1 on."""
    constants: tuple[np.generic, ...]
    """In the registers after the operands."""
    temporaries: str
    """The type of each register after the constants."""
    words: bytes


RunProgram = Callable[..., Any]
"""Takes the operands of a program and gives its result, in memory of its own. No two threads may
be in one at the same time."""


class Machine:
    """Numexpr's virtual machine."""

    def __init__(self, interpreter: Any) -> None:
        """Takes up the machine.

        Args:
          interpreter: numexpr's module of this name.
        """
        self._make = interpreter.NumExpr
        self._opcodes: Mapping[bytes, int] = interpreter.opcodes
        self._functions: Mapping[bytes, int] = interpreter.funccodes
        self._nothing = self._opcodes[b"noop"]
        self._right: dict[str, bool] = {}

    def can(self, name: str) -> bool:
        """True if the machine has an instruction and it gives what numpy gives."""
        found = self._right.get(name)
        if found is None:
            found = self._right[name] = self._is_right(name)
        return found

    def calls_function(self, name: str) -> bool:
        """True if an instruction calls a function for each element."""
        return name.encode() not in self._opcodes

    def word(self, name: str, target: int, arguments: Sequence[int]) -> bytes:
        """An instruction in the machine's code.

        Args:
          name: Its name.
          target: The register of the result.
          arguments: The registers of the operands.
        """
        places = list(arguments)
        code = self._opcodes.get(name.encode())
        if code is None:
            code = self._opcodes[f"func_{name.rpartition('_')[2]}n".encode()]
            places.append(self._functions[name.encode()])
        if len(places) < 3:
            return bytes([code, target, *places, *[_UNUSED] * (2 - len(places))])
        # The third place is in a word of its own.
        return bytes([code, target, *places[:2], self._nothing, places[2], _UNUSED, _UNUSED])

    def load(self, program: Instructions) -> RunProgram:
        """Makes the machine ready to run a program."""
        constants = tuple(map(_constant, program.constants))
        run: RunProgram = self._make(
            program.operands.encode(), program.temporaries.encode(), program.words, constants
        )
        return run

    def _is_right(self, name: str) -> bool:
        base, _, letters = name.rpartition("_")
        expected = _EXPECTED.get(base)
        if base == "cast":
            target = DTYPES[letters[0]]
            expected = functools.partial(np.ndarray.astype, dtype=target)
        if expected is None or not set(letters) <= set(DTYPES):
            return False
        if base in _OF_FLOATS and not set(letters) <= set("fd"):
            return False
        operands = _samples([DTYPES[letter] for letter in letters[1:]])
        count = len(operands)
        try:
            word = self.word(name, 0, range(1, count + 1))
            made = self.load(Instructions(letters[1:], (), "", word))(*operands)
        except (KeyError, RuntimeError, TypeError, ValueError):
            return False
        with np.errstate(all="ignore"):
            wanted = expected(*operands)
        return wanted.dtype == made.dtype and _bits(wanted) == _bits(made)


@functools.cache
def machine() -> Machine | None:
    """The machine; None if there is none that does what is asked of it here."""
    # numexpr says how many threads it might use. It uses none of them here.
    log = logging.getLogger("numexpr.utils")
    silent, log.disabled = log.disabled, True
    try:
        from numexpr import interpreter

        found = Machine(interpreter)
        largest = interpreter.__BLOCK_SIZE1__
    except Exception:  # Whatever is wrong with it, there is another way.
        return None
    finally:
        log.disabled = silent
    # Up to twice its block a program runs on the thread that calls it.
    return found if largest >= LARGEST and _adds_up(found) else None


def _adds_up(found: Machine) -> bool:
    """Tries a program with operands that broadcast, a constant, temporaries and a choice."""
    if not all(map(found.can, ("add_fff", "mul_fff", "gt_bff", "where_fbff"))):
        return False
    words = found.word("add_fff", 4, (1, 2))
    words += found.word("mul_fff", 0, (4, 3))
    words += found.word("gt_bff", 5, (0, 1))
    words += found.word("where_fbff", 0, (5, 4, 0))
    x, y = np.arange(12, dtype="f").reshape(3, 4) - 5, np.arange(3, dtype="f").reshape(3, 1)
    try:
        run = found.load(Instructions("ff", (np.float32(3),), "fb", words))
        made = run(x, y)
    except (RuntimeError, TypeError, ValueError):
        return False
    wanted = np.where((x + y) * np.float32(3) > x, x + y, (x + y) * np.float32(3))
    return made.dtype == wanted.dtype and np.array_equal(made, wanted) and made.base is None


def _constant(value: np.generic) -> Any:
    """A constant in a type that the machine tells apart."""
    return value.item() if value.dtype.kind == "b" else value


def _samples(dtypes: Sequence[Any]) -> list[np.ndarray]:
    """Operands of these types that bring together all kinds of values."""
    kinds = [_values(dtype) for dtype in dtypes]
    pairs = list(itertools.product(*kinds))[:LARGEST]
    return [
        np.array(column, dtype)
        for column, dtype in zip(zip(*pairs, strict=True), dtypes, strict=True)
    ]


def _values(dtype: Any) -> list[Any]:
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind == "i":
        limits = np.iinfo(dtype)
        return [0, 1, -1, 7, -12, limits.max, limits.min, limits.max // 3, 1 << 17]
    limit = np.finfo(dtype)
    values = [0.0, 1.0, 2.5, 0.5, 1.5, 1 / 3, np.inf, limit.max, limit.tiny, 1e10, 3e-5]
    values.append(limit.smallest_subnormal)
    return [*values, *(-value for value in values), np.nan]


def _bits(array: np.ndarray) -> bytes:
    """The bits of an array, all NaNs taken as one."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return array.tobytes()
