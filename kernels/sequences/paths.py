"""Probabilities of all paths that say given labels, by the forward-backward recursion.

All is in log space and in float64, for all sequences of a batch at once: states are the labels with
blanks before, between and behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.formula import repeated
from dataflow.kernels.elementwise.quick import quick
from dataflow.kernels.threads.stopping import look

_NEVER: Final = -1e30
"""In place of minus infinity, from which nothing can be subtracted."""
_HARDLY: Final = -1e29
_GAP: Final = 2
"""States that no path has, between those of two sequences."""
_HERE: Final = slice(_GAP, -_GAP)
_ONE_BEFORE: Final = slice(_GAP - 1, -_GAP - 1)
_TWO_BEFORE: Final = slice(_GAP - 2, -_GAP - 2)
_ONE_BEHIND: Final = slice(_GAP + 1, 1 - _GAP)
_TWO_BEHIND: Final = slice(_GAP + 2, None)
"""Of all states those that are so far from each that is not in the first or the last gap."""


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
        self._stay = _in_rows(np.where(is_label & (not merges), _NEVER, 0.0))
        # Whether a state may follow that two before it: a label that is not the same again.
        follows = is_label[:, 2:]
        if merges:
            follows = follows & (self.classes[:, 2:] != self.classes[:, :-2])
        self._skip = np.full_like(self._stay, _NEVER)
        self._by_state(self._skip)[:, 2:] = np.where(follows, 0.0, _NEVER)

    def forward(self, frames: Any) -> Any:
        """Log probabilities of the first frames up to each, that end in each state.

        Args:
          frames: Log probabilities `[frames, batch, states]` of the states' classes.
        """
        given = _in_rows(frames)
        found = np.full_like(given, _NEVER)
        self._by_state(found[0])[:, :2] = frames[0, :, :2]
        stay, skip, sums = self._stay[_HERE], self._skip[_HERE], _sums()
        for t in range(1, len(frames)):
            last, now = found[t - 1], found[t, _HERE]
            sums(last[_HERE], last[_ONE_BEFORE], last[_TWO_BEFORE], stay, skip, out=now)
            now += given[t, _HERE]
            if not t & 63:
                look()
        return self._by_state(found)

    def backward(self, frames: Any, lengths: Any) -> Any:
        """Log probabilities of the frames behind each, from each state on."""
        given = _in_rows(frames)
        found = np.full_like(given, _NEVER)
        ends = np.full(self.classes.shape, _NEVER)
        rows = np.arange(len(ends))
        ends[rows, self.counts - 1] = 0.0
        ends[rows, np.maximum(self.counts - 2, 0)] = 0.0
        stay, skip, sums = self._stay[_HERE], self._skip[_TWO_BEHIND], _sums()
        last_frames = set((lengths - 1).tolist())
        for t in range(len(frames) - 1, -1, -1):
            if t + 1 < len(frames):
                next_ = found[t + 1] + given[t + 1]
                now = found[t, _HERE]
                sums(next_[_HERE], next_[_ONE_BEHIND], next_[_TWO_BEHIND], stay, skip, out=now)
            if t in last_frames:
                is_last = lengths == t + 1
                self._by_state(found[t])[is_last] = ends[is_last]
            if not t & 63:
                look()
        return self._by_state(found)

    def _by_state(self, rows: Any) -> Any:
        """What `_in_rows` has made of values as `[..., batch, states]`: a view."""
        batch, width = self.classes.shape
        return rows[..., :-_GAP].reshape(*rows.shape[:-1], batch, width + _GAP)[..., _GAP:]


def _in_rows(values: Any) -> Any:
    """Values `[..., batch, states]` as `[..., numbers]`: the next state's is the next number.

    Before those of each sequence, and behind the last one, there are two states that no path has.
    """
    *leading, batch, width = values.shape
    found = np.full((*leading, batch * (width + _GAP) + _GAP), _NEVER)
    found[..., :-_GAP].reshape(*leading, batch, width + _GAP)[..., _GAP:] = values
    return found


def _log_sum(xp: Any, here: Any, one: Any, two: Any, stay: Any, skip: Any) -> Any:
    """What a state has from itself and from two others: logarithms of sums of exponentials."""
    a, c = here + stay, two + skip
    largest = xp.maximum(xp.maximum(a, one), c)
    return xp.log(xp.exp(a - largest) + xp.exp(one - largest) + xp.exp(c - largest)) + largest


def _sums() -> Callable[..., None]:
    """`_log_sum` of vectors."""
    return repeated(_log_sum, 5, np.float64)


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
