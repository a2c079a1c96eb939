"""Optional: the value of a variant that holds tensors, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """Some tensors, or none; never changed."""

    components: tuple[Any, ...] | None


NOTHING = Optional(None)
"""An optional without a value."""
