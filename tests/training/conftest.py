"""Fixtures of the training tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dataflow.session.session import Session


class LocalSessions:
    """Opens sessions in this process; kernels need no other target to be tested."""

    target = ""

    def __init__(self) -> None:
        self.opened: list[Session] = []

    def __call__(self, graph: Any = None, config: Any = None) -> Session:
        """Opens a session."""
        self.opened.append(Session("", graph=graph, config=config))
        return self.opened[-1]


@pytest.fixture
def local_sessions() -> Iterator[LocalSessions]:
    """A function that opens sessions; they are closed at the end of the test."""
    sessions = LocalSessions()
    yield sessions
    for session in sessions.opened:
        session.close()
