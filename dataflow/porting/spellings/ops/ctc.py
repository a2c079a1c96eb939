"""tensorflow.python.ops.ctc_ops: what its losses are made of, each by itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.ctc import ctc_loss_v2
from dataflow.library.map_fn import scan
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import zeros, zeros_like
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.pad import pad
from dataflow.ops.array.select import one_hot, sequence_mask, where
from dataflow.ops.array.shape import expand_dims, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import eye
from dataflow.ops.math.compare import not_equal
from dataflow.ops.reductions.reduce import reduce_max, reduce_sum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes, nest

_NEVER = float("-inf")
"""The logarithm of the probability 0."""
_NEARLY_NEVER = math.log(1e-307)
"""One that can be added to others and subtracted again."""


def ctc_loss_dense(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    blank_index: int = 0,
    unique: Any = None,
    logits_time_major: bool = True,
    name: str | None = None,
) -> Tensor:
    """`tf.nn.ctc_loss_v2` of labels that are no sparse tensor."""
    return ctc_loss_v2(
        labels, logits, label_length, logit_length, logits_time_major, unique, blank_index, name
    )


def dense_labels_to_sparse(dense: Any, length: Any) -> SparseTensor:
    """Sequences of labels as a sparse tensor of int32, without what is behind the end of each.

    Args:
      dense: Of shape `[batch, most labels]`.
      length: How many labels each sequence has.
    """
    dense, length = convert_to_tensor(dense), convert_to_tensor(length)
    indices = where(sequence_mask(length, maxlen=shape(dense)[1]))
    sizes = stack([shape(dense, out_type=dtypes.int64)[0], cast(reduce_max(length), dtypes.int64)])
    return SparseTensor(indices, cast(gather_nd(dense, indices), dtypes.int32), sizes)


def _sum_states(idx: Any, states: Any) -> Tensor:
    """Adds up, as logarithms, the states of those labels of a sequence that are the same.

    Args:
      idx: The number of the label at each place, `[batch, labels]`.
      states: Logarithms for the places, `[frames, batch, labels]`.
    """
    states = convert_to_tensor(states)
    return _by_class(idx, states, shape(states)[2])


def _state_to_olabel(labels: Any, num_labels: int, states: Any) -> Tensor:
    """Adds up, as logarithms, the states of each class; the blank is the first.

    Args:
      labels: Of shape `[batch, labels]`.
      num_labels: How many classes there are.
      states: Those of the start and of each label, then the blanks before and behind each:
        `[frames, batch, 2 * (labels + 1)]`.
    """
    count = _get_dim(convert_to_tensor(labels), 1) + 1
    blanks = reduce_logsumexp(states[:, :, count:], axis=2, keepdims=True)
    return concat([blanks, _by_class(labels - 1, states[:, :, 1:count], num_labels - 1)], axis=-1)


def _state_to_olabel_unique(labels: Any, num_labels: int, states: Any, unique: Any) -> Tensor:
    """`_state_to_olabel`; nothing depends on what `tf.nn.ctc_unique_labels` gave."""
    return _state_to_olabel(labels, num_labels, states)


def _ilabel_to_state(labels: Any, num_labels: int, ilabel_log_probs: Any) -> Tensor:
    """What is observed of classes as what is observed of states; no frame is in the start state.

    Args:
      labels: Of shape `[batch, labels]`.
      num_labels: How many classes there are; the first is the blank.
      ilabel_log_probs: Logarithms for the classes, `[frames, batch, classes]`.

    Returns:
      Those of the start and of each label, then the blanks before and behind each:
      `[frames, batch, 2 * (labels + 1)]`.
    """
    labels, observed = convert_to_tensor(labels), convert_to_tensor(ilabel_log_probs)
    chosen = one_hot(labels, depth=num_labels, dtype=observed.dtype)
    of_labels = reduce_sum(expand_dims(observed, 2) * expand_dims(chosen, 0), axis=3)
    blanks = tile(observed[:, :, :1], [1, 1, _get_dim(labels, 1) + 1])
    return pad(
        concat([of_labels, blanks], axis=2), [[0, 0], [0, 0], [1, 0]], constant_values=_NEVER
    )


def ctc_state_log_probs(seq_lengths: Any, max_seq_length: int) -> tuple[Tensor, Tensor]:
    """Logarithms of where sequences begin, and of where they may end.

    Args:
      seq_lengths: How many labels each sequence has.
      max_seq_length: The most that there are.

    Returns:
      Two tensors `[batch, 2 * (max_seq_length + 1)]`: 0 for the first state, or for the last label
      and the blank behind it, and the logarithm of nearly nothing for all others.
    """
    lengths = convert_to_tensor(seq_lengths)
    states = max_seq_length + 1
    first = one_hot(
        zeros([_get_dim(lengths, 0)], dtype=dtypes.int32),
        depth=2 * states,
        on_value=0.0,
        off_value=_NEARLY_NEVER,
        axis=1,
    )
    last = one_hot(lengths, depth=states, on_value=0.0, off_value=_NEARLY_NEVER, axis=1)
    return first, concat([last, last], axis=1)


def _ctc_state_trans(label_seq: Any) -> Tensor:
    """Which state may follow which, as ones: `[batch, to, from]`.

    A state may stay; a label goes on to the blank behind it and to the next label, unless that is
    the same; a blank goes on to the next label.

    Args:
      label_seq: Of shape `[batch, labels]`.
    """
    labels = convert_to_tensor(label_seq)
    count = _get_dim(labels, 1) + 1
    stay, later = eye(count), pad(eye(count - 1), [[1, 0], [0, 1]])
    differ = cast(not_equal(labels[:, 1:], labels[:, :-1]), dtypes.float32)
    first = zeros_like(labels[:, :1], dtype=dtypes.float32)
    onward = concat([first, first + 1.0, differ], axis=1)
    to_label = expand_dims(onward, 2) * expand_dims(later, 0)
    same = zeros_like(to_label)
    rows = [
        concat([to_label + stay, same + later], axis=2),
        concat([same + stay, same + stay], axis=2),
    ]
    return concat(rows, axis=1)


def _by_class(classes: Any, states: Tensor, count: Any) -> Tensor:
    chosen = one_hot(classes, depth=count, on_value=0.0, off_value=_NEVER, axis=1)
    return reduce_logsumexp(expand_dims(states, 2) + chosen, axis=-1)


def _scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initial: Any,
    reverse: bool = False,
    inclusive: bool = False,
    final_only: bool = False,
) -> Any:
    """`tf.scan` of elements, the last ones first if asked for.

    Args:
      fn: Of what is accumulated and an element, or of structures of them.
      elems: Tensors, whose first dimension is that of the elements.
      initial: What is accumulated at first.
      reverse: Begins at the end.
      inclusive: The results have the initial value, too.
      final_only: Gives the last value alone.
    """
    initial = nest.map_structure(convert_to_tensor, initial)
    found = scan(fn, elems, initializer=initial, reverse=reverse)
    if final_only:
        return nest.map_structure(lambda each: each[0 if reverse else -1], found)
    if not inclusive:
        return found

    def joined(first: Tensor, others: Tensor) -> Tensor:
        parts = [expand_dims(first, 0), others]
        return concat(parts[::-1] if reverse else parts, axis=0)

    return nest.map_structure(joined, initial, found)


def _get_dim(tensor: Tensor, i: int) -> Any:
    """A size, as a number if it is known."""
    known = tensor.shape.as_list()[i]
    return shape(tensor)[i] if known is None else known
