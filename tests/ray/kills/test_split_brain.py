"""Machines that are given up while their processes live on, and a head that is lost."""

from __future__ import annotations

import pytest

from tests.ray.kills.kill_matrix import run_program
from tests.ray.kills.kill_nodes import NODE_SECONDS
from tests.ray.processes import run_module

pytestmark = [pytest.mark.long, pytest.mark.ray]

START_SECONDS = 15.0
"""What starting processes may take on a busy machine."""


def test_who_is_given_up_is_replaced_and_ends() -> None:
    """What the survivor sends goes to the new device, and the old one's processes end."""
    cells = ("raylet-killed:values in flight", "all-frozen:loop over two tasks")
    outcomes = run_program("split_brain", "1", "0", *cells, timeout=280)
    assert [f"{each.victim}:{each.moment}" for each in outcomes] == list(cells)
    for outcome in outcomes:
        assert (outcome.error, outcome.state) == ("Unavailable", "works; lost initialized anew")
        assert outcome.seconds < NODE_SECONDS
        assert outcome.back < NODE_SECONDS + START_SECONDS


@pytest.mark.parametrize("how", ["killed", "restarted"])
def test_the_head_is_lost(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a store of its own it takes all with it; the session says so before Ray ends the
    program."""
    monkeypatch.setenv("RAY_gcs_rpc_server_reconnect_timeout_s", "20")
    lines = run_module("kills.head_loss", how, timeout=200)
    facts = dict(line.removeprefix("out: ").split(": ", 1) for line in lines if "out: " in line)
    why = "was started again" if how == "restarted" else "has not answered for"
    error = facts.pop("error")
    assert error.startswith("Ray's head at ") and why in error and "ray.shutdown()" in error
    assert float(facts.pop("seconds")) < 20.0
    assert facts.pop("with another Ray") == "6.0"
    if how == "restarted":
        assert "ray.shutdown()" in facts.pop("a new session")
    assert set(facts.values()) == {"True"}, facts
    assert len(facts) == (8 if how == "restarted" else 7), facts
