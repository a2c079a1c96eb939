"""Rows for the update ops of optimizers: the rules are in tests/ops/updates.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.case import COMPLEX, FLOAT32_64, FLOATS
from tests.ops.program import TIGHT, Build, Inputs, Program, Step, fails, infers, refused, run
from tests.ops.updates import UPDATES, Update, apply, op_type

STEPS = 4
WIDE = {name: TIGHT[name] for name in ("float64", "complex128")}
DENSE = (((3, 2), None), ((), None), ((0, 3), None), ((40,), None))
# Rows that come several times, in a matrix and in a vector; no row at all.
SPARSE = (((3, 2), [2, 0, 2, 2]), ((3,), [1, 1, 0]), ((2, 2, 2), []))


def _types(update: Update, sparse: bool) -> tuple[str, ...]:
    """The element types of TensorFlow's kernels."""
    if update.rule in ("ProximalGradientDescent", "ProximalAdagrad", "AdagradDA"):
        return FLOAT32_64
    if update.rule == "AdaMax":
        return (*FLOAT32_64, "float16")
    if update.rule in ("AddSign", "PowerSign", "Ftrl", "FtrlV2", "AdamWithAmsgrad"):
        return FLOATS
    if sparse and update.rule.endswith("RMSProp"):
        return (*FLOAT32_64, "float16", *COMPLEX)
    return (*FLOATS, *COMPLEX)


def _kinds(update: Update) -> tuple[bool, ...]:
    """Whether variables are behind handles."""
    return (True,) if update.resource_only else (False, True)


def _values(update: Update, sparse: bool) -> Build:
    def values(tf: Any, v: Inputs) -> Iterator[Step]:
        cases = SPARSE if sparse else DENSE
        ops, feeds = [], [{} for _ in range(STEPS)]
        for resource in _kinds(update):
            # Shapes and types do not meet in the kernels: not all of both are tried together.
            for shape, rows in cases if v.name == "float32" else cases[:1]:
                made = [v.variable(v.positive(*shape), resource) for _ in update.variables]
                given = shape if rows is None else (len(rows), *shape[1:])
                gradient = tf.placeholder(v.element, given)
                indices = None if rows is None else tf.constant(rows, dtype=tf.int64)
                ops.append(apply(tf, update, made, gradient, indices))
                for feed in feeds:
                    feed[gradient] = v.any(*given)
        yield v.initializers()
        for feed in feeds:
            yield run(*ops, feeds=feed)
        yield run(*(variable for variable, _ in v.variables))

    return values


def _checked(update: Update, sparse: bool) -> Build:
    def checked(tf: Any, v: Inputs) -> Iterator[Step]:
        """What building infers and refuses; variables without values."""
        indices = v.fed([2, 0], "int32") if sparse else None
        gradient = v.fed(v.any(2, 2) if sparse else v.any(3, 2))
        for resource in _kinds(update):
            made = [v.variable(v.positive(3, 2), resource) for _ in update.variables]
            op = apply(tf, update, made, gradient, indices)
            yield infers(*op.outputs)
            yield v.initializers()
            yield run(op)
            yield run(*made)
            error = "InternalError" if resource else "FailedPreconditionError"
            yield fails(error, "uninitialized value|Invalid variable reference", op, session="new")
            # Behind handles TensorFlow does not look at the gradient's shape.
            if not resource:
                wide = v.constant(v.any(2, 3) if sparse else v.any(3, 3))
                yield refused(
                    "ValueError",
                    "must be equal, but are [23] and [23]",
                    lambda m=made, g=wide: apply(tf, update, m, g, indices),
                )

    return checked


def _programs(sparse: bool) -> Iterator[Program]:
    checked = set()
    for update in UPDATES:
        if update.is_sparse or not sparse:
            ops = " ".join(op_type(update, sparse, resource) for resource in _kinds(update))
            types = _types(update, sparse)
            options = {"rtol": WIDE, "atol": WIDE, "label": update.id}
            yield Program(ops, _values(update, sparse), types, **options)
            if ops not in checked:
                yield Program(ops, _checked(update, sparse), ("float32",))
                checked.add(ops)


PROGRAMS = list(_programs(sparse=False))
SPARSE_PROGRAMS = list(_programs(sparse=True))
