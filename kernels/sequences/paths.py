"""Probabilities of all paths that say given labels, by the forward-backward recursion.

All is in log space and in float64, for all sequences of a batch at once: states are the labels with
blanks before, between and behind them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.quick import quick
from dataflow.kernels.threads.stopping import look

_NEVER: Final = -1e30
"""In place of minus infinity, from which nothing can be subtracted."""
_HARDLY: Final = -1e29


class States:
    """The states of each sequence of a batch: their classes, and which may follow which."""

    def __init__(self, labels: Sequence[Sequence[int]], blank: int, merges: bool) -> None:
        """States of these labels.

        Args:
          labels: Of each sequence.
          blank: The class of the blank.
          merges: Whether a class may last several frames, and a label that follows its like needs
            a blank in between; else each frame of a label is a label of its own.
        """
        self.counts = np.array([2 * len(each) + 1 for each in labels])
        self.classes = np.full((len(labels), int(self.counts.max())), blank)
        for row, each in zip(self.classes, labels, strict=True):
            row[1 : 2 * len(each) : 2] = each
        is_label = self.classes != blank
        self.may_stay = np.where(is_label & (not merges), _NEVER, 0.0)
        # Whether a state may follow that two before it: a label that is not the same again.
        follows = is_label[:, 2:]
        if merges:
            follows = follows & (self.classes[:, 2:] != self.classes[:, :-2])
        self.may_skip = np.where(follows, 0.0, _NEVER)

    def forward(self, frames: Any) -> Any:
        """Log probabilities of the first frames up to each, that end in each state.

        Args:
          frames: Log probabilities `[frames, batch, states]` of the states' classes.
        """
        found = np.empty_like(frames)
        now = np.full(frames.shape[1:], _NEVER)
        now[:, :2] = frames[0, :, :2]
        found[0] = now
        one, two = np.full_like(now, _NEVER), np.full_like(now, _NEVER)
        for t in range(1, len(frames)):
            one[:, 1:] = now[:, :-1]
            two[:, 2:] = now[:, :-2] + self.may_skip
            now = _log_sum(now + self.may_stay, one, two) + frames[t]
            found[t] = now
            if not t & 63:
                look()
        return found

    def backward(self, frames: Any, lengths: Any) -> Any:
        """Log probabilities of the frames behind each, from each state on."""
        batch, width = self.classes.shape
        found = np.empty_like(frames)
        ends = np.full((batch, width), _NEVER)
        rows = np.arange(batch)
        ends[rows, self.counts - 1] = 0.0
        ends[rows, np.maximum(self.counts - 2, 0)] = 0.0
        now = np.full((batch, width), _NEVER)
        one, two = np.full_like(now, _NEVER), np.full_like(now, _NEVER)
        for t in range(len(frames) - 1, -1, -1):
            if t + 1 < len(frames):
                behind = now + frames[t + 1]
                one[:, :-1] = behind[:, 1:]
                two[:, :-2] = behind[:, 2:] + self.may_skip
                now = _log_sum(behind + self.may_stay, one, two)
            now = np.where((lengths == t + 1)[:, None], ends, now)
            found[t] = now
            if not t & 63:
                look()
        return found


def _log_sum(a: Any, b: Any, c: Any) -> Any:
    """The logarithm of the sum of three exponentials."""
    largest = np.maximum(np.maximum(a, b), c)
    total = quick(np).exp(a - largest)
    total += quick(np).exp(b - largest)
    total += quick(np).exp(c - largest)
    return quick(np).log(total, out=total) + largest


def loss_and_gradient(
    logits: Any, labels: Sequence[Sequence[int]], lengths: Any, merges: bool
) -> tuple[Any, Any]:
    """The negative log probability of the labels of each sequence, and the gradient of the logits.

    Args:
      logits: float64, `[frames, batch, classes]`; the last class is the blank.
      labels: Of each sequence.
      lengths: How many frames each sequence has, 1 at least.
      merges: See `States`.
    """
    count, batch, classes = logits.shape
    shares = logits - logits.max(axis=2, keepdims=True)
    totals = quick(np).exp(shares).sum(axis=2, keepdims=True)
    log_shares = shares - quick(np).log(totals)
    states = States(labels, classes - 1, merges)
    picks = np.broadcast_to(states.classes, (count, *states.classes.shape))
    frames = np.maximum(np.take_along_axis(log_shares, picks, axis=2), _NEVER)
    forward, backward = states.forward(frames), states.backward(frames, lengths)
    rows = np.arange(batch)
    last = forward[lengths - 1, rows]
    log_likelihood = np.logaddexp(
        last[rows, states.counts - 1],
        np.where(states.counts > 1, last[rows, states.counts - 2], _NEVER),
    )
    is_possible = log_likelihood > _HARDLY
    gradient = quick(np).exp(log_shares)
    posterior = quick(np).exp(
        forward + backward - np.where(is_possible, log_likelihood, 0.0)[:, None]
    )
    posterior[:, ~is_possible] = 0.0
    places = np.arange(count * batch).reshape(count, batch, 1) * classes + picks
    gradient -= np.bincount(
        places.reshape(-1), posterior.reshape(-1), count * batch * classes
    ).reshape(logits.shape)
    gradient[np.arange(count)[:, None] >= lengths] = 0.0
    return np.where(is_possible, -log_likelihood, np.inf), gradient
