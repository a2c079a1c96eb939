"""Rows for optional values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, NUMBERS
from tests.ops.program import Inputs, Program, Step, fails_alike, run, slopes

EVERY = (*NUMBERS, "bool", "string")


def _get(tf: Any, optional: Any, types: Sequence[Any], shapes: Sequence[Any]) -> list[Any]:
    shapes = [None if shape is None else list(shape) for shape in shapes]
    return list(
        tf.raw_ops.OptionalGetValue(optional=optional, output_types=types, output_shapes=shapes)
    )


def _held(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    some = raw.OptionalFromValue(components=[v.fed(v.any(2, 3)), v.fed(v.any())])
    types = [v.element] * 2
    nested = raw.OptionalFromValue(components=[some])
    inner = _get(tf, nested, [tf.variant], [()])[0]
    none = tf.constant(np.zeros(0), tf.int32)
    reshaped = tf.reshape(tf.reshape(some, [1]), tf.placeholder_with_default(none, [0]))
    yield run(
        *_get(tf, reshaped, types, [(2, 3), ()]),
        *_get(tf, some, types, [(2, 3), ()]),
        *_get(tf, some, types, [None, None]),
        *_get(tf, some, types, [(None, 3), None]),
        *_get(tf, inner, types, [(2, 3), ()]),
        raw.OptionalHasValue(optional=some),
        raw.OptionalHasValue(optional=raw.OptionalNone()),
    )


def _summed(tf: Any, v: Inputs) -> Iterator[Step]:
    """Zeros like an optional, and sums of some."""
    raw, none = tf.raw_ops, tf.raw_ops.OptionalNone()
    some = raw.OptionalFromValue(components=[v.fed(v.any(2)), v.fed(v.any())])
    yield run(
        *_get(tf, raw.ZerosLike(x=some), [v.element] * 2, [(2,), ()]),
        *_get(tf, raw.AddN(inputs=[some] * 3), [v.element] * 2, [(2,), ()]),
        raw.OptionalHasValue(optional=raw.ZerosLike(x=none)),
        raw.OptionalHasValue(optional=raw.AddN(inputs=[none, none])),
    )


def _misused(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    some = raw.OptionalFromValue(components=[v.constant([1, 2]), v.constant(3, np.int32)])
    none = raw.OptionalNone()
    no_optional = raw.EmptyTensorList(
        element_shape=-1, max_num_elements=-1, element_dtype=tf.float32
    )
    types = [v.element, tf.int32]
    for optional, asked, shapes in (
        (none, types, [(2,), ()]),
        (some, types[:1], [(2,)]),
        (some, [tf.int32, tf.int32], [(2,), ()]),
        (some, types, [(3,), ()]),
        (no_optional, types, [(2,), ()]),
    ):
        yield fails_alike(*_get(tf, optional, asked, shapes))
    yield fails_alike(raw.OptionalHasValue(optional=no_optional))
    mixed = raw.AddN(inputs=[some, none])
    yield fails_alike(raw.OptionalHasValue(optional=mixed))


def _slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.fed(v.any(2))
    optional = tf.raw_ops.OptionalFromValue(components=[x * x])
    yield slopes(tf, _get(tf, optional, [v.element], [(2,)]), [x])


PROGRAMS = [
    Program("OptionalFromValue OptionalGetValue OptionalHasValue OptionalNone", _held, EVERY),
    Program("OptionalFromValue OptionalHasValue", _summed, NUMBERS),
    Program("OptionalGetValue OptionalHasValue OptionalNone", _misused, ("float32",)),
    Program("OptionalFromValue OptionalGetValue", _slopes, FLOAT32_64, gradients=True),
]
