"""A beam search over prefixes of labels, for all sequences of a batch at once.

A prefix has two probabilities: of the paths that say it and end in a blank, and of those that end
in its last label. In each frame a prefix stays or gets one more label; the likeliest are followed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.kernels.threads.stopping import look


class Prefixes:
    """The prefixes that were ever followed, each of which is its parent and one more label."""

    def __init__(self, batch: int, labels: int) -> None:
        """One empty prefix for each sequence, the number of which it has."""
        self._labels = labels
        self._numbers: dict[int, int] = {}
        self.parents = [-1] * batch
        self.lasts = [-1] * batch

    def longer(self, parent: int, label: int) -> int:
        """The number of a prefix with one more label."""
        key = parent * self._labels + label
        number = self._numbers.setdefault(key, len(self.parents))
        if number == len(self.parents):
            self.parents.append(parent)
            self.lasts.append(label)
        return number

    def labels(self, number: int) -> list[int]:
        """The labels of a prefix."""
        found = []
        while self.parents[number] >= 0:
            found.append(self.lasts[number])
            number = self.parents[number]
        return found[::-1]


class Beams:
    """The prefixes that are followed in each sequence of a batch, likeliest first."""

    def __init__(self, batch: int, classes: int, width: int, dtype: Any) -> None:
        """Follows the empty prefix."""
        self.prefixes = Prefixes(batch, classes - 1)
        self._width = width
        self.numbers = np.arange(batch)[:, None]
        """Of the prefixes; -1 where fewer are followed."""
        self.total = np.zeros((batch, 1), dtype)
        """Log probabilities."""
        self._blank = np.zeros((batch, 1), dtype)
        self._label = np.full((batch, 1), -np.inf, dtype)
        self._last = np.full((batch, 1), -1)
        self._parent = np.full((batch, 1), -1)
        """Where in the beam the prefix with one label less is; -1 if it is not."""

    def step(self, frame: Any, is_open: Any) -> None:
        """Goes one frame on.

        Args:
          frame: Log probabilities of the classes, `[batch, classes]`, the blank last.
          is_open: Which sequences have this frame.
        """
        batch, beam = self.total.shape
        labels = frame.shape[1] - 1
        rows = np.arange(batch)[:, None]
        ends_alike = self._last == self._last[rows, self._parent]
        before = np.where(
            ends_alike, self._blank[rows, self._parent], self.total[rows, self._parent]
        )
        before[self._parent < 0] = -np.inf
        said = frame[rows, self._last]
        said[self._last < 0] = -np.inf
        label = np.logaddexp(self._label, before) + said
        blank = self.total + frame[:, -1:]
        total = np.logaddexp(blank, label)
        repeats = np.arange(labels) == self._last[:, :, None]
        grown = np.where(repeats, self._blank[:, :, None], self.total[:, :, None])
        grown = grown + frame[:, None, :-1]
        known = np.nonzero(self._parent >= 0)
        grown[known[0], self._parent[known], self._last[known]] = -np.inf
        scores = np.concatenate([total, grown.reshape(batch, beam * labels)], axis=1)
        picks = _best(scores, self._width)
        changed = [row for row in self._rows_in_question(picks, labels) if self._drop(row, scores)]
        if changed:
            picks[changed] = _best(scores[changed], self._width)
        self._choose(picks, scores, label, blank, is_open)

    def _rows_in_question(self, picks: Any, labels: int) -> list[int]:
        """Sequences in which a prefix was picked whose own beginning, which was followed, was not.

        See `_drop`.
        """
        batch, beam = self.total.shape
        rows = np.arange(batch)[:, None]
        is_kept = np.zeros((batch, beam), bool)
        is_old = picks < beam
        is_kept[np.nonzero(is_old)[0], picks[is_old]] = True
        may_go = ~is_kept & (self._parent >= 0) & (self._parent < np.arange(beam))
        owners = np.where(is_old, 0, (picks - beam) // max(labels, 1))
        return np.flatnonzero((~is_old & may_go[rows, owners]).any(axis=1)).tolist()

    def _drop(self, row: int, scores: Any) -> bool:
        """Takes out what TensorFlow's search, which goes prefix by prefix, does not grow.

        A prefix that others have pushed out of the beam is met again as its parent grows. It does
        not come back, but then it no longer grows itself.

        Args:
          row: The sequence.
          scores: Of all prefixes, changed in place.

        Returns:
          Whether any was taken out.
        """
        beam = self.total.shape[1]
        labels = (scores.shape[1] - beam) // beam
        mine = scores[row]
        parents, lasts = self._parent[row], self._last[row]
        behind = np.flatnonzero((parents >= 0) & (parents < np.arange(beam)))
        ends = beam + parents[behind] * labels + lasts[behind]
        dropped = False
        for place, end in sorted(zip(behind.tolist(), ends.tolist(), strict=True), key=_second):
            # What has been met by now and is better.
            if np.count_nonzero(mine[:end] > mine[place]) >= self._width:
                mine[beam + place * labels : beam + (place + 1) * labels] = -np.inf
                dropped = True
        return dropped

    def _choose(self, picks: Any, scores: Any, label: Any, blank: Any, is_open: Any) -> None:
        """Goes on with what was picked: prefixes as they were, and then longer ones."""
        batch, beam = self.total.shape
        labels = max((scores.shape[1] - beam) // beam, 1)
        width = picks.shape[1]
        rows = np.arange(batch)[:, None]
        is_old = picks < beam
        places = np.where(is_old, picks, (picks - beam) // labels)
        total = scores[rows, picks]
        nothing = np.asarray(-np.inf, total.dtype)
        blank = np.where(is_old, blank[rows, places], nothing)
        label = np.where(is_old, label[rows, places], total)
        last = np.where(is_old, self._last[rows, places], (picks - beam) % labels)
        numbers = self.numbers[rows, places]
        is_new = ~is_old & (total > -np.inf)
        longer = self.prefixes.longer
        numbers[is_new] = [
            longer(*each)
            for each in zip(numbers[is_new].tolist(), last[is_new].tolist(), strict=True)
        ]
        numbers[~is_old & ~is_new] = -1
        self.numbers = self._kept(is_open, numbers, self.numbers, -1, width)
        self.total = self._kept(is_open, total, self.total, -np.inf, width)
        self._blank = self._kept(is_open, blank, self._blank, -np.inf, width)
        self._label = self._kept(is_open, label, self._label, -np.inf, width)
        self._last = self._kept(is_open, last, self._last, -1, width)
        self._parent = self._places_of_parents()

    @staticmethod
    def _kept(is_open: Any, new: Any, old: Any, nothing: float, width: int) -> Any:
        """The new values where sequences go on, the old ones of those that have ended."""
        if is_open.all():
            return new
        filled = np.full((len(old), width), nothing, old.dtype)
        filled[:, : old.shape[1]] = old
        return np.where(is_open[:, None], new, filled)

    def _places_of_parents(self) -> Any:
        places = np.full(len(self.prefixes.parents) + 1, -1)
        batch, width = self.numbers.shape
        numbers = self.numbers.reshape(-1)
        places[numbers] = np.tile(np.arange(width), batch)
        places[-1] = -1
        parents = np.array([*self.prefixes.parents, -1])[numbers]
        return places[parents].reshape(batch, width)


def _second(pair: tuple[int, int]) -> int:
    return pair[1]


def _best(scores: Any, width: int) -> Any:
    """Places of the greatest scores of each row, the greatest first."""
    if scores.shape[1] > width:
        places = np.argpartition(-scores, width - 1, axis=1)[:, :width]
    else:
        places = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    chosen = np.take_along_axis(scores, places, axis=1)
    order = np.argsort(-chosen, axis=1, kind="stable")
    return np.take_along_axis(places, order, axis=1)


def search(logits: Any, lengths: Any, width: int) -> Beams:
    """The likeliest prefixes at the end of each sequence.

    Args:
      logits: `[frames, batch, classes]`; the last class is the blank.
      lengths: How many frames each sequence has.
      width: How many prefixes are followed at a time.
    """
    _, batch, classes = logits.shape
    beams = Beams(batch, classes, width, logits.dtype)
    for t in range(int(lengths.max(initial=0))):
        frame = logits[t]
        largest = frame.max(axis=1, keepdims=True)
        offset = largest + np.log(np.exp(frame - largest).sum(axis=1, keepdims=True))
        beams.step(frame - offset, lengths > t)
        look()
    return beams
