"""Whole beams of what each step of a beam search said: an op of tf.contrib.seq2seq."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape


def _beams_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(3), 0)
    steps = with_rank(c.input(0), 3).merge_with(with_rank(c.input(1), 3))
    batch = with_rank(c.input(2), 1)
    return steps.merge_with(TensorShape([None, batch[0], None]))


define_op(
    "GatherTree",
    inputs="step_ids: T, parent_ids: T, max_sequence_lengths: int32, end_token: T",
    outputs="beams: T",
    attrs=["T: {int32}"],
    shape=_beams_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The tokens of each beam, followed from its last step to the first.",
)


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: Any = None
) -> Tensor:
    """The whole beams, of what each beam said in each step and of which beam it comes from.

    Args:
      step_ids: int32 [time, batch, beam].
      parent_ids: Of which beam of the step before each comes, int32 of the same shape.
      max_sequence_lengths: int32 [batch]: steps from there on do not count.
      end_token: int32 scalar; what comes behind it, or behind the last step, is `end_token`.
      name: Of the node.

    Returns:
      int32 [time, batch, beam].

    Raises:
      ValueError: A rank is not right.
      InvalidArgumentError: In the run: a parent is no beam, or shapes differ.
    """
    return single("GatherTree", step_ids, parent_ids, max_sequence_lengths, end_token, name=name)
