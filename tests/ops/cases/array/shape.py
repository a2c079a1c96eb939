"""Rows for ops on the shape of a tensor."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case, unary

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _scalar(value: int) -> np.ndarray:
    return np.array(value, np.int32)


CASES = [
    *unary("Shape", EVERY),
    Case("Shape", lambda v: [v.any(2, 3)], attrs={"out_type": "int64"}, label="int64"),
    Case("ShapeN", lambda v: [[v.any(2, 3), v.any(), v.any(0, 4)]], ("float32", "string")),
    Case("ShapeN", lambda v: [[v.any(2, 3)]], attrs={"out_type": "int64"}, label="one"),
    *unary("Size", EVERY),
    Case("Size", lambda v: [v.any(2, 3)], attrs={"out_type": "int64"}, label="int64"),
    *unary("Rank", EVERY),
    Case(
        "Reshape",
        lambda v: [v.any(2, 6), _ints(3, -1)],
        EVERY,
        static=(1,),
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(2, 3), _ints(-1, 0)],
                r"6 elements to shape \[\?,0\] \(0 elements\)",
                when="build",
            ),
            Bad(
                lambda v: [v.any(2, 3), _ints(4, 2)], r"6 elements to shape \[4,2\] \(8 elements\)"
            ),
            Bad(
                lambda v: [v.any(2, 3), _ints(4, 2)],
                "6 values, but the requested shape has 8",
                when="run",
            ),
            Bad(lambda v: [v.any(2, 3), _ints(-1, 4)], "evenly divisible by 4 but is 6"),
            Bad(lambda v: [v.any(2, 3), _ints(-1, 4)], "requires a multiple of 4", when="run"),
            Bad(
                lambda v: [v.any(2, 3), _ints(-1, -1)],
                "Only one input size may be -1, not both 0 and 1",
            ),
            Bad(
                lambda v: [v.any(2, 3), _ints(-2, 3)], "Invalid value in tensor used for shape: -2"
            ),
            Bad(
                lambda v: [v.any(2, 3), _ints(-2, 3)],
                "Size 0 must be non-negative, not -2",
                when="run",
            ),
            Bad(lambda v: [v.any(2, 3), _scalar(6)], "must be rank 1 but is rank 0"),
            Bad(
                lambda v: [v.any(2, 3), _ints(6).reshape(1, 1)],
                r"sizes input must be 1-D, not \[1,1\]",
                when="run",
            ),
        ),
    ),
    Case("Reshape", lambda v: [v.any(2, 6), _ints(3, 4)], gradients=(0,), label="fed"),
    Case("Reshape", lambda v: [v.any(1), _ints()], static=(1,), gradients=(0,), label="to scalar"),
    Case(
        "Reshape", lambda v: [v.any(), _ints(1, -1)], static=(1,), gradients=(0,), label="of scalar"
    ),
    Case(
        "Reshape", lambda v: [v.any(0, 3), _ints(-1, 3)], static=(1,), gradients=(0,), label="empty"
    ),
    Case("Reshape", lambda v: [v.any(0, 3), _ints(-1, 0)], static=(1,), label="empty by 0"),
    Case("Reshape", lambda v: [v.any(0, 3), _ints(0, 5)], static=(1,), label="empty to empty"),
    Case(
        "Reshape",
        lambda v: [v.any(4, 3), _ints(2, -1).astype(np.int64)],
        static=(1,),
        label="int64",
    ),
    Case(
        "ExpandDims",
        lambda v: [v.any(2, 3), _scalar(1)],
        EVERY,
        static=(1,),
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(2), _scalar(3)], r"dim 3 not in the interval \[-2, 1\]"),
            Bad(
                lambda v: [v.any(2), _scalar(3)],
                "expand dim index 3 for tensor with 1 dim",
                when="run",
            ),
            Bad(
                lambda v: [v.any(2), _ints(0, 1)],
                "'dim' input must be a tensor with a single value",
            ),
            Bad(
                lambda v: [v.any(2), _ints(0, 1)],
                "'dim' must be a tensor with a single value",
                when="run",
            ),
        ),
    ),
    Case(
        "ExpandDims",
        lambda v: [v.any(2, 3), _scalar(-1)],
        static=(1,),
        gradients=(0,),
        label="last",
    ),
    Case(
        "ExpandDims", lambda v: [v.any(), _scalar(0)], static=(1,), gradients=(0,), label="scalar"
    ),
    Case("ExpandDims", lambda v: [v.any(0, 3), _scalar(2)], gradients=(0,), label="fed"),
    Case(
        "Squeeze",
        lambda v: [v.any(1, 2, 1, 3)],
        EVERY,
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(2, 1)],
                r"Can not squeeze dim\[0\], expected a dimension of 1, got 2",
                {"axis": [0]},
            ),
            Bad(lambda v: [v.any(2, 1)], r"squeeze_dims\[0\] not in \[-2,2\)", {"axis": [2]}),
            Bad(
                lambda v: [v.any(2, 1)],
                "squeeze dim index 2 for tensor with 2 dim",
                {"axis": [2]},
                when="run",
            ),
        ),
    ),
    Case("Squeeze", lambda v: [v.any(1, 2, 1)], attrs={"axis": [-1]}, gradients=(0,), label="axis"),
    Case("Squeeze", lambda v: [v.any(1, 0, 1)], attrs={"axis": [0, 2]}, label="empty"),
    Case("Squeeze", lambda v: [v.any()], label="scalar"),
    Case(
        "EnsureShape",
        lambda v: [v.any(2, 3)],
        EVERY,
        attrs={"shape": [None, 3]},
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(2, 3)],
                "Dimension 1 in both shapes must be equal, but are 4 and 3",
                {"shape": [None, 4]},
            ),
            Bad(
                lambda v: [v.any(2, 3)],
                r"\[2,3\] is not compatible with expected shape \[\?,4\]",
                {"shape": [None, 4]},
                when="run",
            ),
        ),
    ),
    Case("EnsureShape", lambda v: [v.any()], attrs={"shape": []}, label="scalar"),
    *unary("GuaranteeConst", EVERY),
]
