"""Ops that make, create, read and replace trees and the statistics of their leaves."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import no_outputs, scalar

for _handle_op, _doc in (
    ("DecisionTreeResourceHandleOp", "a tree"),
    ("FertileStatsResourceHandleOp", "the statistics of a tree's leaves"),
):
    define_op(
        _handle_op,
        outputs="resource: resource",
        attrs=["container: string = ''", "shared_name: string = ''"],
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"A handle of {_doc}, which another op creates.",
        stateful=True,
    )

for _op, _handle, _doc in (
    ("TreeIsInitializedOp", "tree_handle", "a tree"),
    ("FertileStatsIsInitializedOp", "stats_handle", "the statistics of a tree's leaves"),
):
    define_op(
        _op,
        inputs=f"{_handle}: resource",
        outputs="is_initialized: bool",
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"Whether there is {_doc} behind a handle.",
        stateful=True,
    )

for _op, _inputs, _doc in (
    ("CreateTreeVariable", "tree_handle: resource, tree_config: string", "Creates a tree."),
    ("TreeDeserialize", "tree_handle: resource, tree_config: string", "Replaces a tree."),
    (
        "CreateFertileStatsVariable",
        "stats_handle: resource, stats_config: string",
        "Creates the statistics of a tree's leaves.",
    ),
    (
        "FertileStatsDeserialize",
        "stats_handle: resource, stats_config: string",
        "Replaces the statistics of a tree's leaves.",
    ),
):
    define_op(
        _op,
        inputs=_inputs,
        attrs=["params: string"],
        shape=no_outputs,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

define_op(
    "TreeSerialize",
    inputs="tree_handle: resource",
    outputs="tree_config: string",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A tree as the bytes of a decision_trees.Model message.",
    stateful=True,
)

define_op(
    "FertileStatsSerialize",
    inputs="stats_handle: resource",
    outputs="stats_config: string",
    attrs=["params: string"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The statistics of a tree's leaves as the bytes of a FertileStats message.",
    stateful=True,
)
