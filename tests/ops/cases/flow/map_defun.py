"""Rows for the op that applies a function to each row of tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tensorflow.python.framework import function as oracle_function

from dataflow.library import defun
from tests.ops.program import Inputs, Program, Step, fails, infers, run

REFUSED = "InvalidArgumentError"


def _function(tf: Any, *types: str) -> Any:
    made = oracle_function if tf.__name__.startswith("tensorflow") else defun
    return made.Defun(*(tf.as_dtype(name) for name in types))


def _mapped(tf: Any, v: Inputs) -> Iterator[Step]:
    @_function(tf, "int32", "int32")
    def pair(x: Any, y: Any) -> Any:
        return x + y, tf.stack([x, y])

    @_function(tf, "string")
    def longer(x: Any) -> Any:
        return x + "!"

    @_function(tf, "int32")
    def counted(x: Any) -> Any:
        return tf.range(x)

    def mapped(f: Any, arguments: list[Any], shapes: Any, captured: Any = (), **k: Any) -> Any:
        return tf.raw_ops.MapDefun(
            arguments=arguments,
            captured_inputs=list(captured),
            output_types=k.get("types", [tf.int32] * len(shapes)),
            output_shapes=shapes,
            f=f,
        )

    numbers, more = v.fed([1, 2, 3], np.int32), v.fed([4, 5, 6], np.int32)
    both = mapped(pair, [numbers, more], [[], None])
    one = mapped(pair, [numbers], [[], [2]], [v.fed(10, np.int32)])
    words = mapped(longer, [tf.constant(["a", "b"])], [[]], types=[tf.string])
    none = mapped(pair, [numbers[:0], more[:0]], [[], [2]])
    yield infers(*both, *one, *words, *none)
    yield run(*both, *one, *words, *none)
    yield fails(REFUSED, "Mismatch in function retval shape", *mapped(counted, [numbers], [[None]]))
    short = mapped(pair, [v.hidden(np.int32([1, 2])), v.hidden(np.int32([1]))], [[], [2]])
    yield fails(REFUSED, "Input 1 has leading dimension 1, while all previous", *short)
    scalar = mapped(counted, [v.hidden(np.int32(3))], [[None]])
    yield fails(REFUSED, "Input 0 has a rank of 0.", *scalar)
    other = mapped(counted, [numbers[:1]], [[None]], types=[tf.float32])
    yield fails(REFUSED, "Mismatch in function return type and expected output type", *other)


PROGRAMS = [Program("MapDefun", _mapped)]
