"""Rows for barriers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import dataflow
from dataflow.porting.spellings.ops import data_flow
from tests.ops.case import NUMBERS
from tests.ops.program import Inputs, Program, Step, fails, infers, refused_alike, run

OPS = (
    "Barrier BarrierInsertMany BarrierTakeMany BarrierClose BarrierReadySize BarrierIncompleteSize"
)
ENDS = "Barrier BarrierInsertMany BarrierTakeMany BarrierClose"
REFUSED, CLOSED = "InvalidArgumentError", "CancelledError"


def _make(tf: Any, *arguments: Any, **options: Any) -> Any:
    if tf is dataflow:
        return data_flow.Barrier(*arguments, **options)
    from tensorflow.python.ops.data_flow_ops import Barrier

    return Barrier(*arguments, **options)


def _values(tf: Any, v: Inputs) -> Iterator[Step]:
    """Keys leave in the order in which they came, whichever component comes last."""
    held = _make(tf, (v.element, tf.int32), ((2,), ()))
    sizes = held.ready_size(), held.incomplete_size()
    one, some = held.take_many(1), held.take_many(v.known(5, np.int32))
    yield infers(held.barrier_ref, *sizes, one.indices, one.keys, *one.values)
    yield infers(some.indices, *some.values, *held.take_many(2, allow_small_batch=True).values)
    for place, keys in ((0, "abc"), (1, "cx"), (0, "ydx"), (1, "dba"), (1, "y"), (0, "")):
        value = v.any(len(keys), 2) if not place else np.arange(len(keys), dtype=np.int32)
        yield run(held.insert_many(place, list(keys) or v.known([], object), v.known(value)))
        yield run(*sizes)
    yield run(one.indices, one.keys, *one.values)
    yield run(some.indices, some.keys, *some.values)
    none = held.take_many(0)
    yield run(none.indices, none.keys, *none.values)


def _ends(tf: Any, v: Inputs) -> Iterator[Step]:
    """A closed barrier takes what completes, and gives what it has."""
    held = _make(tf, (tf.string, tf.int32), ((), ()), shared_name="rows_barrier")
    brings = held.insert_many(0, v.known([b"n"], object), v.known([b"x"], object))
    five, few = held.take_many(5), held.take_many(5, allow_small_batch=True)
    one = held.take_many(1)
    yield run(held.insert_many(0, ["a", "b", "c"], ["x", "y", "z"]))
    yield run(held.insert_many(1, ["b"], [1]))
    yield run(held.close())
    yield fails(CLOSED, "is already closed", held.close())
    yield fails(CLOSED, "brand new key: n.  Pending .* 0.  Insertion index: 0.  Number", brings)
    yield run(held.insert_many(1, ["a"], [2]))
    yield fails("OutOfRangeError", r"insufficient elements \(requested 5, total size 3", five.keys)
    yield run(few.keys, *few.values)
    yield fails("OutOfRangeError", r"\(requested 0, total size 0\)", few.keys)
    yield run(held.insert_many(1, ["c"], [3]))
    yield run(one.indices, one.keys, *one.values)
    yield fails("OutOfRangeError", r"\(requested 1, total size 0\)", one.keys)
    yield fails(CLOSED, "cancelled: 0.  Number of new insertions: 1.  Number of incom", brings)
    yield run(held.close(cancel_pending_enqueues=True))
    yield fails(CLOSED, "is already closed", held.close(cancel_pending_enqueues=True))
    yield fails(CLOSED, "Pending enqueues cancelled: 1", brings)


def _drops(tf: Any, v: Inputs) -> Iterator[Step]:
    """What is not complete is gone, what is can be taken."""
    held = _make(tf, (tf.string, tf.int32), ((), ()))
    completes, one = held.insert_many(1, ["a"], [1]), held.take_many(1)
    yield run(held.insert_many(0, ["a", "b"], ["x", "y"]))
    yield run(held.insert_many(1, ["b"], [1]))
    yield run(held.close(cancel_pending_enqueues=True))
    yield run(held.ready_size(), held.incomplete_size())
    yield fails(CLOSED, "Number of incomplete keys: 0", completes)
    yield run(one.indices, one.keys, *one.values)
    yield fails("OutOfRangeError", r"\(requested 1, total size 0\)", one.keys)


def _misused(tf: Any, v: Inputs) -> Iterator[Step]:
    held = _make(tf, (tf.string, tf.int32), ((), (2,)), shared_name="rows_misused")

    def insert(place: int, keys: Any, values: Any, kind: Any) -> Any:
        return held.insert_many(place, v.hidden(keys, object), v.hidden(values, kind))

    word = [b"a"]
    for made, text in (
        (insert(0, [b"r", b"r"], [b"x", b"y"], object), "Key r already has a value for compon"),
        (insert(1, [b"r"], [[1, 2, 3]], np.int32), r"component 3. Expected \[2\], got \[3\]"),
        (insert(1, word, np.zeros((1, 0)), np.int32), "Tensors with no elements are not"),
        (insert(5, word, word, object), r"out of range 5 > num_components \(= 2\)"),
        (insert(0, word, [3], np.int32), "Signature mismatch, have: string_ref, string, int32-> "),
        (held.take_many(v.hidden([1], np.int32)).keys, "num_elements must be a scalar."),
    ):
        yield fails(REFUSED, text, made)
    raw = tf.raw_ops
    for kind, text, options in (
        (tf.int32, "Barrier only accepts capacity=-1", {"capacity": 3, "shapes": [[]]}),
        (tf.int32, r"Shape \[\?\] is not fully defined", {"shapes": [[None]]}),
        (tf.int32, "All of the component shapes must be specified", {}),
        (tf.int32, "has component types", {"shared_name": "rows_misused", "shapes": [[]]}),
    ):
        handle = raw.Barrier(component_types=[kind], **options)
        yield fails(REFUSED, text, raw.BarrierReadySize(handle=handle))
    for build in (
        lambda: _make(tf, tf.int32, (0,)),
        lambda: _make(tf, tf.int32, (None,)),
        lambda: held.insert_many(0, "a", ["x"]),
        lambda: held.insert_many(0, ["a"], ["x", "y"]),
        lambda: raw.BarrierReadySize(handle=tf.constant("a")),
    ):
        yield refused_alike(build)


PROGRAMS = [
    Program(OPS.replace("BarrierClose ", ""), _values, (*NUMBERS, "bool", "string")),
    Program(ENDS, _ends, ("float32",)),
    Program(OPS, _drops, ("float32",)),
    Program("Barrier BarrierInsertMany BarrierReadySize", _misused, ("float32",)),
]
