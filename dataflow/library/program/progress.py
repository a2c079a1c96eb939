"""How far long work has come, shown where someone looks on: in a terminal or a notebook."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

_SECONDS: Final = 0.1
"""From one drawing to the next; in between, a step costs as good as nothing."""

_Draw = Callable[[int], None]
"""Shows how many pieces are done."""


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

    console = console or Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield lambda: None
        return
    with (_in_notebook if console.is_jupyter else _in_terminal)(label, total, console) as draw:
        done, drawn = 0, time.monotonic()
        draw(done)

        def advance() -> None:
            nonlocal done, drawn
            done += 1
            if time.monotonic() - drawn >= _SECONDS:
                draw(done)
                drawn = time.monotonic()

        yield advance
        draw(done)


@contextmanager
def _in_terminal(label: str, total: int | None, console: Any) -> Iterator[_Draw]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        # Nobody may come to end it: a session that fails does not call its hooks.
        console.show_cursor(True)
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done, refresh=True)


@contextmanager
def _in_notebook(label: str, total: int | None, console: Any) -> Iterator[_Draw]:
    """Without widgets, which rich would ask for."""
    from IPython.display import display

    handle: Any = None

    def draw(done: int) -> None:
        nonlocal handle
        text = f"{label} {done}" if total is None else f"{label} {done}/{total}"
        bar = "<progress>" if total is None else f'<progress value="{done}" max="{total}">'
        shown = {"text/plain": text, "text/html": f"{bar}</progress> {html.escape(text)}"}
        if handle is None:
            handle = display(shown, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            handle.update(shown, raw=True)

    yield draw
