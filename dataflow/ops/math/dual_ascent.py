"""Stochastic dual coordinate ascent: a step over a batch of examples, and what goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

_LOSSES = "{'logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', 'poisson_loss'}"


def _step_shapes(c: InferenceContext) -> list[TensorShape]:
    groups = c.attr("num_sparse_features") + c.attr("num_dense_features")
    state = c.num_inputs - 1
    return [TensorShape.of((None, 4)), *(c.input(at) for at in range(state - groups, state))]


def _fprint_shape(c: InferenceContext) -> TensorShape:
    dims = with_rank(c.input(0), 1).dims_tuple or (None,)
    return TensorShape.of((dims[0], 2))


for _name, _adaptive in (("SdcaOptimizer", "adaptative"), ("SdcaOptimizerV2", "adaptive")):
    define_op(
        _name,
        inputs=(
            "sparse_example_indices: num_sparse_features * int64,"
            " sparse_feature_indices: num_sparse_features * int64,"
            " sparse_feature_values: num_sparse_features_with_values * float32,"
            " dense_features: num_dense_features * float32, example_weights: float32,"
            " example_labels: float32, sparse_indices: num_sparse_features * int64,"
            " sparse_weights: num_sparse_features * float32,"
            " dense_weights: num_dense_features * float32, example_state_data: float32"
        ),
        outputs=(
            "out_example_state_data: float32,"
            " out_delta_sparse_weights: num_sparse_features * float32,"
            " out_delta_dense_weights: num_dense_features * float32"
        ),
        attrs=[
            f"loss_type: {_LOSSES}",
            f"{_adaptive}: bool = false",
            "num_sparse_features: int >= 0",
            "num_sparse_features_with_values: int >= 0",
            "num_dense_features: int >= 0",
            "l1: float",
            "l2: float",
            "num_loss_partitions: int >= 1",
            "num_inner_iterations: int >= 1",
        ],
        shape=_step_shapes,
        gradient=NOT_DIFFERENTIABLE,
        doc="A step of dual ascent over a batch: what becomes of the examples and the weights.",
    )

define_op(
    "SdcaShrinkL1",
    inputs="weights: num_features * Ref(float32)",
    outputs="",
    attrs=["num_features: int >= 0", "l1: float", "l2: float"],
    shape=lambda c: [],
    gradient=MISSING_GRADIENT,
    doc="Moves weights towards zero, as far as their L1 norm is held down.",
)

define_op(
    "SdcaFprint",
    inputs="input: string",
    outputs="output: int64",
    shape=_fprint_shape,
    gradient=MISSING_GRADIENT,
    doc="A fingerprint of 128 bits for each string.",
)


class SdcaOptimizer(NamedTuple):
    """What a step of dual ascent comes to."""

    out_example_state_data: Tensor
    out_delta_sparse_weights: list[Tensor]
    out_delta_dense_weights: list[Tensor]


def sdca_optimizer(
    sparse_example_indices: Sequence[Any],
    sparse_feature_indices: Sequence[Any],
    sparse_feature_values: Sequence[Any],
    dense_features: Sequence[Any],
    example_weights: Any,
    example_labels: Any,
    sparse_indices: Sequence[Any],
    sparse_weights: Sequence[Any],
    dense_weights: Sequence[Any],
    example_state_data: Any,
    loss_type: str,
    l1: float,
    l2: float,
    num_loss_partitions: int,
    num_inner_iterations: int,
    adaptative: bool = True,
    name: str | None = None,
) -> SdcaOptimizer:
    """A step of stochastic dual coordinate ascent (Shalev-Shwartz and Zhang, 2012).

    Examples are taken in random order, each once.

    Args:
      sparse_example_indices: For each group of sparse features the example of each feature, in
        order: int64 vectors.
      sparse_feature_indices: Which feature each is: int64 vectors.
      sparse_feature_values: The features' values for as many groups as are given, from the first
        on; those of the rest are 1: float32 vectors.
      dense_features: float32 matrices of a row for each example.
      example_weights: What each example counts: a float32 vector.
      example_labels: What each example is: a float32 vector.
      sparse_indices: Which features the weights of each sparse group are of: int64 vectors.
      sparse_weights: Their weights: float32 vectors.
      dense_weights: The weights of the dense groups: float32 vectors.
      example_state_data: For each example its dual, its primal and its dual loss, and its weight:
        a float32 matrix of four columns.
      loss_type: `logistic_loss`, `squared_loss`, `hinge_loss`, `smooth_hinge_loss` or
        `poisson_loss`.
      l1: How much the weights' L1 norm is held down.
      l2: How much their L2 norm is.
      num_loss_partitions: Over how many such steps at once the loss is divided.
      num_inner_iterations: Accepted.
      adaptative: Takes examples by how much they may change, where some are taken again.
      name: Name of the operation.

    Returns:
      The examples' new states, and what is to be added to the weights of each group.

    Raises:
      InvalidArgumentError: In a step: a shape does not fit, a feature has no weight or comes twice
        in an example, a label is none of the loss.
    """
    state, sparse, dense = apply_op(
        "SdcaOptimizer",
        sparse_example_indices,
        sparse_feature_indices,
        sparse_feature_values,
        dense_features,
        example_weights,
        example_labels,
        sparse_indices,
        sparse_weights,
        dense_weights,
        example_state_data,
        loss_type=loss_type,
        adaptative=adaptative,
        l1=l1,
        l2=l2,
        num_loss_partitions=num_loss_partitions,
        num_inner_iterations=num_inner_iterations,
        name=name,
    )
    return SdcaOptimizer(state, list(sparse), list(dense))


def sdca_shrink_l1(
    weights: Sequence[Any], l1: float, l2: float, name: str | None = None
) -> Operation:
    """Moves the weights of reference variables towards zero, by `l1 / l2` and no further than it.

    Args:
      weights: float32 reference variables.
      l1: How much their L1 norm is held down.
      l2: How much their L2 norm is.
      name: Name of the operation.
    """
    made: Operation = apply_op("SdcaShrinkL1", weights, l1=l1, l2=l2, name=name)
    return made


def sdca_fprint(input: Any, name: str | None = None) -> Tensor:
    """A fingerprint of 128 bits for each string, of which the first 64 are not 0 or 1.

    Args:
      input: A vector of strings.
      name: Name of the operation.

    Returns:
      int64, [strings, 2].

    Raises:
      ValueError: `input` is no vector.
    """
    return single("SdcaFprint", input, name=name)
