"""tensorflow.python.ops.ctc_ops: how likely states are, by all ways to and from them."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.select import sequence_mask
from dataflow.ops.array.shape import expand_dims
from dataflow.ops.array.transpose import transpose
from dataflow.ops.math.unary import exp, log
from dataflow.ops.nn.softmax import log_softmax
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.porting.spellings.ops.ctc import (
    _ctc_state_trans,
    _get_dim,
    _ilabel_to_state,
    _scan,
    _state_to_olabel,
    ctc_state_log_probs,
)
from dataflow.values import dtypes


def _forward_backward_log(
    state_trans_log_probs: Any,
    initial_state_log_probs: Any,
    final_state_log_probs: Any,
    observed_log_probs: Any,
    sequence_length: Any,
) -> tuple[Tensor, Tensor]:
    """How likely each state is at each time, given all that is observed; all as logarithms.

    Args:
      state_trans_log_probs: Of each state after another, `[to, from]` or `[batch, to, from]`.
      initial_state_log_probs: Of the first state, `[batch, states]`.
      final_state_log_probs: Of the last one, `[batch, states]`.
      observed_log_probs: Of what is observed, if a state is there: `[times, batch, states]`.
      sequence_length: How many times each sequence has.

    Returns:
      The states, `[times, batch, states]`, and of each whole sequence, `[batch]`.

    Raises:
      ValueError: The first is no matrix, nor a batch of them.
    """
    onward = convert_to_tensor(state_trans_log_probs)
    observed = convert_to_tensor(observed_log_probs)
    last = convert_to_tensor(final_state_log_probs)
    orders = {2: [1, 0], 3: [0, 2, 1]}
    if onward.shape.ndims not in orders:
        raise ValueError(
            f"state_trans_log_probs rank must be known and == 2 or 3, is: {onward.shape.ndims}"
        )
    backward = transpose(onward, orders[onward.shape.ndims])

    def forward_step(before: Tensor, seen: Tensor) -> Tensor:
        reached = _moved(before, onward) + seen
        return reached - reduce_logsumexp(reached, axis=-1, keepdims=True)

    forward = _scan(forward_step, observed, initial_state_log_probs, inclusive=True)
    frames = sequence_mask(sequence_length, _get_dim(observed, 0), dtypes.float32)
    is_there = transpose(frames, [1, 0])

    def backward_step(after: tuple[Tensor, Tensor], given: tuple[Tensor, Tensor]) -> Any:
        (states, total), (seen, counts) = after, given
        reached = _moved(states + seen, backward)
        sums = reduce_logsumexp(reached, axis=-1)
        goes_on = expand_dims(counts, 1)
        begun = (reached - expand_dims(sums, 1)) * goes_on + last * (1.0 - goes_on)
        return begun, total + sums * counts

    nothing = zeros([_get_dim(observed, 1)])
    back, totals = _scan(
        backward_step, (observed, is_there), (last, nothing), reverse=True, inclusive=True
    )
    both = forward[1:] + back[1:]
    states = both - reduce_logsumexp(both, axis=2, keepdims=True) + log(expand_dims(is_there, 2))
    return states, back[0, :, 0] + totals[0]


def ctc_loss_and_grad(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, unique: Any = None
) -> tuple[Tensor, Tensor]:
    """The losses of sequences and their gradients, as tensors.

    Args:
      logits: Of shape `[times, batch, classes]`; the first class is the blank.
      labels: Of shape `[batch, most labels]`.
      label_length: How many labels each sequence has.
      logit_length: How many times each one has.
      unique: What `tf.nn.ctc_unique_labels` gave; nothing depends on it.

    Returns:
      The losses, `[batch]`, and the gradients, of the shape of the logits.
    """
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    classes = _get_dim(logits, 2)
    observed = log_softmax(logits)
    first, last = ctc_state_log_probs(label_length, _get_dim(labels, 1))
    states, likelihood = _forward_backward_log(
        log(_ctc_state_trans(labels)),
        first,
        last,
        _ilabel_to_state(labels, classes, observed),
        logit_length,
    )
    return -likelihood, exp(observed) - exp(_state_to_olabel(labels, classes, states))


def _moved(states: Tensor, ways: Tensor) -> Tensor:
    """The states one step on."""
    return reduce_logsumexp(expand_dims(states, 1) + ways, axis=-1)
