"""tensorflow.python.util.lock_util: a lock that one group of threads holds at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


class GroupLock:
    """Any number of a group's threads hold it, and none of another group's meanwhile."""

    def __init__(self, num_groups: int = 2) -> None:
        """Takes the number of groups.

        Raises:
          ValueError: It is below 1.
        """
        if num_groups < 1:
            raise ValueError(f"num_groups must be a positive integer, got {num_groups}")
        self._ready = threading.Condition(threading.Lock())
        self._num_groups = num_groups
        self._group_member_counts = [0] * num_groups

    def group(self, group_id: int) -> AbstractContextManager[None]:
        """A context in which a thread of a group holds the lock."""
        self._validate(group_id)
        return self._held(group_id)

    @contextmanager
    def _held(self, group_id: int) -> Iterator[None]:
        self.acquire(group_id)
        try:
            yield
        finally:
            self.release(group_id)

    def acquire(self, group_id: int) -> None:
        """Takes the lock for a thread of a group, once no other group has it."""
        self._validate(group_id)
        with self._ready:
            self._ready.wait_for(lambda: not self._another_group_active(group_id))
            self._group_member_counts[group_id] += 1

    def release(self, group_id: int) -> None:
        """Gives it back."""
        self._validate(group_id)
        with self._ready:
            self._group_member_counts[group_id] -= 1
            if self._group_member_counts[group_id] == 0:
                self._ready.notify_all()

    def _another_group_active(self, group_id: int) -> bool:
        counts = self._group_member_counts
        return any(count > 0 for group, count in enumerate(counts) if group != group_id)

    def _validate(self, group_id: int) -> None:
        if not 0 <= group_id < self._num_groups:
            raise ValueError(
                f"group_id={group_id} should be between 0 and num_groups={self._num_groups}"
            )
