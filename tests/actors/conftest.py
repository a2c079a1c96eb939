"""Fixtures of the back-end tests: the trial ops, and direct sessions that are closed again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dataflow.actors.fusion.compiled.node import CompiledNode
from tests.actors import trial_ops
from tests.actors.fusion.merged import watch
from tests.actors.harness import Sessions


@pytest.fixture(scope="package", autouse=True)
def _trial_ops() -> Iterator[None]:
    with trial_ops.registered():
        yield


@pytest.fixture(autouse=True)
def _fresh_switches() -> Iterator[None]:
    yield
    trial_ops.gates.clear()
    trial_ops.barriers.clear()
    trial_ops.functions.clear()
    trial_ops.calls.clear()
    trial_ops.parked.clear()


@pytest.fixture
def sessions() -> Iterator[Sessions]:
    """Opens direct sessions; they are closed at the end of the test."""
    opened = Sessions()
    yield opened
    opened.close()


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> list[CompiledNode]:
    """The clusters that are made while a test runs."""
    return watch(monkeypatch, "compile_clusters", CompiledNode)
