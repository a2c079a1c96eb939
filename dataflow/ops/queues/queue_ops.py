"""Ops on queues, behind handles and in the form of old graphs, whose handles are references."""

from __future__ import annotations

from typing import Final

from dataflow.ops.basic.handle_shapes import HANDLE, with_handle
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, scalar, unchanged, unknown
from dataflow.values.shapes import TensorShape

_SOME: Final = ("component_types: list(type) >= 1", "shapes: list(shape) >= 0 = []")


def _old_handle(c: InferenceContext) -> TensorShape:
    return HANDLE


def _of_old_handle(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    return scalar(c)


def _many(c: InferenceContext) -> list[TensorShape]:
    count = c.constant(1)
    if count is not None and count.ndim == 0 and count < 0:
        raise ValueError(f"Input 'n' must be >= 0, but is {int(count)}")
    return unknown(c)


for _suffix, _handle, _made in (("V2", "resource", scalar), ("", "Ref(string)", _old_handle)):
    _is_new = bool(_suffix)

    for _kind, _types, _more, _doc in (
        ("FIFOQueue", _SOME, (), "A queue whose elements leave it in the order they came in."),
        (
            "RandomShuffleQueue",
            _SOME,
            ("min_after_dequeue: int = 0", "seed: int = 0", "seed2: int = 0"),
            "A queue whose elements leave it in random order; some stay as long as it is open.",
        ),
        ("PaddingFIFOQueue", _SOME, (), "A queue that fills up elements of different sizes."),
        (
            "PriorityQueue",
            ("component_types: list(type) >= 0 = []", "shapes: list(shape) >= 0"),
            (),
            "A queue whose elements leave it by their first component, lowest first.",
        ),
    ):
        define_op(
            f"{_kind}{_suffix}",
            outputs=f"handle: {_handle}",
            attrs=[
                *_types,
                "capacity: int = -1",
                *_more,
                "container: string = ''",
                "shared_name: string = ''",
            ],
            shape=_made,
            gradient=NOT_DIFFERENTIABLE,
            doc=_doc,
            stateful=True,
        )

    for _op in ("QueueEnqueue", "QueueEnqueueMany"):
        define_op(
            f"{_op}{_suffix}",
            inputs=f"handle: {_handle}, components: Tcomponents",
            attrs=["Tcomponents: list(type) >= 1", "timeout_ms: int = -1"],
            shape=unknown,
            gradient=NOT_DIFFERENTIABLE,
            doc="Puts one element, or one for each slice of the components, into a queue.",
            stateful=_is_new,
        )

    define_op(
        f"QueueDequeue{_suffix}",
        inputs=f"handle: {_handle}",
        outputs="components: component_types",
        attrs=["component_types: list(type) >= 1", "timeout_ms: int = -1"],
        shape=unknown,
        gradient=NOT_DIFFERENTIABLE,
        doc="Takes an element out of a queue.",
        stateful=_is_new,
    )

    for _op in ("QueueDequeueMany", "QueueDequeueUpTo"):
        define_op(
            f"{_op}{_suffix}",
            inputs=f"handle: {_handle}, n: int32",
            outputs="components: component_types",
            attrs=["component_types: list(type) >= 1", "timeout_ms: int = -1"],
            shape=_many if _op == "QueueDequeueMany" else unknown,
            gradient=NOT_DIFFERENTIABLE,
            doc="Takes `n` elements out of a queue, stacked; `UpTo`: fewer if it is closed.",
            stateful=_is_new,
        )

    define_op(
        f"QueueClose{_suffix}",
        inputs=f"handle: {_handle}",
        attrs=["cancel_pending_enqueues: bool = false"],
        shape=no_outputs if _is_new else _of_old_handle,
        gradient=NOT_DIFFERENTIABLE,
        doc="Lets nothing more into a queue.",
        stateful=_is_new,
    )

    define_op(
        f"QueueIsClosed{_suffix}",
        inputs=f"handle: {_handle}",
        outputs="is_closed: bool",
        shape=unchanged if _is_new else _of_old_handle,
        gradient=NOT_DIFFERENTIABLE,
        doc="Whether nothing more comes into a queue.",
        stateful=_is_new,
    )

    define_op(
        f"QueueSize{_suffix}",
        inputs=f"handle: {_handle}",
        outputs="size: int32",
        shape=unchanged if _is_new else _of_old_handle,
        gradient=NOT_DIFFERENTIABLE,
        doc="How many elements a queue has.",
        stateful=_is_new,
    )
