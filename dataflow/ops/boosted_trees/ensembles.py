"""Ops that create, read and replace whole ensembles of trees."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import PAIR, expect_scalars
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, scalar
from dataflow.values.shapes import TensorShape


def _given(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(3))
    return []


def _states(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    return [SCALAR] * 4 + [PAIR]


def _serialized(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    return scalar(c)


for _op, _doc in (
    ("BoostedTreesCreateEnsemble", "Creates an ensemble, unless there is one."),
    ("BoostedTreesDeserializeEnsemble", "Replaces an ensemble."),
):
    define_op(
        _op,
        inputs=(
            "tree_ensemble_handle: resource, stamp_token: int64, tree_ensemble_serialized: string"
        ),
        shape=_given,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

define_op(
    "BoostedTreesGetEnsembleStates",
    inputs="tree_ensemble_handle: resource",
    outputs=(
        "stamp_token: int64, num_trees: int32, num_finalized_trees: int32, "
        "num_attempted_layers: int32, last_layer_nodes_range: int32"
    ),
    shape=_states,
    gradient=NOT_DIFFERENTIABLE,
    doc="How far an ensemble has grown, and which nodes its last layer has.",
    stateful=True,
)

define_op(
    "BoostedTreesSerializeEnsemble",
    inputs="tree_ensemble_handle: resource",
    outputs="stamp_token: int64, tree_ensemble_serialized: string",
    shape=_serialized,
    gradient=NOT_DIFFERENTIABLE,
    doc="An ensemble as the bytes of a TreeEnsemble message.",
    stateful=True,
)
