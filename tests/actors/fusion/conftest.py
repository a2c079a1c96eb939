"""Clusters of few nodes over small arrays are made here too, though they do not pay."""

from __future__ import annotations

import pytest

from dataflow.actors.fusion.large import clusters


@pytest.fixture(autouse=True)
def small_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts clusters together whether they have much to do or not."""
    monkeypatch.setattr(clusters, "_MANY", 0)
