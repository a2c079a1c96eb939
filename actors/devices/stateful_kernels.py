"""The kernels of a device's stateful nodes, each of which outlives the plans of its session."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.resources import tell_forgotten

Call = Callable[..., Any]


class StatefulKernels:
    """Bound callables by session and node. Sessions come and go on several threads."""

    def __init__(self) -> None:
        """Has none yet."""
        self._lock = threading.Lock()
        self._calls: dict[int, dict[str, Call]] = {}

    def find(self, session: int, node: str) -> Call | None:
        """The callable of a node, or None."""
        with self._lock:
            return self._calls.get(session, {}).get(node)

    def keep(self, session: int, node: str, call: Call) -> Call:
        """Keeps a callable, and gives the one that is kept: the first one of the node."""
        with self._lock:
            return self._calls.setdefault(session, {}).setdefault(node, call)

    def forget_session(self, session: int) -> None:
        """Forgets those of a session."""
        with self._lock:
            gone = self._calls.pop(session, {})
        # Their ends may take time, or bind or forget others.
        tell_forgotten(gone.values())
        del gone

    def clear(self) -> None:
        """Forgets all."""
        with self._lock:
            gone, self._calls = self._calls, {}
        for calls in gone.values():
            tell_forgotten(calls.values())
        del gone

    def __len__(self) -> int:
        """How many there are."""
        with self._lock:
            return sum(map(len, self._calls.values()))
