"""Training: optimizers and their slots, moving averages, learning rates, the global step."""

from __future__ import annotations

__all__: list[str] = []
