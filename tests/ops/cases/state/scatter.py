"""Rows for the ops that change rows and slices of variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import COMPLEX, FLOATS, INTEGERS, NUMBERS
from tests.ops.program import (
    TIGHT,
    Build,
    Inputs,
    Program,
    Step,
    fails,
    infers,
    refused,
    run,
    slopes_refused,
)

EVERY = (*NUMBERS, "bool", "string")
KINDS = ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")
ND_KINDS = ("Update", "Add", "Sub", "Min", "Max")
# The shape of a variable, and rows of it.
ROWS = (
    ((4, 3), [3, 0, 1]),
    ((4, 3), [1, 1, 1, 2]),
    ((3, 2, 2), [[0, 2], [2, 2]]),
    ((4,), [0, 2]),
    ((4, 3), 2),
    ((5,), [0, 0, 1, 0, 4, 4, 0]),
    ((3,), [1] * 25),
    ((4, 3), np.zeros([0])),
    ((4, 0), [1, 2]),
)
# The shape of a variable, and index vectors of slices of it.
SLICES = (
    ((4, 3), [[3], [0], [1]]),
    ((4, 3), [[1, 2], [1, 2], [0, 0]]),
    ((3, 2, 2), [[[0, 1], [2, 0]], [[2, 0], [2, 0]]]),
    ((4,), [[0], [2]]),
    ((3, 2, 2), [[1, 0, 1]]),
    ((4, 3), np.zeros([0, 1])),
    ((5,), [[1]] * 20 + [[0]]),
)


def _types(kind: str, nd: bool, resource: bool) -> tuple[str, ...]:
    if kind == "Update":
        return EVERY
    if kind in ("Min", "Max"):
        return (*FLOATS, *INTEGERS) if nd or resource else (*FLOATS, "int32", "int64")
    return NUMBERS


def _scatter(v: Inputs, op: str, variable: Any, indices: Any, updates: Any, **attrs: Any) -> Any:
    """Changes a variable, and gives its value after that."""
    make = getattr(v.tf.raw_ops, op)
    if not op.startswith("Resource"):
        reference = variable.op.outputs[0]
        return make(ref=reference, indices=indices, updates=updates, **attrs)
    key = "ref" if "Nd" in op else "resource"
    with v.tf.control_dependencies(
        [make(**{key: variable.handle}, indices=indices, updates=updates, **attrs)]
    ):
        return variable.read_value()


def _values(op: str) -> Build:
    nd, resource = "Nd" in op, op.startswith("Resource")

    def values(tf: Any, v: Inputs) -> Iterator[Step]:
        safe = op.endswith(("Div", "Mul")) and v.name not in COMPLEX
        make = v.positive if safe else v.any
        trials = SLICES if nd else ROWS
        # Shapes and types do not meet in the kernels: not all of both are tried together.
        full = v.name == "float32"
        fetches = []
        for shape, listed in trials if full else trials[:2]:
            for index_type in (np.int64, np.int32) if full and not fetches else (np.int32,):
                places = np.asarray(listed, index_type)
                variable = v.variable(v.any(*shape), resource)
                outer, depth = (places.shape[:-1], places.shape[-1]) if nd else (places.shape, 1)
                updates = [make(*outer, *shape[depth:])]
                if not nd:
                    updates.append(make())
                for update in updates:
                    given = v.constant(places, index_type), v.constant(update)
                    fetches.append(_scatter(v, op, variable, *given))
        yield v.initializers()
        # Two changes of one variable do not run in one step, in which either may come first.
        for part in range(1 if nd else 2):
            yield run(*fetches[part :: 1 if nd else 2])
        yield run(*(variable for variable, _ in v.variables))

    return values


def _checked(op: str) -> Build:
    nd, resource = "Nd" in op, op.startswith("Resource")

    def checked(tf: Any, v: Inputs) -> Iterator[Step]:
        """What building infers and refuses, and what only the step can refuse."""
        indices = v.fed([[3, 0], [1, 1]], np.int32)
        updates = v.fed(v.any(2) if nd else v.any(2, 2, 3))
        make = getattr(tf.raw_ops, op)
        if not resource:
            cells = [tf.raw_ops.VariableV2(shape=s, dtype=v.element) for s in ([4, None], None)]
            yield infers(*(make(ref=cell, indices=indices, updates=updates) for cell in cells))
        variable = v.variable(v.any(4, 3), resource)
        scattered = _scatter(v, op, variable, indices, updates)
        yield v.initializers()
        yield run(scattered)
        fits, narrow = [[0], [1]] if nd else [0, 1], v.any(2, 2)
        yield refused(
            "ValueError",
            "must be equal, but are [23] and [23]|must have compatible shapes|Dimensions",
            lambda: _scatter(v, op, variable, v.constant(fits, np.int32), v.constant(narrow)),
        )
        if not resource and op.endswith(("Min", "Max", "rUpdate")):
            text = "No gradient defined for operation"
            yield slopes_refused(tf, "LookupError", text, [scattered], [updates])
        places = v.hidden([[0], [4], [-1]] if nd else [0, 4, -1], np.int32)
        beyond = _scatter(v, op, variable, places, v.hidden(v.any(3, 3)))
        yield fails("InvalidArgumentError", "does not index into|is not in", beyond)
        # TensorFlow takes rows of any shape where it changes them behind a handle.
        if nd or not resource:
            wrong = _scatter(v, op, variable, v.hidden(fits, np.int32), v.hidden(narrow))
            yield fails("InvalidArgumentError", "shape|match", wrong)
        error = "NotFoundError" if resource else "FailedPreconditionError"
        yield fails(error, "does not exist|uninitialized|not find", scattered, session="new")

    return checked


def _of_bools(tf: Any, v: Inputs) -> Iterator[Step]:
    """Adding is "or", subtracting is "and not"; TensorFlow has them behind handles only."""
    fetches = []
    for op in ("ResourceScatterNdAdd", "ResourceScatterNdSub"):
        variable = v.variable([True, True, False, False], resource=True)
        places = v.constant([[0], [1], [2], [3]], np.int32)
        fetches.append(_scatter(v, op, variable, places, v.constant([True, False, True, False])))
    yield v.initializers()
    yield run(*fetches)


def _bad_indices(tf: Any, v: Inputs) -> Iterator[Step]:
    """What becomes of indices that there are not is an attr."""
    fetches = [
        _scatter(
            v,
            f"{kind}ScatterNd{verb}",
            v.variable([1, 2, 3], bool(kind)),
            v.constant([[0], [7], [2], [-1]], np.int32),
            v.constant([1, 1, 1, 1]),
            bad_indices_policy=policy,
        )
        for kind in ("", "Resource")
        for verb in ("Add", "Update")
        for policy in ("", "DEFAULT", "ERROR", "IGNORE")
    ]
    yield v.initializers()
    yield run(*fetches[3::4])
    for policy in range(3):
        for fetch in fetches[policy::4]:
            yield fails("InvalidArgumentError", "does not index into", fetch)


def _of_scalars(tf: Any, v: Inputs) -> Iterator[Step]:
    """A scalar has no slices to change."""
    fetches = [
        _scatter(
            v,
            f"{kind}ScatterNdUpdate",
            v.variable(1, bool(kind)),
            v.constant([[0]], np.int32),
            v.constant([2]),
        )
        for kind in ("", "Resource")
    ]
    yield v.initializers()
    for fetch in fetches:
        yield fails("InvalidArgumentError", r"Output must be at least 1-D, got shape: \[\]", fetch)


def _programs() -> Iterator[Program]:
    for resource in (False, True):
        for nd in (False, True):
            for kind in ND_KINDS if nd else KINDS:
                op = f"{'Resource' * resource}Scatter{'Nd' * nd}{kind}"
                yield Program(op, _values(op), _types(kind, nd, resource), rtol=TIGHT, atol=TIGHT)
                yield Program(op, _checked(op), ("float32",))


PROGRAMS = [
    *_programs(),
    Program("ResourceScatterNdAdd ResourceScatterNdSub", _of_bools, ("bool",)),
    Program("ScatterNdAdd ResourceScatterNdAdd", _bad_indices, ("float32",)),
    Program("ScatterNdUpdate ResourceScatterNdUpdate", _of_scalars, ("float32",)),
]
