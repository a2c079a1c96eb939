"""Many checks in one test, each with a name: most take less time than a test of their own would."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable

import pytest

Check = tuple[str, Callable[[], None]]
"""A name, and a function that fails."""


def make_all(checks: Iterable[Check]) -> None:
    """Makes every check, and fails with the names and tracebacks of those that fail."""
    faults = []
    for name, check in checks:
        try:
            check()
        except Exception as error:
            faults.append(f"{name}:\n{''.join(traceback.format_exception(error))}")
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)
