"""The compiler: pure functions over the back-end graph."""

from __future__ import annotations

__all__: list[str] = []
