"""numpy's functions of floats, as formulas in machine code where there is such.

They stand wherever a kernel computes them, so that what it makes has the bits of a program that
many nodes share.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode
from dataflow.kernels.elementwise.steps import Step
from dataflow.kernels.memory.orders import in_line
from dataflow.kernels.narrow.functions import is_numpy
from dataflow.kernels.native.builtin import Builtin
from dataflow.kernels.native.compiled import compiled, is_there, run_in_parts
from dataflow.kernels.native.functions import FORMULAS, is_formula
from dataflow.kernels.native.price import Price, price_of
from dataflow.kernels.native.program import LETTERS, Instruction, Operand, Program


class QuickFunction:
    """One of them, called as numpy's is."""

    def __init__(self, name: str, otherwise: Callable[..., Any], count: int) -> None:
        """Makes one.

        Args:
          name: Its name.
          otherwise: The same for types without a formula.
          count: How many operands it takes.
        """
        self._name = name
        self._otherwise: Final = otherwise
        self._count = count
        self._found: dict[np.dtype[Any], tuple[Builtin, Price] | None] = {}
        self.steps: Final = (Step(name, tuple(range(self._count))),)

    def __call__(self, *given: Any, out: Any = None) -> Any:
        """Its values for arrays or numbers that can be broadcast to one shape."""
        first = given[0]
        found = self._of(first.dtype)
        if found is None:
            return self._otherwise(*given, out=out)
        function, price = found
        if (
            out is None
            and len(given) == 1
            and type(first) is np.ndarray
            and first.flags.c_contiguous
        ):
            # The way of nearly all calls, and the shortest one.
            vector = first.reshape(-1)
            result = np.empty_like(vector)
            if run_in_parts(function, price.of(vector.size), result, vector):
                return result.reshape(first.shape) if first.ndim else result[0]
        arrays = [np.asarray(one) for one in given]
        if any(one.shape != arrays[0].shape for one in arrays):
            arrays = list(np.broadcast_arrays(*arrays))
        result = np.empty_like(arrays[0]) if out is None else out
        vectors = in_line(result, *arrays)
        if vectors is None:
            vectors = in_line(result, *map(np.ascontiguousarray, arrays))
        if vectors is None:
            result[...] = self(*map(np.ascontiguousarray, arrays))
            return result
        if not run_in_parts(function, price.of(result.size), *vectors):
            return self._otherwise(*given, out=out)
        return result if result.ndim or out is not None else result[()]

    def _of(self, dtype: np.dtype[Any]) -> tuple[Builtin, Price] | None:
        """The function of vectors of a type, and what it takes; None for numpy's."""
        if dtype not in self._found:
            letter = LETTERS.get(dtype, "")
            is_quick = _is_quick(self._name, letter)
            self._found[dtype] = _program(self._name, letter, self._count) if is_quick else None
        return self._found[dtype]


class _Functions:
    """Those of numpy's functions that are quick."""

    def __getattr__(self, name: str) -> QuickFunction:
        ufunc: np.ufunc = getattr(np, name)
        found = QuickFunction(name, ufunc, ufunc.nin)
        setattr(self, name, found)
        return found


_FUNCTIONS: Final = _Functions()


def quick(xp: Any) -> Any:
    """An array library, or instead of numpy its functions that are quick."""
    return _FUNCTIONS if xp is np else xp


def function_of(node: KernelNode, xp: Any, name: str) -> Callable[..., Any]:
    """The function of a kernel that does nothing but call one of an array library."""
    letter = LETTERS.get(np.dtype(node.input_dtypes[0].base_dtype.as_numpy_dtype), "")
    is_quick = is_numpy(xp) and _is_quick(name, letter)
    found: Callable[..., Any] = getattr(_FUNCTIONS if is_quick else xp, name)
    return found


def quick_functions(dtype: Any) -> dict[str, Callable[..., Any]]:
    """Those there are for an element type, by name."""
    letter = LETTERS.get(np.dtype(dtype), "")
    names = [
        name
        for name in FORMULAS
        if isinstance(getattr(np, name, None), np.ufunc) and _is_quick(name, letter)
    ]
    return {name: getattr(_FUNCTIONS, name) for name in names}


@functools.cache
def _is_quick(name: str, letter: str) -> bool:
    return is_there() and is_formula(name, letter)


def _program(name: str, letter: str, count: int) -> tuple[Builtin, Price]:
    operands = (Operand(letter, (0,), True),) * count
    step = Instruction(name, tuple(range(count)), letter)
    program = Program(1, operands, (step,), (count,))
    return compiled(program, ()), price_of(program)
