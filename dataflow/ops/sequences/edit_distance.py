"""Distances between sequences: how many elements to put in, take out or change."""

from __future__ import annotations

from typing import Any

from dataflow.graph.sparse_tensor import is_sparse
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank
from dataflow.values.shapes import TensorShape


def _distance_shape(c: InferenceContext) -> TensorShape:
    for first in (0, 3):
        with_rank(c.input(first), 2)
        with_rank(c.input(first + 1), 1)
        with_rank(c.input(first + 2), 1)
    if c.constant(2) is None or c.constant(5) is None:
        return UNKNOWN
    hypothesis = c.constant_as_shape(2).dims_tuple or ()
    truth = c.constant_as_shape(5).dims_tuple or ()
    if len(hypothesis) != len(truth):
        raise ValueError(
            "Num elements of hypothesis_shape does not match truth_shape: "
            f"{len(hypothesis)} vs. {len(truth)}"
        )
    if len(hypothesis) < 2:
        raise ValueError(
            "Input Hypothesis SparseTensors must have rank at least 2, but hypothesis_shape rank "
            f"is: {len(hypothesis)}"
        )
    sizes = zip(hypothesis[:-1], truth[:-1], strict=True)
    return TensorShape.of(tuple(max(h or 0, t or 0) for h, t in sizes))


define_op(
    "EditDistance",
    inputs=(
        "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
        "truth_indices: int64, truth_values: T, truth_shape: int64"
    ),
    outputs="output: float32",
    attrs=["normalize: bool = true", "T: type"],
    shape=_distance_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Levenshtein's distance of the sequences in the last dimension of sparse tensors.",
)


def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """Levenshtein's distance between the sequences in the last dimension.

    Args:
      hypothesis: A sparse tensor, in order: the sequences.
      truth: A sparse tensor of the same rank and type, in order: what they are compared with.
      normalize: Whether distances are divided by the lengths of the true sequences; that to an
        empty one is infinite then, unless both are empty.
      name: Name of the operation.

    Returns:
      float32, of the shape without the last dimension.

    Raises:
      TypeError: One is not sparse.
    """
    if not is_sparse(hypothesis):
        raise TypeError("Hypothesis must be a SparseTensor.")
    if not is_sparse(truth):
        raise TypeError("Truth must be a SparseTensor.")
    parts = [
        part
        for each in (hypothesis, truth)
        for part in (each.indices, each.values, each.dense_shape)
    ]
    return single("EditDistance", *parts, normalize=normalize, name=name)
