"""Rows for what is fed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.ops.case import FLOAT32_64, NUMBERS
from tests.ops.nodes import imported, old_nodes
from tests.ops.program import Inputs, Program, Step, fails, infers, refused, run, slopes

EVERY = (*NUMBERS, "bool", "string")
SHAPES = ([2, 3], [None, 3], [None, None], None)


def _fed(tf: Any, v: Inputs) -> Iterator[Step]:
    value = v.any(2, 3)
    for shape in SHAPES:
        x = tf.raw_ops.Placeholder(dtype=v.element, shape=shape)
        yield run(x, feeds={x: value})
        yield run(x, feeds={x: v.any(2, 3)})
        unfed = r"You must feed a value for placeholder tensor '.*Placeholder(_\d)?' with dtype"
        yield fails("InvalidArgumentError", unfed, x)
        if shape:
            yield fails("ValueError", "Cannot feed value of shape", x, feeds={x: v.any(2)})


def _old(tf: Any, v: Inputs) -> Iterator[Step]:
    nodes = old_nodes(producer=22)
    kind = dtypes.as_dtype(v.name)
    nodes.add("PlaceholderV2", "x", dtype=kind, shape=TensorShape([2, None]))
    nodes.add("PlaceholderV2", "any", dtype=kind, shape=TensorShape(None))
    made = imported(tf, nodes)
    x, anything = made["x"].outputs[0], made["any"].outputs[0]
    yield infers(x, anything)
    yield run(x, anything, feeds={x: v.any(2, 3), anything: v.any()})
    yield fails("InvalidArgumentError", "You must feed a value for placeholder tensor", x)


def _default(tf: Any, v: Inputs) -> Iterator[Step]:
    value = v.any(2, 3)
    for shape in SHAPES:
        x = tf.raw_ops.PlaceholderWithDefault(input=v.fed(value), shape=shape)
        yield run(x)
        yield run(x, feeds={x: v.any(2, 3)})
    yield refused(
        "ValueError",
        "Dimension 0 in both shapes must be equal, but are 2 and 4",
        lambda: tf.raw_ops.PlaceholderWithDefault(input=v.constant(value), shape=[4, 3]),
    )


def _default_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.fed(v.any(2, 3))
    yield slopes(tf, [tf.raw_ops.PlaceholderWithDefault(input=x * x, shape=[None, 3])], [x])


PROGRAMS = [
    Program("Placeholder", _fed, EVERY),
    Program("PlaceholderV2", _old, ("float32", "string")),
    Program("PlaceholderWithDefault", _default, EVERY),
    Program("PlaceholderWithDefault", _default_slopes, FLOAT32_64, gradients=True),
]
