"""Notes at Ray's head that nobody starts an actor again: its server was stopped, or gave up.

The actor's end alone does not tell: the rest of a task that is started again ends in the same way.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Final

from ray._private.worker import global_worker

from dataflow.actors.ray.links.calls import NAMESPACE

_LOGGER = logging.getLogger("dataflow")

_NAMESPACE: Final = NAMESPACE.encode()
_PATIENCE: Final = 2.0
"""Seconds that an answer may take."""


def note_ended(names: Iterable[str]) -> None:
    """Says so of actors, by their names, before they are ended."""
    for name in names:
        _ask(
            lambda head, key: head.internal_kv_put(key, b"ended", True, _NAMESPACE, _PATIENCE), name
        )


def forget_ended(names: Iterable[str]) -> None:
    """Takes it back of actors that are started after all, before they are."""
    for name in names:
        _ask(lambda head, key: head.internal_kv_del(key, False, _NAMESPACE, _PATIENCE), name)


def has_ended(name: str) -> bool:
    """Whether it was said of an actor; False if the head does not answer."""
    return bool(_ask(lambda head, key: head.internal_kv_exists(key, _NAMESPACE, _PATIENCE), name))


def _ask(request: Callable[[Any, bytes], Any], name: str) -> Any:
    # Ray's client has none: what it is connected to has.
    head = getattr(global_worker, "gcs_client", None)
    try:
        return head and request(head, name.encode())
    except Exception as error:
        _LOGGER.debug("Ray's head tells nothing of the end of %s: %s", name, error)
        return None
