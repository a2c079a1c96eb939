"""Which strategy holds here, and whether a replica's code runs."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from dataflow.ops.basic.identity import identity
from dataflow.values import nest

if TYPE_CHECKING:
    from dataflow.library.distribution.strategy import Strategy


class ReduceOp(Enum):
    """How the values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """What a variable's aggregation comes to."""
        return ReduceOp.SUM if aggregation.name == "SUM" else ReduceOp.MEAN


@dataclass(frozen=True)
class _Entry:
    strategy: Strategy
    replica: ReplicaContext | None


class _Entries(threading.local):
    """The scopes that are open on this thread, innermost last."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[_Entry] = []
        self.set: AbstractContextManager[Any] | None = None
        """The scope that holds until another strategy is set."""


_entries = _Entries()


class ReplicaContext:
    """What a replica's code knows of the others; here there are no others.

    Args:
      strategy: The strategy.
      replica_id_in_sync_group: The replica's number.
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: Any) -> None:
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group

    @property
    def strategy(self) -> Strategy:
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """1."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The replica's number."""
        return self._replica_id

    @property
    def devices(self) -> tuple[str, ...]:
        """The device of the replica."""
        return self._strategy.extended.worker_devices

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Calls a function of the strategy and the arguments, outside of the replica."""
        with _opened(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The sums or means over replicas, for each replica: the values themselves.

        Raises:
          ValueError: `reduce_op` is neither.
        """
        ReduceOp(reduce_op.upper() if isinstance(reduce_op, str) else reduce_op)
        return nest.map_structure(identity, value)

    def __enter__(self) -> None:
        _entries.stack.append(_Entry(self._strategy, self))

    def __exit__(self, *error: object) -> None:
        _entries.stack.pop()


def get_strategy() -> Strategy:
    """The strategy whose scope is open; the default one if none is."""
    return _innermost().strategy


def has_strategy() -> bool:
    """Whether the scope of a strategy is open that is not the default one."""
    return get_strategy() is not _default()


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica whose code runs; None outside of replicas, in a scope."""
    return _innermost().replica


def in_cross_replica_context() -> bool:
    """Whether no replica's code runs, in a scope."""
    return get_replica_context() is None


def get_loss_reduction() -> ReduceOp:
    """How losses of replicas become one."""
    return ReduceOp.SUM


@contextmanager
def strategy_scope(strategy: Strategy) -> Iterator[Strategy]:
    """Has a strategy hold inside.

    Raises:
      RuntimeError: Another one holds already, or the code of a replica runs.
    """
    holds = _innermost()
    if has_strategy():
        if holds.strategy is not strategy:
            raise RuntimeError("Mixing different tf.distribute.Strategy objects")
        if holds.replica is not None:
            raise RuntimeError("Entering a strategy scope inside a replica of it")
    with _opened(strategy, holds.replica if strategy is _default() else None):
        yield strategy


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Has a strategy hold on this thread from here on, in the place of one set before.

    Args:
      strategy: A strategy; None for the default one.

    Raises:
      RuntimeError: The scope of a strategy is open.
    """
    if _entries.set is not None:
        _entries.set.__exit__(None, None, None)
        _entries.set = None
    if has_strategy():
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    if strategy is not None:
        scope = strategy.scope()
        scope.__enter__()
        _entries.set = scope


def run_replica(strategy: Strategy, fn: Callable[[], Any]) -> Any:
    """Calls a function as a replica's code."""
    with ReplicaContext(strategy, 0):
        return fn()


@contextmanager
def _opened(strategy: Strategy, replica: ReplicaContext | None) -> Iterator[None]:
    _entries.stack.append(_Entry(strategy, replica))
    try:
        yield
    finally:
        _entries.stack.pop()


def _innermost() -> _Entry:
    return _entries.stack[-1] if _entries.stack else _default_entry()


def _default() -> Strategy:
    return _default_entry().strategy


@functools.cache
def _default_entry() -> _Entry:
    from dataflow.library.distribution.strategy import DefaultStrategy

    strategy = DefaultStrategy()
    return _Entry(strategy, ReplicaContext(strategy, 0))
