"""Rows for ops that choose between tensors, or find where a condition holds."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case

EVERY = (*NUMBERS, "bool", "string")


def _bools(*values: bool) -> np.ndarray:
    return np.array(values, bool)


def _scalar(value: int) -> np.ndarray:
    return np.array(value, np.int32)


_CHECKER = np.array([[True, False, True], [False, True, False]])

CASES = [
    Case(
        "Where",
        lambda v: [np.asarray(v.any(2, 3, 2)) > v.dtype.type(0)],
        ("float32",),
        bad=(Bad(lambda v: [v.any()], "WhereOp : Unhandled input dimensions: 0", when="run"),),
        label="bool",
    ),
    *(
        Case("Where", lambda v, d=d: [v.any(4) * (np.arange(4) % 2).astype(v.dtype)], (d,), label=d)
        for d in NUMBERS
        # TensorFlow has no kernel for float16.
        if d != "float16"
    ),
    Case("Where", lambda v: [v.any(0, 3)], ("bool", "float32"), label="empty"),
    Case("Where", lambda v: [np.round(np.asarray(v.any(2, 3, 2)))], ("float32",), label="zeros"),
    Case(
        "Select",
        lambda v: [_CHECKER, v.any(2, 3), v.any(2, 3)],
        EVERY,
        gradients=(1, 2),
        bad=(
            Bad(
                lambda v: [_bools(True, False), v.any(3, 2), v.any(3, 2)],
                "are 2 and 3. Shapes are .2. and .3.",
            ),
            Bad(
                lambda v: [_bools(True, False), v.any(3, 2), v.any(3, 2)],
                "size of 'cond', but saw: 3 vs. 2",
                when="run",
            ),
            Bad(
                lambda v: [_bools(True), v.any(3, 2), v.any(3, 3)],
                r"are 2 and 3. Shapes are \[3,2\] and \[3,3\]",
            ),
            Bad(
                lambda v: [_bools(True)[0], v.any(3, 2), v.any(3, 3)],
                r"'then' and 'else' must have the same size.  but received: \[3,2\] vs. \[3,3\]",
                when="run",
            ),
            Bad(
                lambda v: [np.ones((3, 1), bool), v.any(3, 2), v.any(3, 2)],
                r"are 2 and 1. Shapes are \[3,2\] and \[3,1\]",
            ),
            Bad(
                lambda v: [np.ones((3, 1), bool), v.any(3, 2), v.any(3, 3)],
                r"Input 0: \[3,1\] != input 1: \[3,2\]",
                when="run",
            ),
            Bad(
                lambda v: [np.ones((3, 2), bool), v.any(3, 2), v.any(3, 3)],
                r"Input 0: \[3,2\] != input 2: \[3,3\]",
                when="run",
            ),
            Bad(
                lambda v: [np.ones((3, 1), bool), v.any(3, 2), v.any(3, 2)],
                r"Input 0: \[3,1\] != input 1: \[3,2\]",
                when="run",
            ),
            Bad(lambda v: [_bools(True), v.any(), v.any()], "equal rank, but are 0 and 1"),
            Bad(
                lambda v: [_bools(True), v.any(), v.any()],
                r"'then' must be at least a vector, but saw shape: \[\]",
                when="run",
            ),
        ),
    ),
    Case(
        "Select",
        lambda v: [_bools(True, False), v.any(2, 3), v.any(2, 3)],
        EVERY,
        gradients=(1, 2),
        label="rows",
    ),
    Case(
        "Select",
        lambda v: [_bools(False)[0], v.any(2, 3), v.any(2, 3)],
        gradients=(1, 2),
        label="scalar",
    ),
    Case(
        "Select",
        lambda v: [_bools(False)[0], v.any(), v.any()],
        ("float32", "string"),
        gradients=(1, 2),
        label="all scalars",
    ),
    Case("Select", lambda v: [np.ones((0, 3), bool), v.any(0, 3), v.any(0, 3)], label="empty"),
    Case(
        "SelectV2",
        lambda v: [_CHECKER, v.any(2, 3), v.any(2, 3)],
        EVERY,
        gradients=(1, 2),
        bad=(
            Bad(
                lambda v: [_bools(True, False), v.any(3, 3), v.any(3, 3)],
                "Dimensions must be equal, but are 2 and 3",
            ),
            Bad(
                lambda v: [_bools(True, False), v.any(3, 3), v.any(3, 3)],
                r"condition \[2\], then \[3,3\], and else \[3,3\] must be broadcastable",
                when="run",
            ),
        ),
    ),
    Case(
        "SelectV2",
        lambda v: [_CHECKER, v.any(), v.any(4, 1, 3)],
        EVERY,
        gradients=(1, 2),
        label="broadcast",
    ),
    Case(
        "SelectV2",
        lambda v: [_bools(True)[0], v.any(), v.any()],
        ("float32", "string"),
        gradients=(1, 2),
        label="scalars",
    ),
    Case(
        "OneHot",
        lambda v: [np.array([[0, 2], [-1, 7]], np.int64), _scalar(3), v.any(), v.any()],
        EVERY,
        static=(1,),
        bad=(
            Bad(
                lambda v: [np.arange(2), _scalar(-1), v.any(), v.any()],
                "given by scalar input 1, must be non-negative but is -1",
            ),
            Bad(
                lambda v: [np.arange(2), _scalar(-1), v.any(), v.any()],
                "depth must be non-negative, got: -1",
                when="run",
            ),
            Bad(
                lambda v: [np.arange(2), _scalar(3), v.any(1), v.any()],
                r"on_value must be a scalar, but got: \[1\]",
                when="run",
            ),
            Bad(
                lambda v: [np.arange(2), _scalar(3), v.any(), v.any()],
                r"between \[0, 2\).  But received: 3",
                {"axis": 3},
                when="run",
            ),
            Bad(
                lambda v: [np.arange(2), _scalar(3), v.any(), v.any()],
                "axis must be >= -1",
                {"axis": -2},
            ),
        ),
    ),
    Case(
        "OneHot",
        lambda v: [np.array([[0, 2], [1, 0]], np.int32), _scalar(3), v.any(), v.any()],
        attrs={"axis": 0},
        label="first",
    ),
    Case(
        "OneHot",
        lambda v: [np.array([[0, 2], [1, 0]], np.uint8), _scalar(3), v.any(), v.any()],
        attrs={"axis": 1},
        label="middle",
    ),
    Case(
        "OneHot",
        lambda v: [np.array(2, np.int8), _scalar(3), v.any(), v.any()],
        ("float32", "string"),
        static=(1,),
        label="scalar",
    ),
    Case(
        "OneHot", lambda v: [np.zeros((0,), np.int64), _scalar(3), v.any(), v.any()], label="empty"
    ),
    Case("OneHot", lambda v: [np.array([1]), _scalar(0), v.any(), v.any()], label="depth 0"),
]
