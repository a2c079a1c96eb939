"""Says, while this process waits for Ray, for what and how long already."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_LOGGER = logging.getLogger("dataflow")

_SILENT_SECONDS: Final = 5.0


@contextmanager
def awaited(
    what: str | Callable[[], str], limit: float | None = None, every: float = _SILENT_SECONDS
) -> Iterator[None]:
    """Logs a warning now and then as long as its body runs.

    Args:
      what: "the master to answer"; or a function that tells what is still missing.
      limit: Seconds after which the body gives up; None if it is Ray that does.
      every: Seconds between two warnings, and before the first.
    """
    ended, start = threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(every):
            passed = time.monotonic() - start
            until = f" of at most {limit:.0f} s" if limit is not None else ""
            text = what if isinstance(what, str) else what()
            _LOGGER.warning("Waiting for %s: %.0f s%s so far.", text, passed, until)

    threading.Thread(target=tell, name="dataflow-awaited", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
