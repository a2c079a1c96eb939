"""Rows for quantization that TensorFlow has given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64
from tests.ops.early import make_old
from tests.ops.program import Inputs, Program, Step, fails, run, slopes

INVALID = "InvalidArgumentError"


def _rounded(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf, 21)
    x = v.known(np.array([[-7, -1.3, 0.2], [0.7, 2.6, 3.5]], v.dtype))
    given = {"range_given": True, "input_min": -2.0, "input_max": 3.0}
    made = [
        raw.QuantizeAndDequantize(input=x, **more)
        for more in ({}, given, {**given, "signed_input": False, "num_bits": 4}, {"num_bits": 3})
    ]
    yield run(*made)
    yield fails(INVALID, "num_bits is out of range", raw.QuantizeAndDequantize(input=x, num_bits=0))
    wrong = {**given, "input_min": 4.0}
    yield fails(
        INVALID,
        "Invalid range: input_min 4 > input_max 3",
        raw.QuantizeAndDequantize(input=x, **wrong),
    )


def _slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.known(v.any(2, 3))
    yield slopes(tf, [make_old(tf, 21).QuantizeAndDequantize(input=x)], [x])


PROGRAMS = [
    Program("QuantizeAndDequantize", _rounded, FLOAT32_64),
    Program("QuantizeAndDequantize", _slopes, FLOAT32_64, gradients=True, numeric=False),
]
