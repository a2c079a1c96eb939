"""Kills and cuts at random moments: the right error, soon, and everything works afterwards.

`kill_matrix.py` does the same many times.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import pytest

from tests.ray.actors import all_living, eventually
from tests.ray.kills.kill_matrix import run_program, table
from tests.ray.kills.kill_nodes import NODE_SECONDS
from tests.ray.kills.kill_trials import SOON, VICTIMS, Outcome, Range
from tests.ray.kills.kill_world import MOMENTS
from tests.ray.transports import LANES, chiefly_of_lanes, of_lanes

pytestmark = [pytest.mark.ray]

STEPS = ("kernels busy", "values in flight", "partial run")
"""The moments that differ with the transport; without lanes they are tried where there is time."""
OTHERS = tuple(moment for moment in MOMENTS if moment not in STEPS)
CELLS = {"device actor": MOMENTS, "worker actor": STEPS, "master actor": OTHERS}
"""What is tried on lanes in CI."""


@pytest.fixture(scope="module")
def shooting(transport: str) -> Iterator[Range]:
    """A server whose processes are killed."""
    before, threads = all_living(), set(threading.enumerate())
    made = Range(seed=3)
    yield made
    made.close()
    assert not all_living() - before
    assert eventually(lambda: not set(threading.enumerate()) - threads)


@of_lanes
@pytest.mark.parametrize("victim", VICTIMS)
def test_kills(shooting: Range, victim: str) -> None:
    check(shooting, victim, CELLS[victim])


@pytest.mark.long
@pytest.mark.parametrize("victim", VICTIMS)
def test_kills_at_all_moments(shooting: Range, transport: str, victim: str) -> None:
    check(shooting, victim, MOMENTS if transport == LANES else STEPS)


def check(shooting: Range, victim: str, moments: Sequence[str]) -> None:
    """Kills one of a kind at each of these moments."""
    outcomes = [shooting.kill(victim, moment) for moment in moments]
    if victim == "master actor":
        # It holds no variables, nor what was prepared.
        assert {outcome.state for outcome in outcomes} == {"works, nothing lost"}
    else:
        assert all("initialized anew" in outcome.state for outcome in outcomes)
        # Most of them hit a step. How soon the caller is told, each trial has checked.
        assert "Unavailable" in [outcome.error for outcome in outcomes]


@chiefly_of_lanes
def test_kill_of_a_client(shooting: Range) -> None:
    outcome = shooting.kill("client", "partial run")
    assert outcome.state == "works, nothing lost"


@of_lanes
def test_cut_connections(shooting: Range) -> None:
    outcomes = [shooting.kill("connection", moment) for moment in 2 * MOMENTS]
    assert {outcome.state for outcome in outcomes} == {"works, nothing lost"}
    assert "Unavailable" in [outcome.error for outcome in outcomes]


@pytest.mark.long
def test_pressure() -> None:
    *store, kernel, machine = run_program("kill_pressure", timeout=200)
    assert [outcome.moment for outcome in store] == ["values in flight", "fetch", "feed"]
    assert {outcome.victim for outcome in store} == {"object store"}
    assert (kernel.victim, machine.victim) == ("address space", "memory of the machine")
    for outcome in (*store, kernel, machine):
        assert (outcome.error, outcome.state) == ("ResourceExhausted", "works")
    assert machine.seconds < SOON


@pytest.mark.long
def test_loss_of_a_machine() -> None:
    (outcome,) = run_program("kill_nodes", "1", "1", "quick", timeout=120)
    assert outcome.error == "Unavailable" and outcome.seconds < NODE_SECONDS
    assert outcome.state == "works; lost initialized anew"


def test_the_table_has_a_line_for_each_kind() -> None:
    outcomes = [
        Outcome("device actor", "first run", "Unavailable", 0.5, "works", 1.0),
        Outcome("device actor", "first run", "none", 3.0, "works", 2.0),
        Outcome("client", "first run", "none", 1.0, "works", 1.0),
    ]
    lines = table(outcomes).splitlines()[2:]
    assert lines == [
        "| device actor | first run | 2 | Unavailable (1), none (1) | 0.50 s | 0.50 s | works "
        "| 2.0 s |",
        "| client | first run | 1 | none | 1.00 s | 1.00 s | works | 1.0 s |",
    ]
