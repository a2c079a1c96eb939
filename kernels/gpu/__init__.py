"""Kernels for GPU devices; imported only by a process that owns a GPU."""

from __future__ import annotations

__all__: list[str] = []
