"""Rows for the nodes that the executor makes: what is fed and fetched, and what goes from one
device to another. No graph has them; these programs do not run without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.case import NUMBERS
from tests.ops.program import Inputs, Program, Step, run

EVERY = (*NUMBERS, "bool", "string")


def _fed_and_fetched(tf: Any, v: Inputs) -> Iterator[Step]:
    x, y = tf.placeholder(v.element), v.constant(v.any(2))
    first, second = tf.identity(x), tf.identity(y)
    # What is fed may be fetched, twice, and need not be a placeholder.
    yield run(first, x, x, second, feeds={x: v.any(2, 3)})
    yield run(first, second, y, feeds={x: v.any(), y: v.any(2)})
    yield run(first, second, feeds={first: v.any(1), second: v.any(2)})


def _sent(tf: Any, v: Inputs) -> Iterator[Step]:
    """Shapes are in the memory of the host, whatever the device; sizes are known or not."""
    which = tf.placeholder(tf.bool, [])
    with tf.device("/cpu:0"):
        x, small = v.fed(v.any(2, 3)), v.constant(v.any())
        no, yes = tf.raw_ops.Switch(data=x, pred=which)
    with tf.device("/cpu:1"):
        there = [tf.identity(x), tf.identity(small), tf.shape(x)]
        chosen = tf.raw_ops.Merge(inputs=[tf.identity(no), tf.reshape(yes, [-1])])
    with tf.device("/cpu:0"):
        back = [tf.identity(each) for each in there]
        sizes = tf.reshape(there[0], there[2])
    with tf.device("/cpu:1"), tf.control_dependencies(back):
        after = tf.identity(small)
    for value in (True, False):
        yield run(*there, *back, *chosen, sizes, after, feeds={which: value})


PROGRAMS = [
    Program("_Arg _Retval", _fed_and_fetched, EVERY),
    Program("_Send _Recv _HostSend _HostRecv", _sent, EVERY, cpus=2),
]
