"""Rows for the primitives of control flow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dataflow.values import dtypes
from tests.ops.case import FLOAT32_64, NUMBERS
from tests.ops.nodes import Nodes, imported
from tests.ops.program import Inputs, Program, Step, fails, infers, run, slopes

EVERY = (*NUMBERS, "bool", "string")


def _branched(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, which = tf.raw_ops, tf.placeholder(tf.bool, [])
    x, y = v.fed(v.any(2, 3)), v.fed(v.any(1, 3))
    no, yes = raw.Switch(data=x, pred=which)
    other, _ = raw.Switch(data=y, pred=which)
    same, mixed = raw.Merge(inputs=[no, yes]), raw.Merge(inputs=[yes, other])
    for value, dead in ((True, no), (False, yes)):
        feeds = {which: value}
        yield run(*same, *mixed, feeds=feeds)
        yield run(no if value is False else yes, feeds=feeds)
        yield fails("InvalidArgumentError", "does not have value", dead, feeds=feeds)


def _branch_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    for which in (True, False):
        x = v.fed(v.any(2))
        no, yes = raw.Switch(data=x, pred=v.fed(which, bool))
        yield slopes(tf, [raw.Merge(inputs=[no * no, -yes]).output], [x])


def _one_of_many(tf: Any, v: Inputs) -> Iterator[Step]:
    nodes, kind = Nodes(), dtypes.as_dtype(v.name)
    nodes.add("Placeholder", "index", dtype=dtypes.int32)
    nodes.add("Placeholder", "data", dtype=kind)
    nodes.add("_SwitchN", "switch", ["data", "index"], num_outs=3, T=kind)
    for output in range(3):
        nodes.const(f"n{output}", np.int32(output), [f"^pivot{output}"])
        nodes.add("Identity", f"pivot{output}", [f"switch:{output}"], T=kind)
    nodes.add("Merge", "merge", ["n0", "n1", "n2"], N=3, T=dtypes.int32)
    nodes.add("Merge", "values", [f"pivot{i}" for i in range(3)], N=3, T=kind)
    index = tf.placeholder(tf.int32, [])
    made = imported(tf, nodes, index=index, data=v.fed(v.any(2, 3)))
    yield infers(*made["switch"].outputs)
    for place in (0, 1, 2, 3, -1):
        yield run(*made["merge"].outputs, *made["values"].outputs, feeds={index: place})


def _looped(tf: Any, v: Inputs) -> Iterator[Step]:
    """A value of each type goes round, and another is the same in each iteration."""
    limit, constant = tf.placeholder(tf.int32, []), v.fed(v.any(2))
    start = v.fed(v.any(2))

    def body(i: Any, x: Any) -> Any:
        return i + 1, tf.where(tf.fill([2], tf.equal(i % 2, 0)), constant, x)

    ends = tf.while_loop(lambda i, x: i < limit, body, [tf.constant(0), start])
    for count in (0, 1, 3):
        yield run(*ends, feeds={limit: count})


def _loop_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x, w = v.known(v.any(2)), v.known(v.any(2))
    _, end = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w + x), [0, x])
    yield slopes(tf, [end], [x, w])


def _references(tf: Any, v: Inputs) -> Iterator[Step]:
    """References are passed on by the ops that have a form for them."""
    raw, which = tf.raw_ops, tf.placeholder(tf.bool, [])
    cells = [v.variable(v.any(2), resource=False).op.outputs[0] for _ in range(2)]
    no, yes = raw.RefSwitch(data=cells[0], pred=which)
    merged = raw.RefMerge(inputs=[raw.RefIdentity(input=no), yes])
    index = tf.placeholder(tf.int32, [])
    selected = raw.RefSelect(index=index, inputs=cells)
    changed = raw.Assign(ref=selected, value=v.constant(v.any(2)))
    yield v.initializers()
    yield infers(no, yes, *merged, selected)
    for value in (True, False):
        yield run(*merged, feeds={which: value})
    for place in (0, 1):
        yield run(selected, feeds={index: place})
        yield run(changed, feeds={index: place})
        yield run(*cells)
    for place in (-1, 2):
        yield fails(
            "InvalidArgumentError", "must be|out of range|not in", selected, feeds={index: place}
        )


def _reference_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x, w = v.fed(v.any(2)), v.variable(v.any(2), resource=False)
    which = v.fed(True, bool)
    no, yes = tf.raw_ops.RefSwitch(data=w.op.outputs[0], pred=which)
    merged = tf.raw_ops.RefMerge(inputs=[no, yes]).output
    yield v.initializers()
    yield slopes(tf, [merged * x], [x, w])


def _reference_loop(tf: Any, v: Inputs) -> Iterator[Step]:
    x, w = v.fed(v.any(2)), v.variable(v.any(2), resource=False)
    start = [tf.constant(0), w.op.outputs[0]]
    _, end = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y), start)
    _, summed = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, tf.assign_add(y, v.constant([1, 2]))), start
    )
    yield v.initializers()
    yield run(end)
    yield run(summed)
    yield run(w)
    yield v.initializers()
    yield slopes(tf, [end * x], [x, w])


def _triggered(tf: Any, v: Inputs) -> Iterator[Step]:
    """ControlTrigger runs also after what does not run; Abort there does not."""
    which = tf.placeholder(tf.bool, [])
    no, yes = tf.raw_ops.Switch(data=v.fed(v.any(2)), pred=which)
    with tf.control_dependencies([tf.identity(yes)]):
        trigger = tf.raw_ops.ControlTrigger()
    with tf.control_dependencies([trigger]):
        after = tf.identity(v.constant(3))
    with tf.control_dependencies([tf.identity(no)]):
        abort = tf.raw_ops.Abort(error_msg="not reached")
    yield run(after, trigger, abort, feeds={which: True})
    yield run(after, trigger, feeds={which: False})


PROGRAMS = [
    Program("Switch Merge", _branched, EVERY),
    Program("Switch Merge", _branch_slopes, FLOAT32_64, gradients=True),
    Program("_SwitchN", _one_of_many, ("float32", "string")),
    Program("Enter Exit NextIteration LoopCond", _looped, EVERY),
    Program("Enter Exit NextIteration Switch Merge", _loop_slopes, FLOAT32_64, gradients=True),
    Program("RefSwitch RefMerge RefIdentity RefSelect", _references, EVERY),
    Program("RefSwitch RefMerge", _reference_slopes, FLOAT32_64, gradients=True),
    Program(
        "RefEnter RefExit RefNextIteration RefSwitch RefMerge RefIdentity",
        _reference_loop,
        FLOAT32_64,
        gradients=True,
    ),
    Program("ControlTrigger Abort", _triggered, ("float32",)),
]
