"""Connectionist temporal classification (Graves et al. 2006): the loss, and the decoders.

A network gives logits for each frame of a sequence, of the labels and of a blank, which is the last
class. A path is a class for each frame; what it says is left when repeated classes are one and
blanks are taken out.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.shape_parts import replaced, size_at, vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape

_FLOAT = "T: {float32, float64} = float32"
_NARROW = (dtypes.float16, dtypes.bfloat16)


def _batch(c: InferenceContext, lengths: int) -> int | None:
    """The number of sequences, as logits and lengths, which is input `lengths`, have it."""
    logits = with_rank(c.input(0), 3)
    return merge_dim(size_at(logits, 1), size_at(with_rank(c.input(lengths), 1), 0))


def _loss_shape(c: InferenceContext) -> list[TensorShape]:
    indices, values = with_rank(c.input(1), 2), with_rank(c.input(2), 1)
    merge_dim(size_at(indices, 0), size_at(values, 0))
    batch = _batch(c, 3)
    return [vector(batch), replaced(with_rank(c.input(0), 3), 1, batch)]


def _greedy_shape(c: InferenceContext) -> list[TensorShape]:
    return [*_decoded(1), TensorShape.of((_batch(c, 1), 1))]


def _beam_shape(c: InferenceContext) -> list[TensorShape]:
    paths = c.attr("top_paths")
    return [*_decoded(paths), TensorShape.of((_batch(c, 1), paths))]


def _decoded(paths: int) -> list[TensorShape]:
    parts = (TensorShape.of((None, 2)), vector(None), vector(2))
    return [part for part in parts for _ in range(paths)]


def _loss_gradient(op: Operation, grad: Any, _: Any) -> Any:
    """The kernel has made the gradient of the logits; there is none of that."""
    of_logits: Any = single(
        "PreventGradient",
        op.outputs[1],
        message=(
            "Currently there is no way to take the second  derivative of ctc_loss due to the "
            "fused implementation's interaction  with tf.gradients()"
        ),
    )
    column = array_shape.expand_dims(grad, -1)
    return column * of_logits, None, None, None


define_op(
    "CTCLoss",
    inputs="inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32",
    outputs="loss: T, gradient: T",
    attrs=[
        "preprocess_collapse_repeated: bool = false",
        "ctc_merge_repeated: bool = true",
        "ignore_longer_outputs_than_inputs: bool = false",
        _FLOAT,
    ],
    shape=_loss_shape,
    gradient=_loss_gradient,
    doc="The negative log probability of all paths that say the labels, and its gradient.",
)
define_op(
    "CTCGreedyDecoder",
    inputs="inputs: T, sequence_length: int32",
    outputs=(
        "decoded_indices: int64, decoded_values: int64, decoded_shape: int64, log_probability: T"
    ),
    attrs=["merge_repeated: bool = false", "blank_index: int = -1", _FLOAT],
    shape=_greedy_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="What the path of the likeliest class of each frame says.",
)
define_op(
    "CTCBeamSearchDecoder",
    inputs="inputs: T, sequence_length: int32",
    outputs=(
        "decoded_indices: top_paths * int64, decoded_values: top_paths * int64, "
        "decoded_shape: top_paths * int64, log_probability: T"
    ),
    attrs=[
        "beam_width: int >= 1",
        "top_paths: int >= 1",
        "merge_repeated: bool = true",
        _FLOAT,
    ],
    shape=_beam_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="What is said by the paths that a search over prefixes finds the likeliest.",
)


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """The negative log probability of all paths that say the labels.

    Args:
      labels: int32 sparse tensor of shape `[batch, most labels]`, in order: labels from 0 up to
        `classes - 1`, which is the blank.
      inputs: Logits of shape `[frames, batch, classes]`.
      sequence_length: int32, of shape `[batch]`: how many frames each sequence has.
      preprocess_collapse_repeated: Whether repeated labels are made one first.
      ctc_merge_repeated: Whether repeated classes of a path are one, unless a blank is between
        them. If not, each stands for a label of its own.
      ignore_longer_outputs_than_inputs: Whether a sequence with more labels than frames has the
        loss 0, rather than being an error.
      time_major: False for logits of shape `[batch, frames, classes]`.
      logits: Another name of `inputs`.

    Returns:
      The loss of each sequence, `[batch]`.

    Raises:
      TypeError: The labels are not sparse.
      InvalidArgumentError: In the run: labels or lengths do not fit the logits.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    frames = convert_to_tensor(renamed("inputs", inputs, "logits", logits), name="logits")
    if not time_major:
        frames = array_transpose.transpose(frames, [1, 0, 2])
    dtype = frames.dtype
    if dtype in _NARROW:
        frames = cast(frames, dtypes.float32)
    loss, _ = apply_op(
        "CTCLoss",
        frames,
        labels.indices,
        labels.values,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    result: Tensor = cast(loss, dtype) if dtype in _NARROW else loss
    return result


def ctc_greedy_decoder(
    inputs: Any,
    sequence_length: Any,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[SparseTensor], Tensor]:
    """What the path of the likeliest class of each frame says.

    Args:
      inputs: Logits of shape `[frames, batch, classes]`.
      sequence_length: int32, of shape `[batch]`: how many frames each sequence has.
      merge_repeated: Whether repeated classes are one.
      blank_index: The class of the blank; the last one if None, negative ones count from the end.

    Returns:
      A list of one sparse tensor of labels, `[batch, most labels]`, and the negative sums of the
      path's logits, `[batch, 1]`.
    """
    *parts, scores = apply_op(
        "CTCGreedyDecoder",
        inputs,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    return [SparseTensor(*parts)], scores


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """The likeliest labels that a beam search over their prefixes finds.

    Args:
      inputs: Logits of shape `[frames, batch, classes]`; the last class is the blank.
      sequence_length: int32, of shape `[batch]`: how many frames each sequence has.
      beam_width: How many prefixes are followed at a time.
      top_paths: How many results are wanted, `beam_width` at most.
      merge_repeated: Whether repeated labels of the results are made one.

    Returns:
      A list of `top_paths` sparse tensors of labels, `[batch, most labels]`, the likeliest first,
      and their log probabilities, `[batch, top_paths]`.
    """
    indices, values, shapes, scores = apply_op(
        "CTCBeamSearchDecoder",
        inputs,
        sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    return [SparseTensor(*each) for each in zip(indices, values, shapes, strict=True)], scores


def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """As `ctc_beam_search_decoder`, repeated labels of the results kept."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)
