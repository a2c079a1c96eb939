"""The ops, one file per family: schema, shape function, gradient and docstring together."""

from __future__ import annotations

__all__: list[str] = []
