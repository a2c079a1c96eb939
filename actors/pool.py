"""The thread pool that runs costly segments, shared by the sessions of a process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

Task = Callable[[Any, Any], None]


class ThreadPool:
    """Threads that are started when there is work for them, up to `size`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._tasks: SimpleQueue[tuple[Task, Any, Any] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.RLock()

    def submit(self, task: Task, first: Any, second: Any) -> None:
        """Has a thread call `task(first, second)`, which must not raise."""
        if len(self._threads) < self.size:
            with self._lock:
                if len(self._threads) < self.size:
                    name = f"dataflow-pool-{len(self._threads)}"
                    thread = threading.Thread(target=self._work, name=name, daemon=True)
                    self._threads.append(thread)
                    thread.start()
        self._tasks.put((task, first, second))

    def stop(self) -> None:
        """Ends the threads once the submitted tasks are done, and waits for them."""
        with self._lock:
            threads, self._threads = self._threads, []
        for _ in threads:
            self._tasks.put(None)
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join()

    def _work(self) -> None:
        np.seterr(all="ignore")
        while True:
            item = self._tasks.get()
            if item is None:
                return
            task, first, second = item
            # The tuple's last reference would keep a step's values alive until the next task.
            del item
            task(first, second)
            del first, second


_shared: dict[int, tuple[ThreadPool, int]] = {}
_shared_lock = threading.RLock()


def available_cores() -> int:
    """Number of processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
