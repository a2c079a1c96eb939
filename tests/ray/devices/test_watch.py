"""The watch over actors: it tells of a death once, and ends with its thread."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import ray

from dataflow.actors.ray.links.watch import DeathWatch, Watch
from dataflow.errors import OpError, UnavailableError
from tests.ray.actors import eventually

pytestmark = pytest.mark.ray


class _Watched:
    """An actor that does nothing but be watched."""

    def __init__(self) -> None:
        self._watch = Watch()

    def watch(self, watcher: str, *seconds: float) -> None:
        """Returns when the watcher asks for it."""
        self._watch.wait(watcher, *seconds)

    def unwatch(self, watcher: str) -> None:
        """Ends a watcher's call."""
        self._watch.release(watcher)


@pytest.fixture
def actor(ray_cluster: None) -> Iterator[Any]:
    made = ray.remote(
        num_cpus=0,
        allow_out_of_order_execution=True,
        concurrency_groups={"watch": 2, "signal": 1},
    )(_Watched).remote()
    yield made
    ray.kill(made)


def test_the_thread_has_ended_when_the_watch_is_stopped(actor: Any) -> None:
    told: list[str] = []
    for _ in range(10):
        watch = DeathWatch({"it": actor}, lambda name, error: told.append(name))
        assert watch.is_running
        watch.stop()
        assert not watch.is_running
    assert told == []


def test_what_a_dead_watcher_left_behind_ends(actor: Any) -> None:
    """Nobody releases it."""
    watch = actor.watch.options(concurrency_group="watch")
    left = [watch.remote(dead, 0.3) for dead in ("one", "another")]
    mine = watch.remote("mine")
    actor.unwatch.options(concurrency_group="signal").remote("mine")
    assert ray.get([*left, mine], timeout=30) == [None] * 3
    assert inspect.signature(Watch.wait).parameters["seconds"].default <= 60


def test_who_is_told_of_a_death_may_stop_the_watch(actor: Any) -> None:
    told: list[tuple[str, OpError]] = []

    def died(name: str, error: OpError) -> None:
        watch.stop()
        told.append((name, error))

    watch = DeathWatch({"it": actor}, died)
    ray.kill(actor)
    assert eventually(lambda: not watch.is_running)
    ((name, error),) = told
    assert name == "it"
    assert isinstance(error, UnavailableError)
    assert "it" in error.message
