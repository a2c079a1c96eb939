"""Rows for iterators that deal elements out to several devices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import alike, numbers
from tests.ops.program import Inputs, Program, Step, fails, infers, run

END = "OutOfRangeError"
REFUSED = "InvalidArgumentError"


def _dealt(tf: Any, v: Inputs) -> Iterator[Step]:
    """Two devices, of which one is ahead; a beginning ends the former one."""
    raw = tf.raw_ops
    dealt = raw.MultiDeviceIterator(
        devices=["a", "b"], shared_name="rows_of_dealers", container="", **alike(tf)
    )
    handle = raw.MultiDeviceIteratorToStringHandle(multi_device_iterator=dealt)
    found = raw.MultiDeviceIteratorFromStringHandle(string_handle=handle, **alike(tf))

    def following(place: int, beginning: int, iterator: Any = dealt) -> Any:
        return raw.MultiDeviceIteratorGetNextFromShard(
            multi_device_iterator=iterator,
            shard_num=place,
            incarnation_id=np.int64(beginning),
            **alike(tf),
        )

    def begun(dataset: Any) -> Any:
        return raw.MultiDeviceIteratorInit(
            dataset=dataset, multi_device_iterator=dealt, max_buffer_size=2
        )

    first = begun(numbers(tf, 7))
    yield infers(first, handle, *following(0, 1))
    yield run(first)
    for place, iterator in ((0, dealt), (0, found), (1, found), (1, dealt), (0, dealt), (1, dealt)):
        yield run(*following(place, 1, iterator))
    yield fails(REFUSED, "Invalid incarnation id", *following(0, 2))
    yield run(*following(0, 1))
    for place in (0, 1, 0):
        yield fails(END, "End of sequence", *following(place, 1))
    yield run(first)
    yield fails(REFUSED, "Invalid incarnation id", *following(0, 1))
    yield run(*following(1, 2))
    yield run(*following(0, 2))
    other = tf.data.Dataset.from_tensors(1.5)._variant_tensor
    yield fails(REFUSED, "Data type mismatch at component 0", begun(other))


PROGRAMS = [
    Program(
        "MultiDeviceIterator MultiDeviceIteratorInit MultiDeviceIteratorGetNextFromShard "
        "MultiDeviceIteratorToStringHandle MultiDeviceIteratorFromStringHandle",
        _dealt,
        ("float32",),
    )
]
