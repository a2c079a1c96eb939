"""Rows for variables behind handles, and the ops that change and read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, INTEGERS, NUMBERS
from tests.ops.program import TIGHT, Inputs, Program, Step, fails, refused, run, slopes

EVERY = (*NUMBERS, "bool", "string")
SHAPES = ((2, 3), (), (0, 3))


def _assigned(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    handles = [v.handle(shape) for shape in SHAPES]
    held = [raw.VarIsInitializedOp(resource=handle) for handle in handles]
    reads = [raw.ReadVariableOp(resource=handle, dtype=v.element) for handle in handles]
    first, second = (
        [
            raw.AssignVariableOp(resource=handle, value=v.constant(v.any(*shape)))
            for handle, shape in zip(handles, SHAPES, strict=True)
        ]
        for _ in range(2)
    )
    shapes = [
        raw.VariableShape(input=handle, out_type=out_type)
        for handle in handles
        for out_type in (tf.int32, tf.int64)
    ]
    yield run(*held)
    yield fails("FailedPreconditionError", "Could not find variable", reads[0])
    yield fails("NotFoundError", "does not exist", shapes[0])
    yield run(*first)
    yield run(*held, *reads, *shapes)
    yield run(*second)
    yield run(*reads)
    # Each session of this process has variables of its own.
    yield run(*held, session="another")


def _changed(tf: Any, v: Inputs) -> Iterator[Step]:
    """Adds and subtracts, up to where integers wrap around."""
    starts = [v.any(*shape) for shape in SHAPES]
    if v.name in INTEGERS:
        limits = np.iinfo(v.dtype)
        starts += [v.array([limits.max] * 2), v.array(limits.min)]
    cells = [v.variable(start, resource=True) for start in starts]
    changes = [
        getattr(tf.raw_ops, op)(resource=cell.handle, value=v.constant(v.any(*start.shape)))
        for cell, start in zip(cells, starts, strict=True)
        for op in ("AssignAddVariableOp", "AssignSubVariableOp")
    ]
    yield v.initializers()
    for part in (changes[::2], changes[1::2], changes[::2]):
        yield run(*part)
        yield run(*cells)


def _misfits(tf: Any, v: Inputs) -> Iterator[Step]:
    """Values that do not fit, where building knows it and where it does not."""
    cell = v.variable(v.any(2, 3), resource=True)
    wrong = v.any(3, 2)
    yield v.initializers()
    for op in ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"):
        change = getattr(tf.raw_ops, op)
        yield refused(
            "ValueError",
            "Dimension 0 in both shapes must be equal, but are 2 and 3",
            lambda change=change: change(resource=cell.handle, value=v.constant(wrong)),
        )
        yield refused(
            "ValueError",
            "with wrong dtype. Expected (float|int32) got (float|int32)",
            lambda change=change: change(resource=cell.handle, value=v.constant(1, np.int32)),
        )
    for op in ("AssignAddVariableOp", "AssignSubVariableOp"):
        change = getattr(tf.raw_ops, op)(resource=cell.handle, value=v.hidden(wrong))
        yield fails("InvalidArgumentError", "shape", change)
    yield run(cell)


def _static(tf: Any, v: Inputs) -> Iterator[Step]:
    """What building infers from handles whose shapes it knows in part."""
    raw, dtype = tf.raw_ops, v.element
    handles = [v.handle(s) for s in ([2, None], [None, 3], None)]
    assigned = [raw.AssignVariableOp(resource=h, value=v.fed(v.any(2, 3))) for h in handles]
    yield run(*assigned)
    yield run(
        *(raw.ReadVariableOp(resource=handle, dtype=dtype) for handle in handles),
        *(raw.VariableShape(input=handle) for handle in handles),
        *(raw.VarIsInitializedOp(resource=handle) for handle in handles),
    )


def _by_name(tf: Any, v: Inputs) -> Iterator[Step]:
    """Handles of one name in one container are for one variable."""
    raw = tf.raw_ops
    handles = [
        raw.VarHandleOp(shape=[2], dtype=v.element, shared_name=f"r{v.name}", container=container)
        for container in ("", "", "other")
    ]
    reads = [raw.ReadVariableOp(resource=handle, dtype=v.element) for handle in handles]
    yield run(raw.AssignVariableOp(resource=handles[0], value=v.constant(v.any(2))))
    yield run(reads[1])
    yield fails("FailedPreconditionError", "Could not find variable", reads[2])
    yield run(raw.AssignVariableOp(resource=handles[2], value=v.constant(v.any(2))))
    yield run(*reads)


def _counted(tf: Any, v: Inputs) -> Iterator[Step]:
    counter = v.variable(0, resource=True)
    up = tf.raw_ops.ResourceCountUpTo(resource=counter.handle, limit=2, T=v.element)
    yield v.initializers()
    yield run(up)
    yield run(up)
    yield fails("OutOfRangeError", "Reached limit of 2", up)
    yield run(counter)
    vector = v.handle([2])
    yield refused(
        "ValueError",
        "Shape must be rank 0 but is rank 1",
        lambda: tf.raw_ops.ResourceCountUpTo(resource=vector, limit=2, T=v.element),
    )


def _destroyed(tf: Any, v: Inputs) -> Iterator[Step]:
    cell = v.variable(v.any(2), resource=True)
    destroy, lenient = (
        tf.raw_ops.DestroyResourceOp(resource=cell.handle, ignore_lookup_error=ignore)
        for ignore in (False, True)
    )
    held, read = tf.raw_ops.VarIsInitializedOp(resource=cell.handle), cell.read_value()
    yield run(lenient)
    yield fails("NotFoundError", "does not exist", destroy)
    yield v.initializers()
    yield run(held, read)
    yield run(destroy)
    yield run(held)
    yield fails("FailedPreconditionError", "Could not find variable", read)
    yield v.initializers()
    yield run(held, read)


def _shared_reads(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.variable(v.any(2, 3), resource=True)
    share = tf.raw_ops.DisableCopyOnRead(resource=x.handle)
    yield fails("FailedPreconditionError", "Could not find variable", share)
    yield v.initializers()
    yield run(share)
    yield run(tf.raw_ops.ReadVariableOp(resource=x.handle, dtype=v.element))


def _read_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.variable(v.any(2, 3), resource=True)
    read = tf.raw_ops.ReadVariableOp(resource=x.handle, dtype=v.element)
    yield v.initializers()
    yield slopes(tf, [read * read], [x])


_ROWS = (
    ((4, 3), [3, 0, 1], 0),
    ((4, 3), [1, 1, 1, 2], 0),
    ((3, 2, 2), [[0, 2], [2, 2]], 0),
    ((4, 3), 2, 0),
    ((4,), [0, 2], 0),
    ((4, 0), [1, 2], 0),
    ((4, 3), np.zeros([0]), 0),
    ((3, 2), [[1], [0], [1]], 1),
    ((2, 3, 2), [[2, 0], [1, 1]], 1),
    ((2, 3), [2, 0], 1),
    ((2, 2, 4, 3), [[[3], [0]], [[1], [2]]], 2),
)
_SLICES = (
    ((4,), [[0], [2]]),
    ((4, 3), [[3], [0], [1]]),
    ((4, 3), [[1, 2], [1, 2], [0, 0]]),
    ((3, 2, 2), [[[0, 1], [2, 0]], [[2, 0], [2, 0]]]),
    ((3, 2, 2), [[1, 0, 1]]),
    ((4, 3), np.zeros([0, 1])),
    ((2, 2), np.zeros([3, 0])),
)


def _gathered(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, fetches = tf.raw_ops, []
    # Shapes and types do not meet in the kernels: not all of both are tried together.
    count = len(_ROWS) if v.name == "float32" else 2
    for shape, rows, batch_dims in _ROWS[:count]:
        handle = v.variable(v.any(*shape), resource=True).handle
        indices = v.constant(rows, np.int64 if batch_dims else np.int32)
        options = {"batch_dims": batch_dims, "dtype": v.element}
        fetches.append(raw.ResourceGather(resource=handle, indices=indices, **options))
    for shape, places in _SLICES[:count]:
        handle = v.variable(v.any(*shape), resource=True).handle
        indices = v.constant(places, np.int64 if len(shape) == 3 else np.int32)
        fetches.append(raw.ResourceGatherNd(resource=handle, indices=indices, dtype=v.element))
    yield fails("NotFoundError", "does not exist", fetches[0])
    yield v.initializers()
    yield run(*fetches)


def _gather_static(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, dtype = tf.raw_ops, v.element
    value = v.any(4, 3, 2)
    handles = [v.handle(s) for s in ([4, None, 2], [None, 3, None], None)]
    yield run(*(raw.AssignVariableOp(resource=h, value=v.constant(value)) for h in handles))
    rows, places = v.fed([[1, 2, 2], [0, 3, 0]], np.int32), v.fed([[1, 2], [3, 0]], np.int64)
    batched = v.fed([[1, 2], [2, 0], [1, 1], [0, 0]], np.int32)
    yield run(
        *(raw.ResourceGather(resource=h, indices=rows, dtype=dtype) for h in handles),
        *(raw.ResourceGatherNd(resource=h, indices=places, dtype=dtype) for h in handles),
        *(
            raw.ResourceGather(resource=h, indices=batched, batch_dims=1, dtype=dtype)
            for h in handles[:2]
        ),
    )


def _gather_misfits(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, dtype = tf.raw_ops, v.element
    handle = v.variable(v.any(4, 3), resource=True).handle
    yield v.initializers()
    yield refused(
        "ValueError",
        "batch_dims",
        lambda: raw.ResourceGather(resource=handle, indices=[[0]], batch_dims=-1, dtype=dtype),
    )
    rows = raw.ResourceGather(resource=handle, indices=v.constant([0, 4], np.int32), dtype=dtype)
    places = raw.ResourceGatherNd(
        resource=handle, indices=v.constant([[0, 0], [1, 3]], np.int32), dtype=dtype
    )
    yield fails("InvalidArgumentError", r"indices\[1\] = 4 is not in \[0, 4\)", rows)
    yield fails("InvalidArgumentError", r"indices\[1\] = \[1, ?3\] does not index into", places)
    deep = raw.ResourceGatherNd(
        resource=handle, indices=v.hidden([[0, 0, 0]], np.int32), dtype=dtype
    )
    yield fails(
        "InvalidArgumentError", "index innermost dimension length must be <= params rank", deep
    )


def _gather_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    # TensorFlow's gradient with respect to a batch of gathered rows does not have their shape.
    x, z = (v.variable(v.any(*s), resource=True) for s in ((4, 3), (3, 2, 2)))
    rows = raw.ResourceGather(
        resource=x.handle, indices=v.constant([[1, 1], [2, 0]], np.int32), dtype=v.element
    )
    places = raw.ResourceGatherNd(
        resource=z.handle, indices=v.constant([[1, 0], [2, 1], [1, 0]], np.int32), dtype=v.element
    )
    yield v.initializers()
    yield slopes(tf, [rows, places], [x, z])


PROGRAMS = [
    Program(
        "VarHandleOp AssignVariableOp ReadVariableOp VarIsInitializedOp VariableShape",
        _assigned,
        EVERY,
    ),
    Program("AssignAddVariableOp AssignSubVariableOp", _changed, NUMBERS, rtol=TIGHT, atol=TIGHT),
    Program("AssignVariableOp AssignAddVariableOp AssignSubVariableOp", _misfits, ("float32",)),
    Program("VarHandleOp ReadVariableOp VariableShape", _static, ("float32",)),
    Program("VarHandleOp", _by_name, ("float32", "string")),
    Program("ResourceCountUpTo", _counted, ("int32", "int64")),
    Program("DestroyResourceOp", _destroyed, ("float32",)),
    Program("DisableCopyOnRead", _shared_reads, ("float32",)),
    Program("ReadVariableOp", _read_slopes, FLOAT32_64, gradients=True),
    Program("ResourceGather ResourceGatherNd", _gathered, EVERY),
    Program("ResourceGather ResourceGatherNd", _gather_static, ("float32",)),
    Program("ResourceGather ResourceGatherNd", _gather_misfits, ("float32",)),
    Program("ResourceGather ResourceGatherNd", _gather_slopes, FLOAT32_64, gradients=True),
]
