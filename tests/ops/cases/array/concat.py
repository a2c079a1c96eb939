"""Rows for ops that put tensors together and take them apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case
from tests.ops.program import Inputs, Program, Step, refused, run

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _scalar(value: int) -> np.ndarray:
    return np.array(value, np.int32)


def _parallel(tf: Any, v: Inputs) -> Iterator[Step]:
    """Building and the step must know all shapes, of which there is one."""
    raw = tf.raw_ops
    values = [v.known(v.any(1, 3)) for _ in range(3)]
    yield run(raw.ParallelConcat(values=values, shape=[3, 3]))
    yield run(raw.ParallelConcat(values=values[:1], shape=[1, 3]))
    for text, given, shape in (
        ("must be fully defined|fully-defined", values, [3, None]),
        ("must|equal|shape", [*values, v.known(v.any(1, 2))], [4, 3]),
    ):
        yield refused(
            "ValueError", text, lambda g=given, s=shape: raw.ParallelConcat(values=g, shape=s)
        )


PROGRAMS = [Program("ParallelConcat", _parallel, EVERY)]
CASES = [
    Case(
        "ConcatV2",
        lambda v: [[v.any(2, 3), v.any(1, 3), v.any(0, 3)], _scalar(0)],
        EVERY,
        static=(1,),
        gradients=(0, 1, 2),
        bad=(
            Bad(
                lambda v: [[v.any(2, 3), v.any(3, 3)], _scalar(1)],
                "Dimension 0 in both shapes must be equal, but are 2 and 3",
            ),
            Bad(
                lambda v: [[v.any(2, 3), v.any(3, 3)], _scalar(1)],
                r"Dimension 0 in both shapes must be equal: shape\[0\] = \[2,3\] vs. shape",
                when="run",
            ),
            Bad(lambda v: [[v.any(2, 3), v.any(3)], _scalar(0)], "must be rank 2 but is rank 1"),
            Bad(
                lambda v: [[v.any(2, 3), v.any(3)], _scalar(0)],
                r"Ranks of all .*\[2,3\] vs. shape\[1\] = \[3\]",
                when="run",
            ),
            Bad(
                lambda v: [[v.any(2, 3), v.any(2, 3)], _scalar(2)],
                "must be at least rank 3 but is rank 2",
            ),
            Bad(
                lambda v: [[v.any(2, 3), v.any(2, 3)], _scalar(2)],
                r"in the range \[-2, 2\), but got 2",
                when="run",
            ),
            Bad(
                lambda v: [[v.any(2, 3), v.any(2, 3)], _ints(0, 1)], "must be rank 0 but is rank 1"
            ),
            Bad(
                lambda v: [[v.any(2, 3), v.any(2, 3)], _ints(0, 1)],
                r"scalar integer, but got shape \[2\]",
                when="run",
            ),
            Bad(lambda v: [[v.any(), v.any()], _scalar(0)], "Can't concatenate scalars"),
            Bad(
                lambda v: [[v.any(), v.any()], _scalar(0)], "Can't concatenate scalars", when="run"
            ),
        ),
    ),
    Case(
        "ConcatV2",
        lambda v: [[v.any(2, 3), v.any(2, 1)], _scalar(-1)],
        static=(1,),
        gradients=(0, 1),
        label="last",
    ),
    Case(
        "ConcatV2",
        lambda v: [[v.any(2, 1, 2), v.any(2, 2, 2)], _scalar(1)],
        gradients=(0, 1),
        label="fed axis",
    ),
    Case(
        "ConcatV2",
        lambda v: [[v.any(2, 1) for _ in range(18)], _scalar(1)],
        static=(1,),
        gradients=(0, 17),
        label="many",
    ),
    Case(
        "Concat",
        lambda v: [_scalar(1), [v.any(2, 3), v.any(2, 2)]],
        EVERY,
        static=(0,),
        gradients=(1, 2),
        bad=(
            Bad(
                lambda v: [_scalar(5), [v.any(2, 3), v.any(2, 3)]],
                "must be at least rank 6 but is rank 2",
            ),
        ),
    ),
    Case(
        "ConcatOffset",
        lambda v: [_scalar(1), [v.positive(3) * 0 + [2, 3, 4], v.positive(3) * 0 + [2, 7, 4]]],
        ("int32", "int64"),
        bad=(
            Bad(
                lambda v: [_scalar(0), [_ints(2, 3), _ints(3, 4)]],
                r"All dimensions except 0 must match. Input 1 has shape \[3 4\] and doesn",
            ),
            Bad(
                lambda v: [_scalar(2), [_ints(2, 3), _ints(3, 3)]],
                "Concat dim is out of range: 2 vs. 2",
            ),
            Bad(
                lambda v: [_scalar(0), [_ints(2, 3), _ints(3)]],
                "input 1 should contain 2 elements, but got 1",
            ),
            Bad(
                lambda v: [_ints(0), [_ints(2, 3), _ints(3, 3)]],
                r"scalar integer, but got shape \[1\]",
            ),
            Bad(lambda v: [_scalar(0), [_ints(2, 3), _scalar(3)]], "input 2 should be a vector"),
        ),
    ),
    Case(
        "ConcatOffset",
        lambda v: [_scalar(-1), [_ints(2, 3), _ints(2, 4), _ints(2, 5)]],
        label="negative",
    ),
    Case(
        "Pack",
        lambda v: [[v.any(2, 3), v.any(2, 3)]],
        EVERY,
        gradients=(0, 1),
        bad=(
            Bad(
                lambda v: [[v.any(2), v.any(3)]],
                "are 2 and 3.(?s:.*)From merging shape 0 with other shapes",
            ),
            Bad(
                lambda v: [[v.any(2), v.any(3)]],
                r"values\[0\].shape = \[2\] != values\[1\].shape = \[3\]",
                when="run",
            ),
            Bad(
                lambda v: [[v.any(2), v.any(2)]],
                r"Invalid axis: 2; must be in \[-2,2\)",
                {"axis": 2},
            ),
            Bad(
                lambda v: [[v.any(2), v.any(2)]],
                r"axis = 2 not in \[-2, 2\)",
                {"axis": 2},
                when="run",
            ),
        ),
    ),
    Case(
        "Pack",
        lambda v: [[v.any(2, 3), v.any(2, 3)]],
        attrs={"axis": -1},
        gradients=(0, 1),
        label="last",
    ),
    Case(
        "Pack",
        lambda v: [[v.any(), v.any(), v.any()]],
        EVERY,
        gradients=(0, 2),
        label="scalars",
    ),
    Case("Pack", lambda v: [[v.any(0, 3)]], attrs={"axis": 1}, label="empty"),
    Case(
        "Unpack",
        lambda v: [v.any(2, 3)],
        EVERY,
        attrs={"num": 2},
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(2, 3)], "Dimension must be 3 but is 2", {"num": 3}),
            Bad(
                lambda v: [v.any(2, 3)],
                r"axis 0 must equal 3, got shape \[2,3\]",
                {"num": 3},
                when="run",
            ),
            Bad(
                lambda v: [v.any(2, 3)],
                r"Invalid axis: 2; must be in \[-2,2\)",
                {"num": 2, "axis": 2},
            ),
            Bad(
                lambda v: [v.any(2, 3)],
                r"axis = 2 not in \[-2, 2\)",
                {"num": 2, "axis": 2},
                when="run",
            ),
            Bad(lambda v: [v.any()], r"Invalid axis: 0; must be in \[0,0\)", {"num": 2}),
        ),
    ),
    Case(
        "Unpack",
        lambda v: [v.any(2, 3)],
        attrs={"num": 3, "axis": -1},
        gradients=(0,),
        label="last",
    ),
    Case(
        "Unpack",
        lambda v: [v.any(3)],
        ("float32", "string"),
        attrs={"num": 3},
        gradients=(0,),
        label="vector",
    ),
    Case("Unpack", lambda v: [v.any(1, 2)], attrs={"num": 1}, gradients=(0,), label="one"),
]
