"""How a command fails: one line that says what is wrong, and status 1."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from dataflow.errors import OpError

_MISTAKES = (OpError, OSError, ValueError, TypeError, KeyError, AssertionError, RuntimeError)


def told(command: Callable[..., Any]) -> Callable[..., Any]:
    """Says what is wrong in one line, and ends with status 1."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except _MISTAKES as error:
            said = error.message if isinstance(error, OpError) else str(error)
            lines = [line.strip() for line in str(said).splitlines() if line.strip()]
            raise click.ClickException(lines[0] if lines else type(error).__name__) from None

    return wrapped
