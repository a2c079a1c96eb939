"""Rows for collectives, of groups of one; tests/session/test_collectives.py has several devices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.program import Inputs, Program, Step, infers, run

_TYPES = ("float32", "float64", "float16", "int32", "int64")


def _alone(tf: Any, v: Inputs) -> Iterator[Step]:
    """A member that is alone has its own value."""
    raw, group = tf.raw_ops, {"group_size": 1, "instance_key": 1}
    key = 10 * tf.as_dtype(v.dtype).as_datatype_enum
    given = v.fed([[3, -4], [5, 7]])
    reduced = [
        raw.CollectiveReduce(
            input=given,
            merge_op=merge,
            final_op=final,
            subdiv_offsets=[0],
            **group | {"group_key": key, "instance_key": number},
        )
        for number, (merge, final) in enumerate((("Add", "Id"), ("Mul", "Div"), ("Max", "Div")))
    ]
    gathered = raw.CollectiveGather(input=given, shape=[0], group_key=key + 2, **group)
    sent = raw.CollectiveBcastSend(input=given, shape=[2, 2], group_key=key + 3, **group)
    received = raw.CollectiveBcastRecv(T=v.dtype, shape=[2, 2], group_key=key + 4, **group)
    yield infers(*reduced, gathered, sent, received)
    yield run(*reduced, gathered, sent)


PROGRAMS = [
    Program(
        "CollectiveReduce CollectiveGather CollectiveBcastSend CollectiveBcastRecv", _alone, _TYPES
    )
]
