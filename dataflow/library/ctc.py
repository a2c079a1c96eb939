"""CTC losses of dense labels, and what prepares such labels."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.pad as array_pad
import dataflow.ops.array.scatter as array_scatter
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.array.unique as array_unique
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.map_fn import map_fn
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.basic.cast import cast
from dataflow.ops.sequences.ctc import ctc_loss
from dataflow.ops.sparse.dense import from_dense
from dataflow.values import dtypes
from dataflow.values.shapes import dimension_value


def ctc_loss_v2(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The negative log probability of all paths that say the labels; see `ctc_loss`.

    Args:
      labels: Integers, dense of shape `[batch, most labels]`, or an int32 sparse tensor.
      logits: Of shape `[frames, batch, classes]`.
      label_length: How many labels each sequence has, `[batch]`; not used if they are sparse.
      logit_length: How many frames each sequence has, `[batch]`.
      logits_time_major: False for logits of shape `[batch, frames, classes]`.
      unique: What `ctc_unique_labels` gave; nothing depends on it.
      blank_index: The class of the blank: 0 for dense labels if None; to be said if they are
        sparse. Negative ones count from the end.
      name: Name of the operations of dense labels.

    Returns:
      The loss of each sequence, `[batch]`.

    Raises:
      ValueError: Labels are sparse and the class of the blank is not said.
    """
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("blank_index must be given when using SparseTensor labels.")
        logits, values = _with_last_blank(logits, labels.values, blank_index)
        if values is not labels.values:
            labels = SparseTensor(labels.indices, values, labels.dense_shape)
        return ctc_loss(labels, logits, logit_length, time_major=logits_time_major)
    with name_scope(name, "ctc_loss_dense", [logits, labels, label_length, logit_length]):
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        lengths = convert_to_tensor(label_length, name="label_length")
        if not logits_time_major:
            logits = array_transpose.transpose(logits, [1, 0, 2])
        logits, labels = _with_last_blank(logits, labels, blank_index or 0)
        frames = cast(convert_to_tensor(logit_length, name="logit_length"), dtypes.int32)
        return ctc_loss(_sparse(labels, lengths, _size(logits, 2)), logits, frames)


def _with_last_blank(logits: Any, labels: Any, blank: Any) -> tuple[Any, Any]:
    """Logits whose last class is the blank, and labels that are numbered so."""
    classes = _size(logits, 2)
    if blank < 0:
        blank += classes
    if blank == classes - 1:
        return logits, labels
    parts = [logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]]
    turned = array_concat.concat(parts, axis=2)
    return turned, array_select.where(labels < blank, labels, labels - 1)


def _sparse(labels: Any, lengths: Any, classes: Any) -> SparseTensor:
    """The labels as a sparse tensor; the blank, with which each ends, stands for none."""
    labels = array_pad.pad(cast(labels, dtypes.int32), [[0, 0], [0, 1]])
    is_label = array_select.sequence_mask(lengths, maxlen=_size(labels, 1))
    none = array_fill.zeros_like(labels) + (classes - 1)
    whole = array_select.where(is_label, labels, none)
    # One is added that no label is 0, which sparse tensors leave out.
    sparse = from_dense(whole + 1)
    values: Any = sparse.values
    return sparse.with_values(values - 1)


def _size(tensor: Any, axis: int) -> Any:
    known = dimension_value(tensor.shape[axis])
    if known is not None:
        return known
    sizes: Any = array_shape.shape(tensor)
    return sizes[axis]


def collapse_repeated(
    labels: Any, seq_length: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Labels of which repeated ones are one.

    Args:
      labels: Of shape `[batch, most labels]`.
      seq_length: How many labels each sequence has, `[batch]`.
      name: Name of the operations.

    Returns:
      The labels, 0 behind those of each sequence, and how many each has now.
    """
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = convert_to_tensor(labels, name="labels")
        lengths = convert_to_tensor(seq_length, name="seq_length")
        is_new = array_concat.concat(
            [
                array_fill.ones_like(labels[:, :1], dtypes.bool),
                math_compare.not_equal(labels[:, 1:], labels[:, :-1]),
            ],
            axis=1,
        )
        is_there = array_select.sequence_mask(lengths, maxlen=_size(labels, 1))
        is_kept = math_compare.logical_and(is_new, is_there)
        counts = reductions.reduce_sum(cast(is_kept, dtypes.int32), axis=1)
        most = reductions.reduce_max(counts)
        is_filled = array_select.sequence_mask(counts, maxlen=most)
        flat_labels = array_shape.reshape(labels, [-1])
        flat_kept = array_shape.reshape(is_kept, [-1])
        flat_filled = array_shape.reshape(is_filled, [-1])
        places = range_ops.range(_size(flat_filled, 0))
        flat = array_scatter.scatter_nd(
            array_shape.expand_dims(boolean_mask(places, flat_filled), axis=1),
            boolean_mask(flat_labels, flat_kept),
            array_shape.shape(flat_filled),
        )
        whole = array_shape.reshape(flat, [_size(labels, 0), most])
        return whole, cast(counts, lengths.dtype)


def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """The distinct labels of each sequence, padded with 0, and the place of each label there.

    Args:
      labels: Of shape `[batch, most labels]`.
      name: Name of the operations.

    Returns:
      int64 and int32, both of the labels' shape.
    """
    with name_scope(name, "ctc_unique_labels", [labels]):
        labels = convert_to_tensor(labels, name="labels")

        def distinct(row: Any) -> list[Any]:
            values, places = array_unique.unique(row)
            missing = _size(places, 0) - _size(values, 0)
            return [cast(array_pad.pad(values, [[0, missing]]), dtypes.int64), places]

        return map_fn(distinct, labels, dtype=[dtypes.int64, dtypes.int32])
