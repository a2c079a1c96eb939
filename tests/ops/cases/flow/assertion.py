"""Rows for Assert."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.program import Inputs, Program, Step, fails, refused, run


def _checked(tf: Any, v: Inputs) -> Iterator[Step]:
    holds = tf.placeholder(tf.bool, [])
    check = tf.raw_ops.Assert(condition=holds, data=["x is", v.fed([1, 2, 3, 4])], summarize=2)
    with tf.control_dependencies([check]):
        after = v.constant(1) + v.constant(2)
    yield run(check, after, feeds={holds: True})
    for fetch in (check, after):
        text = r"assertion failed: \[x is\] \[1 2\.\.\.\]"
        yield fails("InvalidArgumentError", text, fetch, feeds={holds: False})
    vector = tf.raw_ops.Assert(condition=v.hidden([True, False], bool), data=[1])
    yield fails("InvalidArgumentError", r"In\[0\] should be a scalar: \[2\]", vector)
    yield refused(
        "ValueError",
        "passed list of length 0 less than minimum 1",
        lambda: tf.raw_ops.Assert(condition=True, data=[]),
    )


PROGRAMS = [Program("Assert", _checked, ("int32",))]
