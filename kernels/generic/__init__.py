"""Kernels written once against `xp`, which is numpy or cupy."""

from __future__ import annotations

__all__: list[str] = []
