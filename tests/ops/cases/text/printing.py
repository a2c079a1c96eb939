"""Rows for ops that print, and for the text that they print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, NUMBERS, Case
from tests.ops.program import Inputs, Program, Step, fails, run, slopes

EVERY = (*NUMBERS, "bool", "string")
FORMAT_TYPES = (
    "float32",
    "float64",
    "float16",
    "int8",
    "uint8",
    "int32",
    "int64",
    "bool",
    "string",
)


def _passed_on(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.fed(v.any(2, 3))
    shown = tf.raw_ops.Print(input=x, data=[x, v.fed(v.any())], message="x: ", first_n=1)
    yield run(shown)
    yield run(shown)


def _print_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.fed(v.any(2, 3))
    yield slopes(tf, [tf.raw_ops.Print(input=x * x, data=[x], summarize=1)], [x])


def _written(tf: Any, v: Inputs) -> Iterator[Step]:
    yield run(tf.raw_ops.PrintV2(input=v.fed("text")))
    yield run(tf.raw_ops.PrintV2(input="text", output_stream="log(info)", end=""))
    nowhere = tf.raw_ops.PrintV2(input="text", output_stream="nowhere")
    yield fails("InvalidArgumentError", "Unknown output stream: nowhere", nowhere)
    vector = tf.raw_ops.PrintV2(input=v.hidden(["a", "b"]))
    yield fails("InvalidArgumentError", "must be a scalar|Input is expected to be scalar", vector)


CASES = [
    *(
        Case(
            "StringFormat",
            lambda v, s=shape: [[v.any(*s), np.arange(20, dtype=np.int32)]],
            FORMAT_TYPES,
            attrs={"template": template, "placeholder": "%s", "summarize": summarize},
            label=f"{shape}{summarize}",
        )
        for shape in ((2, 3), (), (0, 3), (2, 2, 9))
        for template, summarize in (("one %s, two %s.", 3), ("%s%s", -1), ("%s%s", -5))
    ),
    Case("StringFormat", lambda v: [[]], ("string",), attrs={"template": "plain"}, label="plain"),
]
PROGRAMS = [
    Program("Print", _passed_on, EVERY),
    Program("Print", _print_slopes, FLOAT32_64, gradients=True),
    Program("PrintV2", _written, ("string",)),
]
