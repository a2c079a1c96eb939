"""Rows for rows of different lengths in variants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64
from tests.ops.program import Inputs, Program, Step, fails_alike, run, slopes

SPLITS = [np.int64([0, 1, 3]), np.int64([0, 2, 2, 5])]
TYPES = (*FLOAT32_64, "int32", "string", "bool")


def _write(tf: Any, values: Any, splits: Any = SPLITS, is_batch: bool = False) -> Any:
    return tf.raw_ops.RaggedTensorToVariant(
        rt_nested_splits=list(splits), rt_dense_values=values, batched_input=is_batch
    )


def _read(tf: Any, v: Inputs, variant: Any, rank: int, inner: int = -1) -> list[Any]:
    made = tf.raw_ops.RaggedTensorFromVariant(
        encoded_ragged=variant,
        input_ragged_rank=inner,
        output_ragged_rank=rank,
        Tvalues=v.element,
        Tsplits=tf.int64,
    )
    return [*made[0], made[1]]


def _there_and_back(tf: Any, v: Inputs) -> Iterator[Step]:
    values, rows = v.fed(v.any(5)), v.fed(v.any(5, 2))
    alone = _write(tf, values)
    batch = _write(tf, values, is_batch=True)
    dense = _write(tf, rows, [], True)
    yield run(
        *_read(tf, v, alone, 2),
        *_read(tf, v, batch, 2),
        *_read(tf, v, batch[1], 1, 1),
        *_read(tf, v, dense, 1),
        *_read(tf, v, _write(tf, rows, SPLITS[1:]), 1),
        *_read(tf, v, tf.stack([batch, batch]), 3),
    )


def _misused(tf: Any, v: Inputs) -> Iterator[Step]:
    variant = _write(tf, v.fed(v.any(5)))
    yield fails_alike(*_read(tf, v, variant, 1))
    other = tf.raw_ops.RaggedTensorFromVariant(
        encoded_ragged=variant,
        input_ragged_rank=-1,
        output_ragged_rank=2,
        Tvalues=tf.int16,
        Tsplits=tf.int64,
    )
    yield fails_alike(other[1])


def _gradients(tf: Any, v: Inputs) -> Iterator[Step]:
    values = v.fed(v.any(5))
    for is_batch in (False, True):
        found = _read(tf, v, _write(tf, values, is_batch=is_batch), 2)[-1]
        yield slopes(tf, [found], [values])


def _gathered(tf: Any, v: Inputs) -> Iterator[Step]:
    values = v.fed(v.any(5))
    gradient = tf.raw_ops.RaggedTensorToVariantGradient(
        encoded_ragged_grad=_write(tf, values, SPLITS[1:], True),
        row_splits=SPLITS[1],
        dense_values_shape=[5],
        Tvalues=v.element,
    )
    yield run(gradient)
    # The shape that is asked for counts, not that of the parts.
    for shape in ([5, 1], [1, 5]):
        yield run(
            tf.raw_ops.RaggedTensorToVariantGradient(
                encoded_ragged_grad=_write(tf, values, SPLITS[1:], True),
                row_splits=SPLITS[1],
                dense_values_shape=shape,
                Tvalues=v.element,
            )
        )


PROGRAMS = [
    Program("RaggedTensorToVariant RaggedTensorFromVariant", _there_and_back, TYPES),
    Program("RaggedTensorFromVariant RaggedTensorToVariant", _misused, label="misused"),
    Program("RaggedTensorToVariant RaggedTensorFromVariant", _gradients, gradients=True),
    Program("RaggedTensorToVariantGradient", _gathered),
]
