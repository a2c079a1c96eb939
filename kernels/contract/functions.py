"""Functions of the graph's library, as the kernels see them whose nodes name one."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any, Protocol

from dataflow.errors import OpError


class Stoppable(Protocol):
    """A call that is going on."""

    def cancel(self, error: OpError) -> bool:
        """Ends it with this error, unless it has one already."""


class Caller(Protocol):
    """On whose behalf calls are made: it can stop them."""

    def begin(self, call: Stoppable) -> None:
        """Takes note of a call.

        Raises:
          OpError: No more calls are to be made.
        """

    def end(self, call: Stoppable) -> None:
        """Forgets it."""


class Ready(Protocol):
    """A function that is ready to run; may be called from many threads."""

    @property
    def may_wait(self) -> bool:
        """True if a call may wait for something that other steps do."""

    def __call__(self, caller: Caller, arguments: Sequence[Any]) -> list[Any]:
        """Runs the function on this thread, to its end.

        Raises:
          OpError: The first error, or the one that the call was stopped with.
        """


class KeptKernels:
    """The bound callables of the stateful nodes of functions, of whoever runs them."""

    def __init__(self) -> None:
        """Has none yet."""
        self._calls: dict[str, Callable[..., Any]] = {}

    def find(self, session: int, node: str) -> Callable[..., Any] | None:
        """The callable of a node, or None."""
        return self._calls.get(node)

    def keep(self, session: int, node: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Keeps a callable, and gives the one that is kept: the first one of the node."""
        return self._calls.setdefault(node, call)


class Function(Protocol):
    """A function under attrs, in the library of a graph."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def key(self) -> bytes:
        """Stands for the function and its attrs."""

    def ops(self) -> Set[str]:
        """The types of its nodes, and of those of functions that it calls."""

    def prepare(self, kernels: KeptKernels) -> Ready:
        """Makes it ready to run.

        Args:
          kernels: Those of its stateful nodes that there are already.

        Raises:
          OpError: It is malformed, or a node of it has no kernel.
        """
