"""The error a kernel raises for inputs it cannot take."""

from __future__ import annotations

from dataflow.errors import InvalidArgumentError


def invalid(text: str) -> InvalidArgumentError:
    """An InvalidArgumentError that says so; the executor adds where."""
    return InvalidArgumentError(None, None, text)
