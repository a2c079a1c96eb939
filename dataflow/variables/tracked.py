"""How an object says what it is made of: by what checkpoints know its parts."""

from __future__ import annotations

from typing import Any, NamedTuple


class TrackableReference(NamedTuple):
    """An object that another one is made of, and its name there."""

    name: str
    ref: Any
