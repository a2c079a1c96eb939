"""What the tests of lanes share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def _quick_collections() -> Iterator[None]:
    """These tests collect garbage around each case: that shall not walk what other tests left."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
