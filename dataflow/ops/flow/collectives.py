"""Collectives: operations whose members on several devices have each other's values."""

from __future__ import annotations

from typing import Final

from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import unchanged, unknown, with_rank_at_least
from dataflow.values.shapes import TensorShape

_NUMBERS: Final = "T: {bfloat16, float32, half, float64, int32, int64}"
_BROADCAST: Final = "T: {bool, float32, half, float64, int32, int64}"
_GROUP: Final = ("group_size: int", "group_key: int", "instance_key: int")
_HOW: Final = ('communication_hint: string = "auto"', "timeout_seconds: float = 0")


def _declared(c: InferenceContext) -> TensorShape:
    return TensorShape(c.attr("shape"))


def _gathered(c: InferenceContext) -> TensorShape:
    given = with_rank_at_least(c.input(0), 1)
    if given.rank is None:
        return given
    rows, *others = given.as_list()
    return TensorShape([None if rows is None else rows * c.attr("group_size"), *others])


define_op(
    "CollectiveReduce",
    inputs="input: T",
    outputs="data: T",
    attrs=[
        _NUMBERS,
        *_GROUP,
        "merge_op: {'Min', 'Max', 'Mul', 'Add'}",
        "final_op: {'Id', 'Div'}",
        "subdiv_offsets: list(int)",
        "wait_for: list(int) = []",
        *_HOW,
    ],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="The members' tensors added up, multiplied or compared element by element, for each member;"
    " divided by their number if `final_op` is Div.",
    stateful=True,
)
define_op(
    "CollectiveGather",
    inputs="input: T",
    outputs="data: T",
    attrs=["T: {float32, half, float64, int32, int64}", *_GROUP, "shape: shape", *_HOW],
    shape=_gathered,
    gradient=MISSING_GRADIENT,
    doc="The members' tensors one after the other along the first dimension, for each member.",
    stateful=True,
)
define_op(
    "CollectiveBcastSend",
    inputs="input: T",
    outputs="data: T",
    attrs=[_BROADCAST, *_GROUP, "shape: shape", *_HOW],
    shape=_declared,
    gradient=MISSING_GRADIENT,
    doc="Gives its tensor, and all other members of its group receive it.",
    stateful=True,
)
define_op(
    "CollectiveBcastRecv",
    outputs="data: T",
    attrs=[_BROADCAST, *_GROUP, "shape: shape", *_HOW],
    shape=_declared,
    gradient=MISSING_GRADIENT,
    doc="The tensor that the member of its group that sends has.",
    stateful=True,
)
define_op(
    "_CollectiveJoin",
    inputs="values: N * T",
    outputs="data: T",
    attrs=[
        "N: int >= 1",
        "T: type",
        "join: {'Min', 'Max', 'Mul', 'Add', 'Gather', 'Broadcast'}",
        "divide: bool",
        "instance_key: int",
        "shape: shape",
        "devices: list(string)",
    ],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="What the members of a collective have of each other, made of the values of all of them.",
    stateful=True,
)
