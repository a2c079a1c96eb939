"""Which replica of a program this is: the only one, for there are no distribution strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


class OnlyReplica:
    """What functions of `tf.distribute` know of a program without a strategy."""

    num_replicas_in_sync = 1
    replica_id_in_sync_group = 0
    strategy = None

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """`merge_fn(strategy, *args, **kwargs)`: there is nothing to merge, and no strategy."""
        return merge_fn(self.strategy, *args, **(kwargs or {}))


_ONLY = OnlyReplica()


def get_replica_context() -> OnlyReplica:
    """The only replica that there is."""
    return _ONLY


def has_strategy() -> bool:
    """False: there is none."""
    return False


def in_cross_replica_context() -> bool:
    """False: this is a replica."""
    return False
