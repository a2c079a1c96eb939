"""Rows for variables that are references, and the ops that change them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import INTEGERS, NUMBERS
from tests.ops.program import (
    TIGHT,
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
SHAPES = ((2, 3), (), (0, 3))


def _assigned(op: str) -> Any:
    def assigned(tf: Any, v: Inputs) -> Iterator[Step]:
        cells = [getattr(tf.raw_ops, op)(shape=shape, dtype=v.element) for shape in SHAPES]
        held = [tf.raw_ops.IsVariableInitialized(ref=cell) for cell in cells]
        first, second = (
            [
                tf.raw_ops.Assign(ref=c, value=v.constant(v.any(*s)))
                for c, s in zip(cells, SHAPES, strict=True)
            ]
            for _ in range(2)
        )
        # Of an empty one TensorFlow says that it is initialized before it is.
        yield run(*held[:2])
        yield fails("FailedPreconditionError", "uninitialized value", cells[0])
        yield run(*first)
        yield run(*held, *cells)
        yield run(*second)
        yield run(*cells)
        # Each session of this process has variables of its own.
        yield run(*held[:2], session="another")

    return assigned


def _changed(tf: Any, v: Inputs) -> Iterator[Step]:
    """Adds and subtracts, up to where integers wrap around."""
    starts = [v.any(*shape) for shape in SHAPES]
    if v.name in INTEGERS:
        limits = np.iinfo(v.dtype)
        starts += [v.array([limits.max] * 2), v.array(limits.min)]
    cells = [v.variable(start, resource=False) for start in starts]
    changes = [
        getattr(tf.raw_ops, op)(ref=_ref(cell), value=v.constant(v.any(*start.shape)))
        for cell, start in zip(cells, starts, strict=True)
        for op in ("AssignAdd", "AssignSub")
    ]
    yield v.initializers()
    for _ in range(2):
        yield run(*changes[::2])
        yield run(*changes[1::2])
    yield run(*cells)


def _ref(variable: Any) -> Any:
    return variable.op.outputs[0]


def _misfits(tf: Any, v: Inputs) -> Iterator[Step]:
    """Values that do not fit, where building knows it and where it does not."""
    cell = _ref(v.variable(v.any(2, 3), resource=False))
    wrong = v.any(3, 2)
    yield v.initializers()
    for op, text in (
        ("Assign", "Assign requires shapes of both tensors to match"),
        ("AssignAdd", "Parameters and update must be the same size"),
        ("AssignSub", "Parameters and update must be the same size"),
    ):
        change = getattr(tf.raw_ops, op)
        yield refused(
            "ValueError",
            "Dimension 0 in both shapes must be equal, but are 2 and 3",
            lambda change=change: change(ref=cell, value=v.constant(wrong)),
        )
        yield fails("InvalidArgumentError", text, change(ref=cell, value=v.hidden(wrong)))
    yield refused(
        "TypeError",
        "requires that input 'ref' be a mutable tensor",
        lambda: tf.raw_ops.Assign(ref=v.constant(wrong), value=v.constant(wrong)),
    )
    yield run(cell)


def _static(tf: Any, v: Inputs) -> Iterator[Step]:
    """What building infers from values and from declared shapes that it knows in part."""
    raw, dtype = tf.raw_ops, v.element
    partly = [raw.VariableV2(shape=s, dtype=dtype) for s in ([2, None], [None, 3], None)]
    value = v.fed(v.any(2, 3))
    assigned = [raw.Assign(ref=cell, value=value) for cell in partly]
    # Its shape stays what it was declared, or becomes the value's.
    lenient = raw.Assign(
        ref=raw.VariableV2(shape=[2], dtype=dtype), value=value, validate_shape=False
    )
    legacy = raw.Assign(ref=raw.Variable(shape=[2, 3], dtype=dtype), value=value)
    changed = [
        getattr(raw, op)(ref=cell, value=value)
        for cell in (*partly, lenient, legacy)
        for op in ("AssignAdd", "AssignSub")
    ]
    temporary = raw.TemporaryVariable(shape=[2, None], dtype=dtype)
    yield infers(*assigned, lenient, legacy, *changed, *partly, temporary)
    yield infers(*(raw.IsVariableInitialized(ref=cell) for cell in partly))
    yield run(lenient)
    yield run(legacy)
    yield run(changed[-1])


def _by_name(tf: Any, v: Inputs) -> Iterator[Step]:
    """Nodes of one name in one container stand for one variable."""
    raw = tf.raw_ops
    cells = [
        raw.VariableV2(shape=[2], dtype=v.element, shared_name=f"s{v.name}", container=container)
        for container in ("", "", "other")
    ]
    first, other = (raw.Assign(ref=cells[index], value=v.constant(v.any(2))) for index in (0, 2))
    yield run(first)
    yield run(cells[1], *(raw.IsVariableInitialized(ref=cell) for cell in cells))
    yield run(other)
    yield run(*cells)


def _counted(tf: Any, v: Inputs) -> Iterator[Step]:
    counter = v.variable(0, resource=False)
    up = tf.raw_ops.CountUpTo(ref=_ref(counter), limit=2)
    vector = tf.raw_ops.VariableV2(shape=None, dtype=v.element)
    yield fails("FailedPreconditionError", "uninitialized value", up)
    yield v.initializers()
    yield run(up)
    yield run(up)
    yield fails("OutOfRangeError", "Reached limit of 2", up)
    yield run(counter)
    yield refused(
        "ValueError",
        "Shape must be rank 0 but is rank 1",
        lambda: tf.raw_ops.CountUpTo(ref=_ref(v.variable([1, 2], resource=False)), limit=2),
    )
    up = tf.raw_ops.CountUpTo(ref=vector, limit=2)
    yield run(tf.raw_ops.Assign(ref=vector, value=v.constant([1, 2]), validate_shape=False))
    yield fails("InvalidArgumentError", "must be|scalar|rank|Expected", up)


def _temporary(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, name = tf.raw_ops, f"t_{v.name}"
    cell = raw.TemporaryVariable(shape=[2], dtype=v.element, var_name=name)
    held = raw.Assign(ref=cell, value=v.constant(v.any(2)))
    given = v.known(v.any(2))
    held = raw.AssignAdd(ref=held, value=given)
    end = raw.DestroyTemporaryVariable(ref=held, var_name=name)
    for _ in range(2):
        yield run(end)
    # Through integers nobody asks for gradients.
    if v.name == "float32":
        text = "No gradient defined for operation"
        yield slopes_refused(tf, "LookupError", text, [end], [given])
    wrong = raw.DestroyTemporaryVariable(ref=held, var_name="unknown")
    yield fails("NotFoundError", "unknown", wrong)


PROGRAMS = [
    Program("VariableV2 Assign IsVariableInitialized", _assigned("VariableV2"), EVERY),
    Program("Variable", _assigned("Variable"), EVERY),
    Program("AssignAdd AssignSub", _changed, NUMBERS, rtol=TIGHT, atol=TIGHT),
    Program("Assign AssignAdd AssignSub", _misfits, ("float32",)),
    Program("VariableV2 Variable Assign AssignAdd AssignSub", _static, ("float32",)),
    Program("VariableV2", _by_name, ("float32", "string")),
    Program("CountUpTo", _counted, ("int32", "int64")),
    Program("TemporaryVariable DestroyTemporaryVariable", _temporary, ("float32", "int32")),
]
