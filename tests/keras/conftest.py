"""The session that tf.keras keeps for itself ends with each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import dataflow as tf


@pytest.fixture(autouse=True)
def _no_session_stays() -> Iterator[None]:
    """Others count sessions and their threads."""
    yield
    tf.keras.backend.clear_session()
