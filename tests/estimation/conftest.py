"""What estimators change in the process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import dataflow as tf


@pytest.fixture
def variables_as_before() -> Iterator[None]:
    """Estimators of trees put variables behind handles."""
    yield
    tf.disable_resource_variables()


@pytest.fixture(autouse=True)
def _writers_are_closed() -> Iterator[None]:
    """Estimators keep their writers of events, and each of them a thread."""
    yield
    tf.summary.FileWriterCache.clear()
