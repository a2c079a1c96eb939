"""How many examples the costly random tests try: a share of them in CI, more where one has time."""

from __future__ import annotations

import os
from typing import Any

import hypothesis

_MORE = os.environ.get("TEST_ROUNDS")
"""Times the full number, of other examples on each run; unset, the same third of it each time."""


def rounds(full: int, **options: Any) -> hypothesis.settings:
    """The settings of a test whose full number of examples takes longer than most rooms."""
    share = float(_MORE) if _MORE else 1 / 3
    count = max(1, round(full * share))
    return hypothesis.settings(max_examples=count, derandomize=not _MORE, deadline=None, **options)
