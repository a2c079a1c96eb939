"""Rows for what servers put together: alone, a request is a batch of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, fails, infers, run

REFUSED = "InvalidArgumentError"
_LIMITS = {
    "num_batch_threads": 1,
    "max_batch_size": 8,
    "batch_timeout_micros": 1000,
    "grad_timeout_micros": 1000,
}


def _alone(tf: Any, v: Inputs) -> Iterator[Step]:
    rows, numbers = v.fed(np.arange(6).reshape(3, 2)), v.fed([5, 6, 7], np.int32)
    made = tf.raw_ops.Batch(
        in_tensors=[rows, numbers], allowed_batch_sizes=[2, 4, 8], shared_name="rows", **_LIMITS
    )
    batch = {"batch_index": made.batch_index, "id": made.id}
    part = tf.raw_ops.Unbatch(
        batched_tensor=made.batched_tensors[0] * 2,
        timeout_micros=1000,
        shared_name="parts",
        **batch,
    )
    slope = tf.raw_ops.UnbatchGrad(
        original_input=made.batched_tensors[0], grad=part, shared_name="slopes", **batch
    )
    yield infers(*made.batched_tensors, made.batch_index, made.id, part, slope)
    yield run(*made.batched_tensors, made.batch_index[:, 1:], part, slope)
    refused: tuple[tuple[Any, dict[str, Any], str], ...] = (
        ([np.zeros((9, 2))], {}, "Task size 9 is larger than maximum input batch size 8"),
        ([np.zeros((2, 2)), np.zeros(3)], {}, "equal 0th-dimension size"),
        ([np.zeros(1)], {"allowed_batch_sizes": [4, 2]}, "must be monotonically increasing"),
        ([np.zeros(1)], {"allowed_batch_sizes": [2, 4]}, "must equal max_batch_size"),
        ([np.zeros(())], {}, "at least one dimension"),
    )
    for place, (tensors, attrs, text) in enumerate(refused):
        wrong = tf.raw_ops.Batch(
            in_tensors=[v.hidden(tensor) for tensor in tensors],
            shared_name=f"wrong{place}",
            **{**_LIMITS, **attrs},
        )
        yield fails(REFUSED, text, *wrong.batched_tensors)


def _function(tf: Any, v: Inputs) -> Iterator[Step]:
    factor = v.fed(3.0)

    @tf.nondifferentiable_batch_function(1, 8, 1000, allowed_batch_sizes=[4, 8], autograph=False)
    def layer(x: Any, y: Any) -> Any:
        return x * factor, (x + y,)

    x, y = v.fed([[1, 2], [3, 4]]), v.fed([[1, 1], [2, 2]])
    product, (total,) = layer(x, y)
    yield infers(product, total)
    yield run(product, total)


PROGRAMS = [
    Program("Batch Unbatch UnbatchGrad", _alone, ("float32",)),
    Program("BatchFunction", _function),
]
