"""The session that checkpoints are saved from and restored to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph.scopes import get_default_session

_PROVIDERS: list[Callable[[], Any]] = []


def register_session_provider(provider: Callable[[], Any]) -> None:
    """Has a function asked for a session where there is no default one; the first one counts."""
    _PROVIDERS.append(provider)


def session_of(session: Any) -> Any:
    """The session, or the default one, or else what the registered function gives.

    Raises:
      ValueError: There is none.
    """
    found = get_default_session() if session is None else session
    if found is None and _PROVIDERS:
        found = _PROVIDERS[0]()
    if found is None:
        raise ValueError(
            "There is no session: pass one, or make one the default by `with session.as_default()`."
        )
    return found
