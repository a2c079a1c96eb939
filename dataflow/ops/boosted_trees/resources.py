"""Ops that make the resources of boosted trees: handles, and whether there is something behind."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import expect_scalars
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import scalar
from dataflow.values.shapes import TensorShape


def _of_handle(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    return scalar(c)


for _kind, _handle, _doc in (
    ("Ensemble", "tree_ensemble_handle", "an ensemble of trees"),
    ("QuantileStream", "quantile_stream_resource_handle", "streams of features' values"),
):
    define_op(
        f"BoostedTrees{_kind}ResourceHandleOp",
        outputs="resource: resource",
        attrs=["container: string = ''", "shared_name: string = ''"],
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"A handle of {_doc}, which another op creates.",
        stateful=True,
    )
    _resource = "Ensemble" if _kind == "Ensemble" else "QuantileStreamResource"
    define_op(
        f"IsBoostedTrees{_resource}Initialized",
        inputs=f"{_handle}: resource",
        outputs="is_initialized: bool",
        shape=_of_handle,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"Whether {_doc} were created behind a handle.",
        stateful=True,
    )
