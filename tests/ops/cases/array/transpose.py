"""Rows for ops that change the order of dimensions or elements."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case

EVERY = (*NUMBERS, "bool", "string")
REVERSIBLE = EVERY


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _longs(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def _bools(*values: bool) -> np.ndarray:
    return np.array(values, bool)


_NINE = (1,) * 9

CASES = [
    Case(
        "Transpose",
        lambda v: [v.any(2, 3, 4), _ints(2, 0, 1)],
        EVERY,
        static=(1,),
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(2, 3), _ints(0, 1, 2)], "Dimension must be 2 but is 3"),
            Bad(
                lambda v: [v.any(2, 3), _ints(0, 1, 2)],
                "vector of size 2. But input.1. is a vector of size 3",
                when="run",
            ),
            Bad(lambda v: [v.any(2, 3), _ints(0, 2)], "perm dim 2 is out of range of input rank 2"),
            Bad(lambda v: [v.any(2, 3), _ints(0, 2)], r"2 is out of range \[0 .. 2\)", when="run"),
            Bad(lambda v: [v.any(2, 3), _ints(1, 1)], r"0 is missing from \{1,1\}"),
            Bad(lambda v: [v.any(2, 3), _ints(0, 1).reshape(1, 2)], "must be rank 1 but is rank 2"),
            Bad(
                lambda v: [v.any(2, 3), _ints(0, 1).reshape(1, 2)],
                r"perm must be rank 1, got shape \[1,2\]",
                when="run",
            ),
        ),
    ),
    Case("Transpose", lambda v: [v.any(2, 3), _ints(1, 0)], gradients=(0,), label="fed"),
    Case("Transpose", lambda v: [v.any(2, 3), _ints(-1, 0)], static=(1,), label="negative"),
    Case(
        "Transpose",
        lambda v: [v.any(), _ints()],
        ("float32", "string"),
        static=(1,),
        label="scalar",
    ),
    Case("Transpose", lambda v: [v.any(4), _ints(0)], gradients=(0,), label="vector"),
    Case(
        "Transpose",
        lambda v: [v.any(0, 3), _longs(1, 0)],
        static=(1,),
        gradients=(0,),
        label="empty",
    ),
    Case(
        "ConjugateTranspose",
        lambda v: [v.any(2, 3), _ints(1, 0)],
        EVERY,
        static=(1,),
        gradients=(0,),
    ),
    Case(
        "InvertPermutation",
        lambda v: [v.positive(4) * 0 + [2, 0, 3, 1]],
        ("int32", "int64"),
        bad=(
            Bad(lambda v: [_ints(0, 0)], "0 is duplicated in the input"),
            Bad(lambda v: [_ints(0, 5)], "5 is not between 0 and 2"),
            Bad(lambda v: [_ints(-1, 0)], "-1 is not between 0 and 2"),
            Bad(lambda v: [_ints(0)[0]], "must be rank 1 but is rank 0"),
            Bad(lambda v: [_ints(0)[0]], "invert_permutation expects a 1D vector", when="run"),
        ),
    ),
    Case("InvertPermutation", lambda v: [_ints()], ("int32",), label="empty"),
    Case(
        "ReverseV2",
        lambda v: [v.any(2, 3, 2), _ints(0, -1)],
        REVERSIBLE,
        static=(1,),
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(2, 3), _ints(2)], r"'axis'\[0\] = 2 is out of valid range \[0, 1"),
            Bad(lambda v: [v.any(2, 3), _ints(1, -1)], "axis 1 specified more than once"),
            Bad(lambda v: [v.any(2, 3), _ints(1)[0]], "must be rank 1 but is rank 0"),
            Bad(
                lambda v: [v.any(2, 3), _ints(1)[0]],
                "'dims' must be 1-dimension, not 0",
                when="run",
            ),
            Bad(
                lambda v: [v.any(*_NINE), _ints(0)],
                "does not work on tensors with more than 8 dimensions",
            ),
            Bad(
                lambda v: [v.any(*_NINE), _ints(0)],
                "not implemented for tensors of rank > 8",
                when="run",
            ),
        ),
    ),
    Case("ReverseV2", lambda v: [v.any(2, 3), _longs(1)], gradients=(0,), label="fed"),
    Case(
        "ReverseV2",
        lambda v: [v.any(), _ints()],
        ("float32", "string"),
        static=(1,),
        label="scalar",
    ),
    Case(
        "ReverseV2", lambda v: [v.any(0, 3), _ints(0)], static=(1,), gradients=(0,), label="empty"
    ),
    Case(
        "Reverse",
        lambda v: [v.any(2, 3, 2), _bools(True, False, True)],
        REVERSIBLE,
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(2, 3), _bools(True)], "must be rank 1 but is rank 2"),
            Bad(
                lambda v: [v.any(2, 3), _bools(True)],
                "'input' has 2'dims' has 1 values",
                when="run",
            ),
        ),
    ),
    Case(
        "ReverseSequence",
        lambda v: [v.any(3, 4, 2), _longs(2, 0, 4)],
        EVERY,
        attrs={"seq_dim": 1},
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(2, 3), _longs(1, 4)],
                r"seq_lens\(1\) > input.dims\(1\)",
                {"seq_dim": 1},
            ),
            Bad(lambda v: [v.any(2, 3), _longs(1, -1)], r"seq_lens\(1\) < 0", {"seq_dim": 1}),
            Bad(
                lambda v: [v.any(2, 3), _longs(1)],
                "Dimensions must be equal, but are 2 and 1",
                {"seq_dim": 1},
            ),
            Bad(
                lambda v: [v.any(2, 3), _longs(1)],
                r"Length of seq_lengths != input.dims\(0\), \(1 vs. 2\)",
                {"seq_dim": 1},
                when="run",
            ),
            Bad(lambda v: [v.any(2, 3), _longs(1, 1)], "batch_dim == seq_dim == 0", {"seq_dim": 0}),
            Bad(
                lambda v: [v.any(2, 3), _longs(1, 1)],
                "seq_dim must be < input rank: 2 vs. 2",
                {"seq_dim": 2},
            ),
            Bad(
                lambda v: [v.any(2, 3), _longs(1, 1)],
                r"seq_dim must be < input rank \( 2 vs. 2\)",
                {"seq_dim": 2},
                when="run",
            ),
            Bad(
                lambda v: [v.any(2, 3), _longs(1, 1)],
                "batch_dim must be < input rank: 3 vs. 2",
                {"seq_dim": 1, "batch_dim": 3},
            ),
            Bad(lambda v: [v.any(2, 3), _longs(1, 1)], "Invalid seq_dim -1", {"seq_dim": -1}),
            Bad(
                lambda v: [v.any(2, 3), _longs(1, 1)],
                "batch_dim must be >=0, got -2",
                {"seq_dim": -1, "batch_dim": -2},
                when="build",
            ),
            Bad(
                lambda v: [v.any(2, 3), _longs(1, 1)],
                "Invalid batch_dim -2",
                {"seq_dim": -1, "batch_dim": -2},
                when="run",
            ),
        ),
    ),
    Case(
        "ReverseSequence",
        lambda v: [v.any(4, 2, 3), _ints(2, 3, 1)],
        attrs={"seq_dim": 0, "batch_dim": 2},
        gradients=(0,),
        label="batch last",
    ),
    Case(
        "Roll",
        lambda v: [v.any(3, 4), _ints(1, -6), _ints(0, 1)],
        EVERY,
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(2, 3), _ints(1), _ints(2)], "axis 2 is out of range"),
            Bad(
                lambda v: [v.any(2, 3), _ints(1, 1), _ints(0)],
                "Dimension 0 in both shapes must be equal, but are 2 and 1",
            ),
            Bad(
                lambda v: [v.any(2, 3), _ints(1, 1), _ints(0)],
                "shift and axis must have the same size",
                when="run",
            ),
            Bad(
                lambda v: [v.any(), _ints(1)[0], _ints(0)[0]],
                "must be at least rank 1 but is rank 0",
            ),
            Bad(
                lambda v: [v.any(), _ints(1)[0], _ints(0)[0]],
                "input must be 1-D or higher",
                when="run",
            ),
        ),
    ),
    Case(
        "Roll",
        lambda v: [v.any(5), _longs(7)[0], _ints(-1)[0]],
        gradients=(0,),
        label="scalar shift",
    ),
    Case(
        "Roll",
        lambda v: [v.any(3, 2), _ints(1, 1), _ints(0, 0)],
        gradients=(0,),
        label="same axis twice",
    ),
    Case("Roll", lambda v: [v.any(0, 2), _ints(1), _ints(0)], label="empty"),
]
