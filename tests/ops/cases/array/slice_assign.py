"""Rows for assignments to slices of variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.ops.case import NUMBERS
from tests.ops.program import Build, Inputs, Program, Step, fails, run, slopes_refused

EVERY = (*NUMBERS, "bool", "string")
# What is sliced, and the shape of the value assigned to it.
SLICES: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "rows": (lambda x: x[1:3], (2, 3)),
    "row": (lambda x: x[-1], (3,)),
    "element": (lambda x: x[2, 1], ()),
    "steps": (lambda x: x[::2, ::-1], (2, 3)),
    "broadcast": (lambda x: x[1:, 0], ()),
    "nothing": (lambda x: x[:0], (0, 3)),
    "new axis": (lambda x: x[1, None, 1:], (1, 2)),
    "rest": (lambda x: x[..., 1], (4,)),
}


def _assigned(resource: bool) -> Build:
    def assigned(tf: Any, v: Inputs) -> Iterator[Step]:
        fetches = [
            take(v.variable(v.any(4, 3), resource)).assign(v.fed(v.any(*shape)))
            for take, shape in SLICES.values()
        ]
        yield v.initializers()
        yield run(*fetches)
        yield run(*(variable for variable, _ in v.variables))

    return assigned


def _misfits(resource: bool) -> Build:
    def misfits(tf: Any, v: Inputs) -> Iterator[Step]:
        variable = v.variable(v.any(4, 3), resource)
        wide = variable[0].assign(v.hidden(v.any(2)))
        row = variable[0].assign(v.hidden(v.any(3)))
        yield v.initializers()
        if not resource:
            text = "No gradient defined for operation"
            yield slopes_refused(tf, "LookupError", text, [row], [variable])
        yield fails("InvalidArgumentError", r"\[3\].*\[2\]|\[2\].*\[3\]", wide)
        yield run(variable)
        error = "NotFoundError" if resource else "FailedPreconditionError"
        yield fails(error, "does not exist|uninitialized value", row, session="new")

    return misfits


PROGRAMS = [
    program
    for resource in (False, True)
    for op in (f"{'Resource' * resource}StridedSliceAssign",)
    for program in (
        Program(op, _assigned(resource), EVERY),
        Program(op, _misfits(resource), ("float32",)),
    )
]
