"""Short splits run on OpenMP's threads while these are awake; else the pool's threads help."""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dataflow.actors.threads.pool import KernelHelpers
from dataflow.kernels.onednn import library as onednn
from dataflow.kernels.onednn import team as onednn_team
from dataflow.kernels.onednn.team import Team
from dataflow.kernels.threads import parallel
from dataflow.kernels.threads.parallel import current, split
from tests.kernels import helped


@pytest.fixture
def team(monkeypatch: pytest.MonkeyPatch) -> Team:
    """The only one that splits may use; awake for long, and never late, on a busy machine too."""
    monkeypatch.setattr(onednn_team, "_NEAR", 60.0)
    monkeypatch.setattr(onednn_team, "_LATE", math.inf)
    found = helped.loaded().team
    monkeypatch.setattr(parallel, "_teams", [found])
    return found


@pytest.fixture
def helpers() -> Iterator[KernelHelpers]:
    with helped.helpers() as found:
        yield found


def wake(team: Team, helpers: KernelHelpers) -> int:
    """Uses the team, so that its thread is awake; gives that thread."""
    assert team.run(helpers, "wake", lambda: None)
    (thread,) = team._members.threads
    return thread


def who_runs(pieces: int) -> set[int]:
    """The two threads that do a split, each of which waits for the other once."""
    met = threading.Barrier(2, timeout=60)
    seen: set[int] = set()

    def run(_start: int, _stop: int) -> None:
        thread = threading.get_native_id()
        if thread not in seen:
            seen.add(thread)
            met.wait()

    split(pieces, 1, run)
    return seen


def test_an_awake_thread_takes_part(team: Team, helpers: KernelHelpers) -> None:
    member = wake(team, helpers)
    saved, divisible = current.saved, current.divisible
    assert who_runs(8) == {threading.get_native_id(), member}
    assert current.saved > saved and current.divisible > divisible
    # Nobody of the pool was needed.
    assert not helpers._pools[0]._threads


@pytest.mark.parametrize("why", ["asleep", "long", "busy", "too many"])
def test_else_the_pool_helps(
    team: Team, helpers: KernelHelpers, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = wake(team, helpers)
    if why == "asleep":
        monkeypatch.setattr(onednn_team, "_NEAR", 0.001)
        time.sleep(0.01)
    if why == "busy":
        team._free.acquire()
    if why == "too many":
        # Most of nine threads would find nothing to do.
        monkeypatch.setattr(team, "most", 9)
        monkeypatch.setattr(helpers, "limit", 9)
    shared: list[bool] = []
    share = team.share

    def noted(*arguments: Any) -> bool:
        shared.append(share(*arguments))
        return shared[-1]

    monkeypatch.setattr(team, "share", noted)
    seen = who_runs(64 if why == "long" else 8)
    assert len(seen) == 2 and member not in seen
    assert shared == ([] if why == "long" else [False])


def test_splits_that_follow_each_other_wake_it(team: Team, helpers: KernelHelpers) -> None:
    end = time.monotonic() + 60
    while not team._members.threads and time.monotonic() < end:
        split(8, 1, lambda _start, _stop: None)
        # So that the pool's thread, which helps with the first one, is idle again.
        time.sleep(1e-3)
    assert team._members.threads


def test_all_pieces_are_done_once(team: Team, helpers: KernelHelpers) -> None:
    for count in (2, 3, 7, 20, 1000):
        wake(team, helpers)
        done = np.zeros(count, int)

        def run(start: int, stop: int, done: np.ndarray = done) -> None:
            done[start:stop] += 1

        split(count, -(-count // 20), run)
        assert (done == 1).all()


@pytest.mark.parametrize("own", [True, False])
def test_an_error_reaches_the_caller(team: Team, helpers: KernelHelpers, own: bool) -> None:
    wake(team, helpers)
    caller = threading.get_native_id()
    met = threading.Barrier(2, timeout=60)

    def run(_start: int, _stop: int) -> None:
        met.wait()
        if (threading.get_native_id() == caller) == own:
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        split(2, 1, run)
    assert current.helpers is helpers
    assert team.run(helpers, "after", lambda: None)


def test_a_split_within_a_piece_stays_on_its_thread(team: Team, helpers: KernelHelpers) -> None:
    wake(team, helpers)
    met = threading.Barrier(2, timeout=60)
    inside: list[tuple[int, int]] = []

    def run(_start: int, _stop: int) -> None:
        met.wait()
        split(8, 1, lambda start, stop: inside.append((start, stop)))

    split(2, 1, run)
    assert inside == [(0, 8)] * 2


def test_the_library_in_use_offers_its_team() -> None:
    library = onednn.find()
    assert library is not None
    assert library.team in parallel._teams


def test_python_remembers_its_threads(team: Team, helpers: KernelHelpers) -> None:
    """What is local to a thread, workspaces for instance, is not made for each split anew."""
    caller = threading.get_native_id()
    local = threading.local()
    found: list[int] = []

    def run(_start: int, _stop: int) -> None:
        met.wait()
        if threading.get_native_id() != caller:
            local.count = getattr(local, "count", 0) + 1
            found.append(local.count)

    for _ in range(3):
        wake(team, helpers)
        met = threading.Barrier(2, timeout=60)
        split(2, 1, run)
    assert found == [1, 2, 3]


def test_what_was_local_to_dismissed_threads_goes(team: Team, helpers: KernelHelpers) -> None:
    caller = threading.get_native_id()
    local = threading.local()
    kept: list[weakref.ref[np.ndarray]] = []

    def run(_start: int, _stop: int) -> None:
        met.wait()
        if threading.get_native_id() != caller:
            local.workspace = np.zeros(9)
            kept.append(weakref.ref(local.workspace))

    for _ in range(2):
        wake(team, helpers)
        met = threading.Barrier(2, timeout=60)
        split(2, 1, run)
        assert kept[-1]() is not None
        team.dismiss()
        assert kept[-1]() is None
        # A thread that has none, or none any more, has nothing to dismiss.
        team.dismiss()
    assert len(kept) == 2


def test_floating_point_warnings_are_off(team: Team, helpers: KernelHelpers) -> None:
    met = threading.Barrier(2, timeout=60)

    def run(_start: int, _stop: int) -> None:
        met.wait()
        np.zeros(1, np.float32) / np.zeros(1, np.float32)

    wake(team, helpers)
    with np.errstate(all="ignore"):
        split(2, 1, run)


def test_it_rests_when_the_others_are_late(
    team: Team, helpers: KernelHelpers, monkeypatch: pytest.MonkeyPatch
) -> None:
    wake(team, helpers)
    monkeypatch.setattr(onednn_team, "_LATE", 3.0)
    monkeypatch.setattr(onednn_team, "_REST", 3600.0)
    monkeypatch.setattr(team, "_rest", 3600.0)
    caller = threading.get_native_id()
    met = threading.Barrier(2, timeout=60)

    def run(_start: int, _stop: int) -> None:
        met.wait()
        if threading.get_native_id() != caller:
            time.sleep(0.2)

    split(2, 1, run)
    assert not team.run(helpers, "rests", lambda: None)
    assert 3000.0 < team._rest_until - time.perf_counter() <= 3600.0
    team._rest_until = 0.0
    assert team.run(helpers, "again", lambda: None)
