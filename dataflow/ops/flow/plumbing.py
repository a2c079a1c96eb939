"""Ops that the system itself puts into a graph: feeds, fetches, and transfers between devices."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.values.shapes import TensorShape

_TRANSFER_ATTRS = (
    "tensor_name: string",
    "send_device: string",
    "send_device_incarnation: int",
    "recv_device: string",
    "client_terminated: bool = false",
)


def _unknown(c: InferenceContext) -> TensorShape:
    return TensorShape.of(None)


def _nothing(c: InferenceContext) -> list[TensorShape]:
    return []


define_op(
    "_Arg",
    outputs="output: T",
    attrs=("T: type", "index: int >= 0"),
    shape=_unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="Gives the value of a feed.",
    stateful=True,
)
define_op(
    "_Retval",
    inputs="input: T",
    attrs=("T: type", "index: int >= 0"),
    shape=_nothing,
    gradient=NOT_DIFFERENTIABLE,
    doc="Takes the value of a fetch.",
    stateful=True,
)
define_op(
    "_DebugIdentity",
    inputs="input: T",
    outputs="output: T",
    attrs=(
        "T: type",
        "device_name: string",
        "tensor_name: string",
        "debug_urls: list(string)",
    ),
    shape=_unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="Dumps a tensor and passes it on.",
)
for _name, _doc in (
    ("_Send", "Sends a tensor to another device."),
    ("_HostSend", "Sends a tensor that lies in host memory to another device."),
):
    define_op(
        _name,
        inputs="tensor: T",
        attrs=("T: type", *_TRANSFER_ATTRS),
        shape=_nothing,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )
for _name, _doc in (
    ("_Recv", "Receives a tensor from another device."),
    ("_HostRecv", "Receives a tensor from another device into host memory."),
):
    define_op(
        _name,
        outputs="tensor: tensor_type",
        attrs=("tensor_type: type", *_TRANSFER_ATTRS),
        shape=_unknown,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )
