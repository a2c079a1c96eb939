"""Where a thread that is woken starts: not on the core of the one that wakes it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from dataflow.actors.threads.pool import ThreadPool
from dataflow.kernels.threads.cores import Sleeper, current_core

ALLOWED = os.sched_getaffinity(0)


def while_asleep(do: Callable[[Sleeper, int], None]) -> set[int]:
    """Calls a function with a sleeper and its thread's id; what the thread may use afterwards."""
    lies, woken = threading.Event(), threading.Event()
    found: list[Sleeper] = []
    allowed: set[int] = set()

    def sleep() -> None:
        sleeper = Sleeper()
        found.append(sleeper)
        sleeper.lie_down()
        lies.set()
        woken.wait(30)
        sleeper.get_up()
        allowed.update(os.sched_getaffinity(0))

    thread = threading.Thread(target=sleep)
    thread.start()
    assert lies.wait(30)
    do(found[0], thread.native_id or 0)
    woken.set()
    thread.join()
    return allowed


def test_the_core_is_one_that_this_thread_may_use() -> None:
    assert current_core() in ALLOWED


def test_a_thread_is_kept_off_the_core_that_it_was_on_until_it_gets_up() -> None:
    def wake(sleeper: Sleeper, thread: int) -> None:
        for core in [*ALLOWED, *ALLOWED]:
            sleeper.keep_off(core)
        # One of these it was on; where there is no other it stays.
        assert len(os.sched_getaffinity(thread)) == max(1, len(ALLOWED) - 1)

    assert while_asleep(wake) == ALLOWED


def test_a_thread_that_was_elsewhere_is_left_alone() -> None:
    def wake(sleeper: Sleeper, thread: int) -> None:
        for core in (-1, max(ALLOWED) + 1):
            sleeper.keep_off(core)
        assert os.sched_getaffinity(thread) == ALLOWED

    assert while_asleep(wake) == ALLOWED


def test_a_thread_that_is_up_is_left_alone() -> None:
    sleeper = Sleeper()
    sleeper.lie_down()
    sleeper.get_up()
    for core in ALLOWED:
        sleeper.keep_off(core)
    assert os.sched_getaffinity(0) == ALLOWED


def test_a_thread_that_has_ended_is_no_error() -> None:
    left: list[Sleeper] = []
    while_asleep(lambda sleeper, _: left.append(sleeper))
    left[0].lie_down()
    for core in ALLOWED:
        left[0].keep_off(core)
    assert os.sched_getaffinity(0) == ALLOWED


def test_tasks_of_a_pool_may_use_all_cores() -> None:
    pool = ThreadPool(2)
    seen: list[set[int]] = []
    try:
        for _ in range(200):
            done = threading.Event()

            def task(event: threading.Event, _: None) -> None:
                seen.append(os.sched_getaffinity(0))
                event.set()

            pool.submit(task, done, None)
            assert done.wait(30)
    finally:
        pool.stop()
    assert seen == [ALLOWED] * 200
