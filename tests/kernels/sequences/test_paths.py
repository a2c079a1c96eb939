"""CTC by hand: all paths are tried, one by one, and so are all edits."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from dataflow.kernels.sequences.beams import search
from dataflow.kernels.sequences.distances import distances
from dataflow.kernels.sequences.paths import loss_and_gradient

FRAMES, CLASSES = 5, 4
BLANK = CLASSES - 1
LOGITS = np.random.default_rng(2).normal(size=[FRAMES, 1, CLASSES])


def said(path: tuple[int, ...], merges: bool) -> tuple[int, ...]:
    kept = [c for i, c in enumerate(path) if not (merges and i and path[i - 1] == c)]
    return tuple(c for c in kept if c != BLANK)


@cache
def likelihoods(merges: bool, length: int) -> dict[tuple[int, ...], float]:
    """The probability of everything that can be said."""
    shares = np.exp(LOGITS[:length, 0])
    shares /= shares.sum(axis=1, keepdims=True)
    found: dict[tuple[int, ...], float] = {}
    for path in itertools.product(range(CLASSES), repeat=length):
        words = said(path, merges)
        found[words] = found.get(words, 0.0) + float(np.prod(shares[np.arange(length), path]))
    return found


@pytest.mark.parametrize("merges", [True, False])
@pytest.mark.parametrize("length", [1, 2, FRAMES])
def test_losses_of_all_labels(length: int, merges: bool) -> None:
    known = likelihoods(merges, length)
    labels = list(known)
    assert () in labels
    logits = np.repeat(LOGITS, len(labels), axis=1)
    lengths = np.full(len(labels), length)
    loss, gradient = loss_and_gradient(logits, labels, lengths, merges)
    np.testing.assert_allclose(np.exp(-loss), [known[each] for each in labels], rtol=1e-12)
    assert (gradient[length:] == 0).all()
    np.testing.assert_allclose(gradient.sum(axis=2), 0, atol=1e-12)


def test_losses_of_many_frames() -> None:
    """So many that the recursion is machine code at their end."""
    random = np.random.default_rng(5)
    frames, batch, classes = 700, 3, 5
    logits = 2 * random.normal(size=(frames, batch, classes))
    labels = [random.integers(0, classes - 1, count).tolist() for count in (40, 0, 25)]
    lengths = np.array([frames, 200, 690])
    logs = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
    for _ in range(2):
        loss, gradient = loss_and_gradient(logits, labels, lengths, True)
        for i, (words, length) in enumerate(zip(labels, lengths, strict=True)):
            states = [classes - 1, *(one for word in words for one in (word, classes - 1))]
            now = np.full(len(states), -np.inf)
            now[:2] = logs[0, i, states[:2]]
            for t in range(1, length):
                last, now = now, np.full(len(states), -np.inf)
                for s, label in enumerate(states):
                    ways = last[max(0, s - 1) : s + 1]
                    if s > 1 and label not in (classes - 1, states[s - 2]):
                        ways = last[s - 2 : s + 1]
                    now[s] = np.logaddexp.reduce(ways) + logs[t, i, label]
            np.testing.assert_allclose(-loss[i], np.logaddexp.reduce(now[-2:]), rtol=1e-12)
        np.testing.assert_allclose(gradient.sum(axis=2), 0, atol=1e-10)
        step = np.zeros_like(logits)
        step[300, 0, 2], step[10, 2, 1], step[150, 1, 4] = 1e-4, 1e-4, 1e-4
        ahead, _ = loss_and_gradient(logits + step, labels, lengths, True)
        behind, _ = loss_and_gradient(logits - step, labels, lengths, True)
        slopes = (ahead - behind) / 2e-4
        wanted = [gradient[300, 0, 2], gradient[150, 1, 4], gradient[10, 2, 1]]
        np.testing.assert_allclose(slopes, wanted, rtol=1e-5, atol=1e-8)


def test_labels_that_no_path_says() -> None:
    loss, gradient = loss_and_gradient(LOGITS, [[1, 1, 1]], np.array([4]), True)
    assert loss.tolist() == [np.inf]
    shares = np.exp(LOGITS[:4, 0])
    np.testing.assert_allclose(gradient[:4, 0], shares / shares.sum(axis=1, keepdims=True))
    assert (gradient[4:] == 0).all()


@pytest.mark.parametrize("length", [1, 3, FRAMES])
def test_a_beam_that_is_wide_enough_finds_all_labels(length: int) -> None:
    known = sorted(likelihoods(True, length).items(), key=lambda item: -item[1])
    beams = search(LOGITS, np.array([length]), 1000)
    count = len(known)
    found = [tuple(beams.prefixes.labels(number)) for number in beams.numbers[0, :count].tolist()]
    assert found == [labels for labels, _ in known]
    np.testing.assert_allclose(np.exp(beams.total[0, :count]), [p for _, p in known], rtol=1e-12)
    assert (beams.numbers[0, count:] == -1).all()


def test_distances_of_all_short_sequences() -> None:
    @cache
    def distance(a: tuple[int, ...], b: tuple[int, ...]) -> int:
        if not a or not b:
            return len(a) + len(b)
        change = distance(a[1:], b[1:]) + (a[0] != b[0])
        return min(change, 1 + distance(a[1:], b), 1 + distance(a, b[1:]))

    every = [each for n in range(4) for each in itertools.product(range(2), repeat=n)]
    pairs = list(itertools.product(every, repeat=2))
    arrays = [[np.array(each, np.int64) for each in side] for side in zip(*pairs, strict=True)]
    assert distances(*arrays).tolist() == [distance(*pair) for pair in pairs]
