"""Kernels of the CTC loss and of CTC decoders, on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import FailedPreconditionError, OpError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sequences.beams import search
from dataflow.kernels.sequences.paths import loss_and_gradient
from dataflow.kernels.sparse.coordinates import check_order, outside
from dataflow.values import dtypes

_TYPES = {"T": (dtypes.float32, dtypes.float64)}
_INPUTS = ("inputs", "sequence_length")
_DECODED = ("decoded_indices", "decoded_values", "decoded_shape", "log_probability")
Refuse = Callable[[str], OpError]


@kernel(
    "CTCLoss",
    dtypes=_TYPES,
    host_inputs=("inputs", "labels_indices", "labels_values", "sequence_length"),
    host_outputs=("loss", "gradient"),
)
def ctc_loss(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    collapses = bool(node.attr("preprocess_collapse_repeated"))
    merges = bool(node.attr("ctc_merge_repeated"))
    ignores = bool(node.attr("ignore_longer_outputs_than_inputs"))

    def run(inputs: Any, indices: Any, values: Any, lengths: Any) -> Any:
        _check_ranks(inputs, lengths)
        labels = _labels(indices, values, inputs.shape)
        _check_lengths(inputs.shape, lengths, invalid)
        counts = np.array([len(each) for each in labels])
        is_left_out = (lengths == 0) | (ignores & (counts > lengths))
        said = [_said(batch, each, inputs.shape[2], collapses) for batch, each in enumerate(labels)]
        for batch, each in enumerate(said):
            if len(each) > lengths[batch] and not ignores:
                raise invalid(
                    "Not enough time for target transition sequence (required: "
                    f"{len(each)}, available: {lengths[batch]}){batch}You can turn this error "
                    "into a warning by using the flag ignore_longer_outputs_than_inputs"
                )
        loss, gradient = np.zeros(len(labels)), np.zeros(inputs.shape, dtype)
        kept = np.flatnonzero(~is_left_out)
        if kept.size:
            frames = int(lengths[kept].max())
            chosen = inputs[:frames, kept].astype(np.float64)
            with np.errstate(invalid="ignore", over="ignore"):
                loss[kept], gradient[:frames, kept] = loss_and_gradient(
                    chosen, [said[each] for each in kept], lengths[kept], merges
                )
        return loss.astype(dtype), gradient

    return run


def _check_ranks(inputs: Any, lengths: Any) -> None:
    if inputs.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    if lengths.ndim != 1:
        raise invalid("sequence_length is not a vector")


def _check_lengths(shape: tuple[int, ...], lengths: Any, refuse: Refuse) -> None:
    frames, batch, classes = shape
    if lengths.size != batch:
        raise refuse(
            "len(sequence_length) != batch_size.  len(sequence_length):  "
            f"{lengths.size} batch_size: {batch}"
        )
    if not classes:
        raise invalid("inputs have no class: the last one is the blank")
    for number, length in enumerate(lengths.tolist()):
        if length < 0:
            raise refuse(f"seq_len({number}) < 0")
        if length > frames:
            raise refuse(f"sequence_length({number}) <= {frames}")


def _labels(indices: Any, values: Any, shape: tuple[int, ...]) -> list[list[int]]:
    """The labels of each sequence."""
    frames, batch, _ = shape
    if indices.ndim != 2:
        raise invalid("labels_indices is not a matrix")
    if values.ndim != 1:
        raise invalid("labels_values is not a vector")
    if not frames:
        raise invalid("Max time or first dimension of input cannot be 0.")
    if not batch:
        raise invalid("batch_size must not be 0")
    if len(indices) != values.size:
        raise invalid(
            "labels_indices and labels_values must contain the same number of rows, but saw "
            f"shapes: {shape_text(indices.shape)} vs. {shape_text(values.shape)}"
        )
    if indices.shape[1] != 2:
        raise invalid("Order length must be SparseTensor rank.")
    whole = np.array([batch, indices[:, 1].max(initial=-1) + 1])
    try:
        check_order(indices, whole, outside(indices, whole))
    except OpError as error:
        raise invalid(f"label SparseTensor is not valid: {error.message}") from None
    counts = np.bincount(indices[:, 0], minlength=batch)
    if not counts.all():
        raise invalid(f"Labels length is zero in batch {int(counts.argmin())}")
    return [part.tolist() for part in np.split(values, np.cumsum(counts)[:-1])]


def _said(batch: int, labels: list[int], classes: int, collapses: bool) -> list[int]:
    """The labels without those that stand for none, behind which nothing may come."""
    said: list[int] = []
    has_ended = False
    for place, label in enumerate(labels):
        if collapses and place and label == labels[place - 1]:
            continue
        if label >= classes - 1:
            has_ended = True
        elif has_ended:
            raise invalid(
                "Saw a non-null label (index >= num_classes - 1) following a null label, batch: "
                f"{batch} num_classes: {classes} labels: {','.join(map(str, labels))} labels seen "
                f"so far: {','.join(map(str, said))}"
            )
        elif label < 0:
            text = ",".join(map(str, labels))
            raise invalid(f"All labels must be nonnegative integers, batch: {batch} labels: {text}")
        else:
            said.append(label)
    return said


def _precondition(text: str) -> OpError:
    return FailedPreconditionError(None, None, text)


def _check_decoded(inputs: Any, lengths: Any) -> None:
    _check_ranks(inputs, lengths)
    if not inputs.size:
        raise invalid("inputs must not be empty")
    _check_lengths(inputs.shape, lengths, _precondition)


def _sparse(rows: list[list[int]]) -> tuple[Any, Any, Any]:
    """The sparse tensor of rows of labels: indices, values and shape."""
    sizes = np.array([len(row) for row in rows])
    owners = np.repeat(np.arange(len(rows)), sizes)
    places = np.arange(owners.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    values = np.array([label for row in rows for label in row], np.int64)
    shape = np.array([len(rows), sizes.max(initial=0)], np.int64)
    return np.stack([owners, places], axis=1).astype(np.int64), values, shape


@kernel("CTCGreedyDecoder", dtypes=_TYPES, host_inputs=_INPUTS, host_outputs=_DECODED)
def greedy_decoder(node: KernelNode, xp: Any) -> Callable[..., Any]:
    merges, asked = bool(node.attr("merge_repeated")), int(node.attr("blank_index"))

    def run(inputs: Any, lengths: Any) -> Any:
        _check_decoded(inputs, lengths)
        frames, _, classes = inputs.shape
        if not -classes <= asked < classes:
            raise invalid(
                f"blank_index expected to be between {-classes} and {classes - 1} but was {asked}"
            )
        is_there = np.arange(frames)[:, None] < lengths
        best = inputs.argmax(axis=2)
        is_said = is_there & (best != asked % classes)
        if merges:
            is_said[1:] &= best[1:] != best[:-1]
        rows = [column[said].tolist() for column, said in zip(best.T, is_said.T, strict=True)]
        scores = np.where(is_there, inputs.max(axis=2), inputs.dtype.type(0)).sum(axis=0)
        return *_sparse(rows), -scores[:, None]

    return run


@kernel("CTCBeamSearchDecoder", dtypes=_TYPES, host_inputs=_INPUTS, host_outputs=_DECODED)
def beam_search_decoder(node: KernelNode, xp: Any) -> Callable[..., Any]:
    width, count = int(node.attr("beam_width")), int(node.attr("top_paths"))
    merges = bool(node.attr("merge_repeated"))

    def run(inputs: Any, lengths: Any) -> Any:
        _check_decoded(inputs, lengths)
        if count > width:
            raise invalid("requested more paths than the beam width.")
        with np.errstate(invalid="ignore"):
            beams = search(inputs, lengths, width)
        if beams.numbers.shape[1] < count or (beams.numbers[:, :count] < 0).any():
            raise invalid("Less leaves in the beam search than requested.")
        parts = []
        for place in range(count):
            rows = [beams.prefixes.labels(number) for number in beams.numbers[:, place].tolist()]
            parts.append(_sparse([_merged(row) if merges else row for row in rows]))
        indices, values, shapes = zip(*parts, strict=True)
        return *indices, *values, *shapes, beams.total[:, :count]

    return run


def _merged(labels: list[int]) -> list[int]:
    """The labels, repeated ones made one."""
    return [label for i, label in enumerate(labels) if not i or label != labels[i - 1]]
