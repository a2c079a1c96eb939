"""Splitting the work of a kernel over idle threads."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.actors.threads.pool import SessionThreads
from dataflow.kernels.threads import parallel
from dataflow.kernels.threads.parallel import (
    Assisted,
    current,
    grain_of,
    items_of_call,
    run_alone,
    split,
    split_rows,
)

_PATIENCE = 30.0


@contextmanager
def helpers(count: int) -> Iterator[SessionThreads]:
    threads = SessionThreads(count, count, own=True)
    try:
        with Assisted(threads.helpers):
            yield threads
    finally:
        threads.close()


@given(count=st.integers(0, 200), grain=st.integers(0, 50), threads=st.integers(1, 5))
def test_pieces_cover_the_range_once(count: int, grain: int, threads: int) -> None:
    seen: list[tuple[int, int]] = []
    with helpers(threads):
        split(count, grain, lambda start, stop: seen.append((start, stop)))
    seen.sort()
    assert [i for start, stop in seen for i in range(start, stop)] == list(range(count))
    assert all(stop - start >= min(grain, count) // 2 for start, stop in seen)


@pytest.mark.parametrize(
    ("worth", "threads", "pieces"), [(1, 2, 1), (3, 2, 4), (3, 3, 3), (3, 4, 3), (30, 4, 32)]
)
def test_each_thread_finds_as_many_pieces(worth: int, threads: int, pieces: int) -> None:
    """Of three pieces one of two threads would do two, and the other one wait."""
    seen: list[int] = []
    with helpers(threads):
        split(worth * 10, 10, lambda start, _: seen.append(start))
    assert len(seen) == pieces


@given(count=st.integers(1, 200), grain=st.integers(1, 20))
def test_pieces_are_the_same_whoever_is_free(count: int, grain: int) -> None:
    runs = []
    for busy in (False, True):
        seen: list[tuple[int, int]] = []
        with helpers(3) as threads, _occupied(threads, 2 if busy else 0):
            split(count, grain, lambda start, stop, seen=seen: seen.append((start, stop)))
        runs.append(sorted(seen))
    assert runs[0] == runs[1]


@contextmanager
def _occupied(threads: SessionThreads, count: int) -> Iterator[None]:
    """Keeps that many threads of the pool busy."""
    release, taken = threading.Event(), threading.Semaphore(0)

    def wait(_: object, __: object) -> None:
        taken.release()
        release.wait(_PATIENCE)

    assert threads.pool is not None
    for _ in range(count):
        threads.pool.submit(wait, None, None)
    for _ in range(count):
        assert taken.acquire(timeout=_PATIENCE)
    try:
        yield
    finally:
        release.set()


def test_idle_threads_take_part() -> None:
    together = threading.Barrier(3)
    names = set()

    def run(start: int, stop: int) -> None:
        if start < 3:
            names.add(threading.current_thread().name)
            together.wait(_PATIENCE)

    with helpers(3):
        split(6, 1, run)
    assert len(names) == 3
    assert threading.current_thread().name in names


def test_the_caller_does_not_wait_for_busy_threads() -> None:
    with helpers(3) as threads, _occupied(threads, 2):
        seen: list[str] = []
        split(100, 1, lambda start, stop: seen.append(threading.current_thread().name))
        assert set(seen) == {threading.current_thread().name}


def test_what_was_computed_with_is_let_go_of_at_once() -> None:
    with helpers(2) as threads, _occupied(threads, 1):
        array = np.zeros(100)
        watched = weakref.ref(array)

        def fill(values: np.ndarray) -> None:
            def run(start: int, stop: int) -> None:
                values[start:stop] = 1

            split(100, 1, run)

        fill(array)
        del array
        # The helper has not come yet: its task still stands in the queue.
        assert watched() is None


def test_at_most_the_limit_of_threads_run() -> None:
    lock = threading.Lock()
    running, most = 0, 0

    def run(start: int, stop: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        np.random.default_rng(0).random(20_000)
        with lock:
            running -= 1

    threads = SessionThreads(6, 2, own=True)
    try:
        with Assisted(threads.helpers):
            for _ in range(20):
                split(50, 1, run)
    finally:
        threads.close()
    assert most <= 2


@pytest.mark.parametrize("failing", [0, 1, 5])
def test_the_error_of_a_piece_reaches_the_caller_when_all_have_ended(failing: int) -> None:
    lock = threading.Lock()
    running = 0

    def run(start: int, stop: int) -> None:
        nonlocal running
        with lock:
            running += 1
        try:
            np.random.default_rng(0).random(20_000)
            if start == failing:
                raise ValueError(f"piece {start}")
        finally:
            with lock:
                running -= 1

    with helpers(3):
        with pytest.raises(ValueError, match=f"piece {failing}"):
            split(6, 1, run)
        assert running == 0
        done: list[int] = []
        split(6, 1, lambda start, stop: done.append(start))
        assert sorted(done) == list(range(6))


def test_an_error_is_no_cycle() -> None:
    class Watched(Exception):
        pass

    def fail(start: int, stop: int) -> None:
        raise Watched

    gc.disable()
    try:
        with helpers(2):
            try:
                split(4, 1, fail)
            except Watched as error:
                watched = weakref.ref(error)
        assert watched() is None
    finally:
        gc.enable()


def test_a_split_within_a_piece_stays_on_its_thread() -> None:
    def run(start: int, stop: int) -> None:
        mine = threading.current_thread()
        split(10, 1, lambda a, b: threads.add((mine, threading.current_thread())))

    threads: set[tuple[threading.Thread, threading.Thread]] = set()
    with helpers(3):
        split(6, 1, run)
        assert parallel.current.helpers is not None
    assert threads
    assert all(outer is inner for outer, inner in threads)


def test_without_helpers_the_work_is_one_piece() -> None:
    seen: list[tuple[int, int]] = []
    split(100, 2, lambda start, stop: seen.append((start, stop)))
    split(0, 1, lambda start, stop: seen.append((start, stop)))
    assert seen == [(0, 100)]


def test_helpers_are_those_of_the_innermost_context() -> None:
    with helpers(2) as outer:
        with Assisted(None):
            assert parallel.current.helpers is None
        assert parallel.current.helpers is outer.helpers
    assert parallel.current.helpers is None


def test_floating_point_warnings_are_off_in_helpers() -> None:
    together = threading.Barrier(2)

    def run(start: int, stop: int) -> None:
        if start < 2:
            together.wait(_PATIENCE)
        with_zero = np.ones(2, np.float32) / np.zeros(2, np.float32)
        assert np.isinf(with_zero).all()

    with helpers(2), np.errstate(all="ignore"):
        split(4, 1, run)


@pytest.mark.parametrize(("seconds", "grain"), [(1.0, 1), (1e-3, 100), (1e-6, 100_000)])
def test_little_work_is_not_split(seconds: float, grain: int) -> None:
    assert grain_of(1000, seconds) == grain


@given(rows=st.integers(1, 3000), width=st.sampled_from([1, 7, 100, 5000]))
def test_rows_are_covered_once(rows: int, width: int) -> None:
    counts = np.zeros(rows, np.int64)

    def run(part: slice) -> None:
        counts[part] += 1

    with helpers(3):
        split_rows(rows, rows * width, 1e-9, run)
    assert (counts == 1).all()


def test_what_splits_inside_of_lone_work_note_stays() -> None:
    before = current.divisible

    def run() -> None:
        current.divisible += 5.0

    try:
        run_alone(run)
        assert current.divisible == before + 5.0
    finally:
        current.divisible = before


@pytest.mark.parametrize(
    ("microseconds", "items"),
    [(0, 100), (79, 100), (81, 50), (299, 50), (301, 25), (599, 25), (601, 13), (1e6, 1)],
)
def test_items_of_a_call(microseconds: float, items: int) -> None:
    """Two calls if each is worth it, and more where they would take long."""
    assert items_of_call(100, microseconds * 1e-6) == items
