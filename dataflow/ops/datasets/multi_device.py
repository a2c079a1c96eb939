"""Ops that deal the elements of one dataset out to several devices."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import declared
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, scalar, with_rank
from dataflow.values.shapes import TensorShape


def _started(c: InferenceContext) -> TensorShape:
    for place in range(3):
        with_rank(c.input(place), 0)
    return SCALAR


def _dealt(c: InferenceContext) -> list[TensorShape]:
    for place in range(3):
        with_rank(c.input(place), 0)
    return declared(c)


define_op(
    "MultiDeviceIterator",
    outputs="handle: resource",
    attrs=[
        "devices: list(string) >= 1",
        "shared_name: string",
        "container: string",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="An iterator whose elements go to devices in turn; it has no dataset yet.",
    stateful=True,
)
define_op(
    "MultiDeviceIteratorInit",
    inputs="dataset: variant, multi_device_iterator: resource, max_buffer_size: int64",
    outputs="incarnation_id: int64",
    shape=_started,
    gradient=NOT_DIFFERENTIABLE,
    doc="Begins at the first element of a dataset, and gives the number of this beginning.",
    stateful=True,
)
define_op(
    "MultiDeviceIteratorGetNextFromShard",
    inputs="multi_device_iterator: resource, shard_num: int32, incarnation_id: int64",
    outputs="components: output_types",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=_dealt,
    gradient=NOT_DIFFERENTIABLE,
    doc="The next element of one device.",
    stateful=True,
)
define_op(
    "MultiDeviceIteratorToStringHandle",
    inputs="multi_device_iterator: resource",
    outputs="string_handle: string",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A string that stands for the iterator of several devices.",
    stateful=True,
)
define_op(
    "MultiDeviceIteratorFromStringHandle",
    inputs="string_handle: string",
    outputs="multi_device_iterator: resource",
    attrs=["output_types: list(type) >= 0 = []", "output_shapes: list(shape) >= 0 = []"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The iterator of several devices that a string stands for.",
    stateful=True,
)
