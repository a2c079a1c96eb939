"""Ops that send examples through a tree, and let it grow."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, scalar
from dataflow.values.shapes import TensorShape

_EXAMPLES = (
    "input_data: float, sparse_input_indices: int64, sparse_input_values: float, "
    "sparse_input_shape: int64"
)
_VECTOR = TensorShape.of((None,))


def _examples(c: InferenceContext) -> int | None:
    """How many rows of dense features there are; None if that is not known, or none."""
    dims = c.input(1).dims_tuple
    return (dims[0] or None) if dims else None


def _leaves(c: InferenceContext) -> list[TensorShape]:
    return [TensorShape.of((_examples(c),))]


def _predictions(c: InferenceContext) -> list[TensorShape]:
    return [TensorShape.of((_examples(c), None)), _VECTOR]


def _some(c: InferenceContext) -> list[TensorShape]:
    return [_VECTOR]


define_op(
    "TreeSize",
    inputs="tree_handle: resource",
    outputs="tree_size: int32",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="How many nodes a tree has, leaves included.",
    stateful=True,
)

define_op(
    "TraverseTreeV4",
    inputs=f"tree_handle: resource, {_EXAMPLES}",
    outputs="leaf_ids: int32",
    attrs=["input_spec: string", "params: string"],
    shape=_leaves,
    gradient=NOT_DIFFERENTIABLE,
    doc="The leaf of each example.",
    stateful=True,
)

define_op(
    "TreePredictionsV4",
    inputs=f"tree_handle: resource, {_EXAMPLES}",
    outputs="predictions: float, tree_paths: string",
    attrs=["input_spec: string", "params: string"],
    shape=_predictions,
    gradient=NOT_DIFFERENTIABLE,
    doc="What the leaf of each example predicts, and the way there where params ask for it.",
    stateful=True,
)

define_op(
    "FeatureUsageCounts",
    inputs="tree_handle: resource",
    outputs="feature_counts: int32",
    attrs=["params: string"],
    shape=_some,
    gradient=NOT_DIFFERENTIABLE,
    doc="How many nodes look at each feature.",
    stateful=True,
)

define_op(
    "UpdateModelV4",
    inputs="tree_handle: resource, leaf_ids: int32, input_labels: float, input_weights: float",
    attrs=["params: string"],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Counts examples in the models of their leaves.",
    stateful=True,
)

define_op(
    "ProcessInputV4",
    inputs=(
        f"tree_handle: resource, stats_handle: resource, {_EXAMPLES}, input_labels: float, "
        "input_weights: float, leaf_ids: int32"
    ),
    outputs="finished_nodes: int32",
    attrs=["random_seed: int", "input_spec: string", "params: string"],
    shape=_some,
    gradient=NOT_DIFFERENTIABLE,
    doc="Makes candidates for splits of examples, counts the others; gives what can split.",
    stateful=True,
)

define_op(
    "GrowTreeV4",
    inputs="tree_handle: resource, stats_handle: resource, finished_nodes: int32",
    attrs=["params: string"],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Splits leaves by their best candidates.",
    stateful=True,
)

define_op(
    "FinalizeTree",
    inputs="tree_handle: resource, stats_handle: resource",
    attrs=["params: string"],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Ends the training of a tree of means, whose leaves are as they are to be; of no other.",
    stateful=True,
)
