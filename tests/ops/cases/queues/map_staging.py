"""Rows for staging areas with keys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import dataflow
from dataflow.porting.spellings.ops import data_flow
from tests.ops.case import NUMBERS
from tests.ops.program import Inputs, Program, Step, fails, infers, refused_alike, run

KINDS = "Stage Unstage UnstageNoKey Peek Size IncompleteSize Clear"
REFUSED = "InvalidArgumentError"


def _ops(ordered: bool, kinds: str = KINDS) -> str:
    prefix = "OrderedMap" if ordered else "Map"
    return " ".join(f"{prefix}{kind}" for kind in kinds.split())


def _area(tf: Any, *arguments: Any, **options: Any) -> Any:
    if tf is dataflow:
        return data_flow.MapStagingArea(*arguments, **options)
    from tensorflow.python.ops.data_flow_ops import MapStagingArea

    return MapStagingArea(*arguments, **options)


def _values(tf: Any, v: Inputs, ordered: bool) -> Iterator[Step]:
    """Tuples come and leave whole and in parts; what is looked at stays."""
    area = _area(
        tf,
        [v.element, tf.int32],
        [[2, None], []],
        names=["x", "y"],
        ordered=ordered,
        shared_name=f"rows_{v.name}_{ordered}",
    )
    high, low = v.known(9, np.int64), v.known(-4, np.int64)
    puts = [
        area.put(key, {"x": v.fed(v.any(2, 3)), "y": v.known(4, np.int32)}) for key in (high, low)
    ]
    sizes = area.size(), area.incomplete_size()
    seen, any_key = area.peek(high, ["y"]), area.get()
    parts = area.get(low, ["y"])[1], area.get(low, [0])[1]
    yield infers(seen["y"], any_key[0], any_key[1]["x"], any_key[1]["y"], *sizes)
    with tf.device("/cpu:0"):
        moved = [area.get(low)[1]["x"], area.get()[0], area.peek(low)["y"]]
    assert [tensor.device for tensor in moved] == ["/device:CPU:0"] * 3
    yield run(puts[0])
    yield run(puts[1])
    yield run(*sizes)
    yield run(seen["y"])
    if ordered:
        yield run(any_key[0], any_key[1]["x"], any_key[1]["y"])
        yield run(puts[1])
    yield run(parts[0]["y"])
    yield fails(REFUSED, "index '1' for key '-4' has already been removed", parts[0]["y"])
    yield run(*sizes)
    yield run(parts[1]["x"])
    yield run(*sizes)
    yield run(any_key[0], any_key[1]["x"], any_key[1]["y"])
    part, rest = (
        area.put(low, {"x": v.known(v.any(2, 1))}),
        area.put(low, {"y": v.known(5, np.int32)}),
    )
    yield run(part)
    yield run(*sizes)
    yield fails(REFUSED, "index '0' for key '-4' was already initialized '2'", part)
    yield run(rest)
    yield run(*sizes)
    yield run(area.get(low)[1]["x"])
    yield run(puts[0])
    yield run(part)
    yield run(area.clear())
    yield run(*sizes)


def _misused(tf: Any, v: Inputs, ordered: bool) -> Iterator[Step]:
    area = _area(tf, [tf.float32, tf.int32], ordered=ordered, memory_limit=64)
    named = _area(tf, [tf.float32], [[2]], names=["x"], ordered=ordered)
    key, two = v.known(1, np.int64), [v.known([1.0], np.float32), v.known(4, np.int32)]
    pair = v.hidden([1, 2], np.int64)
    yield fails(REFUSED, r"key must be an int64 scalar.*\[2\]", area.put(pair, two, [0, 1]))
    yield fails(REFUSED, r"key must be an int64 scalar: \[2\]", area.get(pair)[1][0])
    yield fails(REFUSED, "are not strictly ordered", area.put(key, two[:1] * 2, [0, 0]))
    large = area.put(key, [v.known(np.zeros(99, np.float32))], [0])
    yield fails("ResourceExhaustedError", "Attempted to insert tensors with combined size", large)
    for build in (
        lambda: area.put(key, two),
        lambda: area.put(key, two, [0]),
        lambda: area.put(key, [*two, two[0]], [0, 1, 2]),
        lambda: area.put(key, two[1:], [0]),
        lambda: area.put(key, {"x": two[0]}),
        lambda: area.get(key, []),
        lambda: area.get(key, 0),
        lambda: area.get(key, ["x"]),
        lambda: named.get(key, [0, "x"]),
        lambda: named.get(key, ["y"]),
        lambda: named.put(key, two[:1], [0]),
        lambda: named.put(key, {"y": two[0]}),
        lambda: named.put(key, {"x": two[0]}),
        lambda: _area(tf, [tf.float32], shared_name=3),
    ):
        yield refused_alike(build)


PROGRAMS = [
    *(
        Program(_ops(o), partial(_values, ordered=o), (*NUMBERS, "bool", "string"))
        for o in (False, True)
    ),
    *(
        Program(_ops(o, "Stage Unstage"), partial(_misused, ordered=o), ("float32",))
        for o in (False, True)
    ),
]
