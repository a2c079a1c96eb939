"""How far long work has come, shown where someone looks on: in a terminal or a notebook."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

_SECONDS: Final = 0.1
"""From one drawing to the next; in between, a step costs as good as nothing."""


@contextmanager
def progress(
    label: str, total: int | None = None, console: Any = None
) -> Iterator[Callable[[], None]]:
    """Shows a bar while the body runs, unless standard error goes to a file or a pipe.

    It is drawn by who calls only, never meanwhile: work that is timed is not disturbed.

    Args:
      label: What is done.
      total: How many pieces there are, if that is known.
      console: A `rich.console.Console` to draw on, rather than standard error.

    Yields:
      A function to call after each piece.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = console or Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield lambda: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    done, drawn = 0, time.monotonic()
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        # Nobody may come to end it: see `ProgressHook`.
        console.show_cursor(True)
        task = bar.add_task(label, total=total)
        bar.refresh()

        def advance() -> None:
            nonlocal done, drawn
            done += 1
            if time.monotonic() - drawn >= _SECONDS:
                bar.update(task, completed=done, refresh=True)
                drawn = time.monotonic()

        yield advance
        bar.update(task, completed=done, refresh=True)
