"""Kernels for CPU devices where the generic one is not the best."""

from __future__ import annotations

__all__: list[str] = []
