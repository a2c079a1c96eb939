"""Whether other threads run while a function is at work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def counted_beside(call: Callable[[], Any]) -> int:
    """How far another thread counts while a function runs, which gives nothing or what is true."""
    count, is_over = 0, False

    def work() -> None:
        nonlocal count
        while not is_over:
            count += 1

    thread = threading.Thread(target=work)
    thread.start()
    before = count
    found = call()
    after = count
    is_over = True
    thread.join()
    assert found is None or found
    return after - before
