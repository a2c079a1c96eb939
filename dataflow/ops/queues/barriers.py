"""Ops on barriers: values that come in pieces, by key, and leave when all of them are there."""

from __future__ import annotations

from dataflow.ops.basic.handle_shapes import HANDLE, with_handle
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    merge,
    scalar,
    unknown,
    with_rank,
    with_rank_at_least,
)
from dataflow.values.shapes import TensorShape


def _handle(c: InferenceContext) -> TensorShape:
    return HANDLE


def _inserted(c: InferenceContext) -> list[TensorShape]:
    """There is a key for each row of values."""
    with_handle(c)
    keys, values = with_rank(c.input(1), 1), with_rank_at_least(c.input(2), 1)
    dims = values.dims_tuple
    merge(keys, TensorShape.of((dims[0] if dims else None,)))
    return []


def _closed(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    return []


def _counted(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    return scalar(c)


define_op(
    "Barrier",
    outputs="handle: Ref(string)",
    attrs=[
        "component_types: list(type) >= 1",
        "shapes: list(shape) >= 0 = []",
        "capacity: int = -1",
        "container: string = ''",
        "shared_name: string = ''",
    ],
    shape=_handle,
    gradient=NOT_DIFFERENTIABLE,
    doc="Keeps values by key until all components of a key are there.",
    stateful=True,
)

define_op(
    "BarrierInsertMany",
    inputs="handle: Ref(string), keys: string, values: T",
    attrs=["T: type", "component_index: int"],
    shape=_inserted,
    gradient=NOT_DIFFERENTIABLE,
    doc="Gives one component of the values of these keys, a row for each.",
)

define_op(
    "BarrierTakeMany",
    inputs="handle: Ref(string), num_elements: int32",
    outputs="indices: int64, keys: string, values: component_types",
    attrs=[
        "component_types: list(type) >= 1",
        "allow_small_batch: bool = false",
        "wait_for_incomplete: bool = false",
        "timeout_ms: int = -1",
    ],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="Takes complete values out, those first whose keys came first; waits for them.",
)

define_op(
    "BarrierClose",
    inputs="handle: Ref(string)",
    attrs=["cancel_pending_enqueues: bool = false"],
    shape=_closed,
    gradient=NOT_DIFFERENTIABLE,
    doc="Lets no new key into a barrier; with `cancel_pending_enqueues`, no component either.",
)

for _what, _doc in (("Ready", "all"), ("Incomplete", "some, not all,")):
    define_op(
        f"Barrier{_what}Size",
        inputs="handle: Ref(string)",
        outputs="size: int32",
        shape=_counted,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"How many keys of a barrier have {_doc} components.",
    )
