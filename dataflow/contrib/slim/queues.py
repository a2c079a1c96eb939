"""slim.queues: the graph's queues are filled while a block runs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_collection
from dataflow.training.coordination.coordinator import Coordinator

_LOCK = threading.Lock()


class NestedQueueRunnerError(Exception):
    """One block is inside another."""


@contextlib.contextmanager
def QueueRunners(session: Any) -> Iterator[None]:
    """Starts the queue runners, and stops them at the end.

    Args:
      session: The session.

    Raises:
      NestedQueueRunnerError: Another such block is open.
    """
    if not _LOCK.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    try:
        coord = Coordinator()
        threads = [
            thread
            for runner in get_collection(GraphKeys.QUEUE_RUNNERS)
            for thread in runner.create_threads(session, coord=coord, daemon=True, start=True)
        ]
        try:
            yield
        finally:
            coord.request_stop()
            try:
                coord.join(threads, stop_grace_period_secs=120)
            except RuntimeError:
                session.close()
    finally:
        _LOCK.release()
