"""Kernels look whether their step was stopped: on their thread and on those that help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.random import philox
from dataflow.kernels.random.stretches import in_stretches, made_in_stretches
from dataflow.kernels.reductions.groups import reduce_groups
from dataflow.kernels.threads import stopping
from dataflow.kernels.threads.parallel import split
from tests.kernels.helped import helpers


class StoppedError(Exception):
    """What a step that was stopped raises."""


class Step:
    """A step that is stopped when it was looked at some times."""

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.writers: list[None] = []

    @property
    def error(self) -> str | None:
        self.looks -= 1
        return "stopped" if self.looks < 0 else None

    def check(self) -> None:
        raise StoppedError


@pytest.fixture
def work_for() -> Iterator[Callable[[Any], None]]:
    """Has this thread work for a step."""

    def begin(step: Any) -> None:
        stopping.current.step = step

    yield begin
    stopping.current.step = None


@pytest.mark.parametrize("threads", [1, 3])
def test_a_split_ends_early(threads: int, work_for: Callable[[Any], None]) -> None:
    """Its stretches are those that it has anyway, and together all there is to do."""

    def run(start: int, stop: int) -> None:
        done.append((start, stop))

    def run_all() -> None:
        if threads == 1:
            split(10_000, 10, run)
        else:
            with helpers(threads):
                split(10_000, 10, run)

    done: list[tuple[int, int]] = []
    run_all()
    whole = sorted(done)
    assert [i for start, stop in whole for i in range(start, stop)] == list(range(10_000))
    done.clear()
    work_for(Step(5))
    with pytest.raises(StoppedError):
        run_all()
    assert 0 < len(done) < len(whole) and set(done) <= set(whole)
    # Who helped works for nobody any more.
    work_for(None)
    done.clear()
    run_all()
    assert sorted(done) == whole


@pytest.mark.parametrize("groups", [3 * 2**16 + 5, 2**16, 2**17 + 1])
@pytest.mark.parametrize("columns", [1, 2])
def test_groups_in_stretches(groups: int, columns: int, work_for: Callable[[Any], None]) -> None:
    sizes = np.arange(groups) % 3 + 1
    starts = np.cumsum(sizes) - sizes
    rows = np.random.RandomState(1).randn(int(sizes.sum()), columns).astype(np.float32)
    right = np.stack([np.minimum.reduceat(rows[:, c], starts) for c in range(columns)], 1)
    np.testing.assert_array_equal(reduce_groups(np.minimum, rows, starts), right)
    work_for(Step(0))
    if groups > 2**17:
        with pytest.raises(StoppedError):
            reduce_groups(np.minimum, rows, starts)


@pytest.mark.parametrize("count", [0, 1, 2**21, 2**21 + 1, 3 * 2**21 - 1])
def test_numbers_in_stretches(count: int, work_for: Callable[[Any], None]) -> None:
    generator = np.random.Generator(np.random.SFC64(3))
    found = in_stretches(generator.random, count, np.float64)
    np.testing.assert_array_equal(found, np.random.Generator(np.random.SFC64(3)).random(count))
    made = made_in_stretches(lambda n: np.arange(n, dtype=np.int32), count)
    np.testing.assert_array_equal(made, np.arange(count, dtype=np.int32) % 2**21)
    if count > 2**21:
        work_for(Step(1))
        with pytest.raises(StoppedError):
            in_stretches(generator.random, count, np.float64)
        work_for(Step(0))
        with pytest.raises(StoppedError):
            made_in_stretches(lambda n: np.zeros(n), count)


def test_seeded_numbers_look_between_chunks(work_for: Callable[[Any], None]) -> None:
    stream, chunk = philox.Philox(1, 2), 4 * philox._CHUNK
    work_for(Step(1))
    assert len(stream.words(2 * chunk)) == 2 * chunk
    with pytest.raises(StoppedError):
        stream.words(chunk + 1)


def test_who_writes_is_not_stopped(work_for: Callable[[Any], None]) -> None:
    step = Step(1)
    work_for(step)
    writing = stopping.begin_writing()
    assert step.writers == [None]
    stopping.look()
    stopping.end_writing(writing)
    assert step.writers == []
    with pytest.raises(StoppedError):
        stopping.begin_writing()
    assert step.writers == []
    with pytest.raises(StoppedError):
        stopping.look()
