"""Conditionals and loops: the contexts that new operations are put in, and what opens them."""

from __future__ import annotations

__all__: list[str] = []
