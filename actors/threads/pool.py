"""The thread pool that runs costly segments and helps kernels, shared by a process's sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from time import monotonic
from typing import Any, Final

import numpy as np

from dataflow.actors.threads.places import MOST_LEFT
from dataflow.kernels.threads.cores import Sleeper, current_core
from dataflow.values.interrupts import sheltered

Task = Callable[[Any, Any], None]

_STOP_SECONDS: Final = 0.5
"""How long a pool that is stopped waits for its threads, which may be in a kernel that takes long.
"""


class ThreadPool:
    """Threads that are started when there is work for them, up to `size`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._tasks: SimpleQueue[tuple[Task, Any, Any] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._sleepers: list[Sleeper] = []
        self._at_work: dict[threading.Thread, tuple[Task, Any, Sleeper]] = {}
        """What each thread runs: the task and its first argument."""
        self._left: set[threading.Thread] = set()
        self._lock = threading.RLock()

    def submit(self, task: Task, first: Any, second: Any) -> None:
        """Has a thread call `task(first, second)`, which must not raise."""
        if len(self._threads) < self.size:
            sheltered(self._start_thread)
        here = current_core()
        for sleeper in self._sleepers:
            sleeper.keep_off(here)
        self._tasks.put((task, first, second))

    @property
    def idle(self) -> int:
        """How many threads have nothing to do, those among them that have not been started."""
        awake = sum(not sleeper.is_asleep for sleeper in self._sleepers)
        return self.size - awake - self._tasks.qsize()

    @property
    def at_work(self) -> list[tuple[Task, Any]]:
        """What the threads run now: each task and its first argument."""
        return [(task, first) for task, first, _ in tuple(self._at_work.values())]

    def leave_behind(self, is_stuck: Callable[[Any], bool]) -> None:
        """Has new threads take the place of those that do not come back from their task.

        Args:
          is_stuck: Told what a thread was given first of its task; says whether it is such a one.
        """
        with self._lock:
            for thread, (_, first, sleeper) in tuple(self._at_work.items()):
                if len(self._left) >= MOST_LEFT:
                    return
                if thread in self._threads and is_stuck(first):
                    self._left.add(thread)
                    self._threads.remove(thread)
                    self._sleepers.remove(sleeper)
            waiting = self._tasks.qsize()
        # What was submitted before has not started a thread.
        for _ in range(waiting):
            self._start_thread()

    def stop(self) -> None:
        """Ends the threads once the submitted tasks are done, and waits a while for them."""
        with self._lock:
            threads, self._threads = self._threads, []
            self._sleepers = []
        for _ in threads:
            self._tasks.put(None)
        deadline = monotonic() + _STOP_SECONDS
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - monotonic()))

    def _start_thread(self) -> None:
        """Starts a thread if there may be one more."""
        with self._lock:
            if len(self._threads) < self.size:
                name = f"dataflow-pool-{len(self._threads)}"
                thread = threading.Thread(target=self._work, name=name, daemon=True)
                thread.start()
                self._threads.append(thread)

    def _work(self) -> None:
        np.seterr(all="ignore")
        sleeper, this = Sleeper(), threading.current_thread()
        self._sleepers.append(sleeper)
        while True:
            sleeper.lie_down()
            item = self._tasks.get()
            sleeper.get_up()
            if item is None:
                return
            task, first, second = item
            # The last reference would keep a step's values alive until the next task.
            del item
            self._at_work[this] = task, first, sleeper
            task(first, second)
            del first, second, self._at_work[this]
            if self._left and this in self._left:
                with self._lock:
                    self._left.discard(this)
                return


class KernelHelpers:
    """The threads that may help the kernels of a session; see `kernels.parallel.Helpers`."""

    def __init__(self, pools: Sequence[ThreadPool], limit: int) -> None:
        self.limit = limit
        self._pools = tuple(pools)

    @property
    def idle(self) -> int:
        """How many of the threads have nothing to do."""
        return sum(max(0, pool.idle) for pool in self._pools)

    @property
    def are_idle(self) -> bool:
        """True if none of the threads works, or is about to."""
        return all(pool.idle >= pool.size for pool in self._pools)

    def call(self, task: Callable[[], None], count: int) -> None:
        """Has up to `count` idle threads call a function, which must not raise."""
        for pool in self._pools:
            asked = min(count, pool.idle)
            for _ in range(asked):
                pool.submit(_call, task, None)
            count -= max(0, asked)


def _call(task: Callable[[], None], _: None) -> None:
    task()


_shared: dict[int, tuple[ThreadPool, int]] = {}
_shared_lock = threading.RLock()


def acquire_pool(size: int) -> ThreadPool:
    """The process's pool of that size; give it back with `release_pool`."""
    with _shared_lock:
        pool, users = _shared.get(size) or (ThreadPool(size), 0)
        _shared[size] = (pool, users + 1)
        return pool


def release_pool(pool: ThreadPool) -> None:
    """Gives a pool back; its last user stops its threads."""
    with _shared_lock:
        shared, users = _shared.get(pool.size, (None, 0))
        if shared is pool and users > 1:
            _shared[pool.size] = (pool, users - 1)
            return
        if shared is pool:
            del _shared[pool.size]
    pool.stop()


class SessionThreads:
    """The threads of a session: those that run segments, and those that help kernels.

    The calling thread runs both, so that one thread less is asked for. All together they are no
    more than the greater of both numbers.
    """

    def __init__(self, inter_op: int, intra_op: int, own: bool) -> None:
        """Takes threads; give them back with `close`.

        Args:
          inter_op: How many segments may run at a time.
          intra_op: How many threads one kernel may use.
          own: Shares the threads with no other session.
        """
        self._own = own
        self._pools: list[ThreadPool] = []
        self.pool: ThreadPool | None = None
        """Runs segments; None if only the calling thread does."""
        if inter_op > 1:
            self.pool = self._open(inter_op - 1)
        if intra_op > max(1, inter_op):
            self._open(intra_op - max(1, inter_op))
        self.helpers: KernelHelpers | None = None
        """Helps kernels; None if each is to use one thread."""
        if intra_op > 1:
            self.helpers = KernelHelpers(self._pools, intra_op)

    def work_for(self, step_id: int) -> bool:
        """Whether one of the threads is at work for a step, or helps a kernel of any step."""
        return any(
            task is _call or first.step.step_id == step_id
            for pool in self._pools
            for task, first in pool.at_work
        )

    def leave_behind(self, step_id: int) -> None:
        """Has new threads take the place of those that run a step which was stopped."""
        for pool in self._pools:
            pool.leave_behind(lambda run: getattr(run, "step_id", None) == step_id)

    def close(self) -> None:
        """Gives the threads back, or ends them."""
        pools, self._pools = self._pools, []
        for pool in pools:
            if self._own:
                pool.stop()
            else:
                release_pool(pool)

    def _open(self, size: int) -> ThreadPool:
        pool = ThreadPool(size) if self._own else acquire_pool(size)
        self._pools.append(pool)
        return pool
