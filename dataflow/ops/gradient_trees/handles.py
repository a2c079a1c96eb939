"""Ops that make handles of ensembles, accumulators and streams, and say whether they are there."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import expect_scalars
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, scalar
from dataflow.values.shapes import TensorShape


def _of_ensemble(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    return [SCALAR]


for _handle, _asked, _argument, _doc in (
    (
        "DecisionTreeEnsembleResourceHandleOp",
        "TreeEnsembleIsInitializedOp",
        "tree_ensemble_handle",
        "an ensemble of trees",
    ),
    (
        "QuantileStreamResourceHandleOp",
        "QuantileAccumulatorIsInitialized",
        "quantile_accumulator_handle",
        "a stream of values",
    ),
    (
        "StatsAccumulatorScalarResourceHandleOp",
        "StatsAccumulatorScalarIsInitialized",
        "stats_accumulator_handle",
        "sums of gradients that are numbers",
    ),
    (
        "StatsAccumulatorTensorResourceHandleOp",
        "StatsAccumulatorTensorIsInitialized",
        "stats_accumulator_handle",
        "sums of gradients that are vectors",
    ),
):
    define_op(
        _handle,
        outputs="resource: resource",
        attrs=["container: string = ''", "shared_name: string = ''"],
        shape=scalar,
        gradient=MISSING_GRADIENT,
        doc=f"A handle of {_doc}, which another op creates.",
        stateful=True,
    )
    define_op(
        _asked,
        inputs=f"{_argument}: resource",
        outputs="is_initialized: bool",
        shape=_of_ensemble if _argument == "tree_ensemble_handle" else scalar,
        gradient=MISSING_GRADIENT,
        doc=f"Whether {_doc} was created behind a handle.",
        stateful=True,
    )
