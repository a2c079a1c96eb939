"""Ops that create, read, replace and grow ensembles of trees."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import expect_scalars
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, scalar, with_rank
from dataflow.values.shapes import TensorShape

_HANDLE = "tree_ensemble_handle: resource"
_STAMPS = "stamp_token: int64, next_stamp_token: int64"


def _given(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(3))
    return []


def _stamp(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    return scalar(c)


def _serialized(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    return [SCALAR] * 2


def _used(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    return [SCALAR, TensorShape.of((c.attr("num_all_handlers"),))]


def _stats(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(2))
    return [SCALAR] * 6


def _centered(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(3))
    with_rank(c.input(3), 1)
    return [SCALAR]


def _grown(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(6))
    return []


for _op, _gradient, _doc in (
    (
        "CreateTreeEnsembleVariable",
        MISSING_GRADIENT,
        "Creates an ensemble, unless there is one.",
    ),
    ("TreeEnsembleDeserialize", NOT_DIFFERENTIABLE, "Replaces an ensemble."),
):
    define_op(
        _op,
        inputs=f"{_HANDLE}, stamp_token: int64, tree_ensemble_config: string",
        shape=_given,
        gradient=_gradient,
        doc=_doc,
        stateful=True,
    )

define_op(
    "TreeEnsembleStampToken",
    inputs=_HANDLE,
    outputs="stamp_token: int64",
    shape=_stamp,
    gradient=MISSING_GRADIENT,
    doc="The stamp of an ensemble.",
    stateful=True,
)

define_op(
    "TreeEnsembleSerialize",
    inputs=_HANDLE,
    outputs="stamp_token: int64, tree_ensemble_config: string",
    shape=_serialized,
    gradient=NOT_DIFFERENTIABLE,
    doc="An ensemble as the bytes of a DecisionTreeEnsembleConfig message.",
    stateful=True,
)

define_op(
    "TreeEnsembleUsedHandlers",
    inputs=f"{_HANDLE}, stamp_token: int64",
    outputs="num_used_handlers: int64, used_handlers_mask: bool",
    attrs=["num_all_handlers: int >= 0"],
    shape=_used,
    gradient=MISSING_GRADIENT,
    doc="How many features' handlers splits have used, and which.",
    stateful=True,
)

define_op(
    "TreeEnsembleStats",
    inputs=f"{_HANDLE}, stamp_token: int64",
    outputs=(
        "num_trees: int64, num_layers: int64, active_tree: int64, active_layer: int64, "
        "attempted_trees: int64, attempted_layers: int64"
    ),
    shape=_stats,
    gradient=MISSING_GRADIENT,
    doc="How far an ensemble has grown.",
    stateful=True,
)

define_op(
    "CenterTreeEnsembleBias",
    inputs=f"{_HANDLE}, {_STAMPS}, delta_updates: float",
    outputs="continue_centering: bool",
    attrs=["learner_config: string", "centering_epsilon: float = 0.01"],
    shape=_centered,
    gradient=MISSING_GRADIENT,
    doc="Moves the bias; False where it has hardly moved.",
    stateful=True,
)

define_op(
    "GrowTreeEnsemble",
    inputs=(
        f"{_HANDLE}, {_STAMPS}, learning_rate: float, dropout_seed: int64, "
        "max_tree_depth: int32, weak_learner_type: int32, partition_ids: num_handlers * int32, "
        "gains: num_handlers * float, splits: num_handlers * string"
    ),
    attrs=["learner_config: string", "num_handlers: int >= 0", "center_bias: bool"],
    shape=_grown,
    gradient=MISSING_GRADIENT,
    doc="Adds a layer of the best splits to the tree that grows, or begins another tree.",
    stateful=True,
)
