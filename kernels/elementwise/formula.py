"""What an elementwise kernel computes, told once, and the function of numpy's calls for it.

A formula is a function of an array library and of operands, such as `lambda xp, y, dy: dy * (1 -
xp.square(y))`. Run on stand-ins it comes apart into steps. A kernel alone is a row of calls that
write where they may; who runs several nodes together takes their steps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.precision import NARROW, widened
from dataflow.kernels.contract.registry import KernelNode
from dataflow.kernels.elementwise.formula_program import by_program, in_loop
from dataflow.kernels.elementwise.quick import quick_functions
from dataflow.kernels.elementwise.selection import select
from dataflow.kernels.elementwise.stand_ins import FUNCTIONS, Array, Number
from dataflow.kernels.elementwise.steps import Step
from dataflow.kernels.narrow.functions import is_numpy

_KEPT: Final = 512
"""Formulas that are remembered."""
Formula = Callable[..., Any]
"""`f(xp, *operands, *numbers)`."""


def computed(
    node: KernelNode,
    xp: Any,
    formula: Formula,
    *numbers: float,
    widens: bool = True,
) -> Callable[..., Any]:
    """The function of a kernel that computes a formula.

    Args:
      node: The node, whose inputs have the type of its output.
      xp: The array library.
      formula: Of its inputs.
      *numbers: What else the formula takes.
      widens: 16-bit floats are computed in float32 and rounded once.
    """
    dtype = node.input_dtypes[0].base_dtype
    steps = steps_of(formula, len(node.input_dtypes), numbers)
    kind = np.float32 if widens and dtype in NARROW else dtype.as_numpy_dtype
    run = _compiled(steps, len(node.input_dtypes), xp, kind)
    if is_numpy(xp):
        run = by_program(steps, len(node.input_dtypes), np.dtype(kind), run)
    run = widened(run, dtype) if widens else run
    return tells(run, steps)


@functools.lru_cache(maxsize=_KEPT)
def repeated(formula: Formula, inputs: int, dtype: Any) -> Callable[..., None]:
    """The function `f(*vectors, out)` of a formula that a kernel calls in a loop.

    Args:
      formula: Of numpy arrays of one size.
      inputs: How many.
      dtype: Their element type.
    """
    steps = steps_of(formula, inputs)
    return in_loop(steps, inputs, np.dtype(dtype), _compiled(steps, inputs, np, dtype))


def tells(function: Callable[..., Any], steps: Sequence[Step]) -> Callable[..., Any]:
    """The function of a kernel that computes what these steps do, in whatever way."""
    function.steps = steps  # type: ignore[attr-defined]
    return function


def steps_told(function: Callable[..., Any]) -> tuple[Step, ...]:
    """The steps of the function of a kernel; none if it does not tell them."""
    found: tuple[Step, ...] = getattr(function, "steps", ())
    return found


@functools.lru_cache(maxsize=_KEPT)
def steps_of(formula: Formula, inputs: int, numbers: tuple[float, ...] = ()) -> tuple[Step, ...]:
    """The steps of a formula, each behind those that it needs."""
    given = [Array("") for _ in range(inputs)]
    places = {array: place for place, array in enumerate(given)}
    steps: list[Step] = []

    # Sums of many terms are deeper than calls may be nested.
    waiting: list[Array] = [formula(FUNCTIONS, *given, *numbers)]
    while waiting:
        made = waiting[-1]
        missing = [o for o in made.operands if isinstance(o, Array) and o not in places]
        waiting += reversed(missing)
        if not missing:
            waiting.pop()
            if made not in places:
                places[made] = inputs + len(steps)
                steps.append(
                    Step(made.operation, tuple([_place(o, places) for o in made.operands]))
                )
    return tuple(steps)


def _place(operand: Array | Number, places: Mapping[Array, int]) -> int | str:
    return places[operand] if isinstance(operand, Array) else float(operand.compute(())).hex()


@functools.lru_cache(maxsize=_KEPT)
def _compiled(steps: Sequence[Step], inputs: int, xp: Any, dtype: Any) -> Callable[..., Any]:
    """A function of the inputs and of `out`, an array to fill or None."""
    names: dict[str, Any] = {name: getattr(xp, name) for name in {step.function for step in steps}}
    names["where"] = functools.partial(select, xp)
    if is_numpy(xp) and np.dtype(dtype).char in "fd":
        names.update(quick_functions(dtype))
    lines = [f"def run({', '.join(f'v{i}' for i in range(inputs))}, out=None):"]
    ends = {place: at for at, step in enumerate(steps) for place in step.operands}
    # A choice is written to none of its operands.
    free = ["out"] if steps[-1].function != "where" else []
    buffers: dict[int | str, str] = {}
    for at, step in enumerate(steps):
        place, arguments = inputs + at, []
        for operand in step.operands:
            text = f"v{operand}"
            if isinstance(operand, str):
                text = f"n{len(names)}"
                number = dtype(float.fromhex(operand))
                names[text] = np.asarray(number) if xp is np else number
            arguments.append(text)
        done = [buffers.pop(o) for o in list(buffers) if o in step.operands and ends[o] == at]
        if step.function != "where":
            free += done
        is_last = at == len(steps) - 1
        target = "" if step.is_truth else "out" if is_last else free.pop() if free else "None"
        lines.append(f" v{place} = {step.function}({', '.join(arguments)}, out={target or None})")
        if step.function == "where":
            free += done
        if target and not is_last:
            # What a function makes of numbers is no array.
            name = "out" if target == "out" else f"b{place}"
            lines.append(f" {name} = v{place} if v{place}.ndim else None")
            buffers[place] = name
    lines.append(f" return v{inputs + len(steps) - 1}")
    exec("\n".join(lines), names)
    run: Callable[..., Any] = names["run"]
    return run
