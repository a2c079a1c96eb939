"""Two simulated machines: tasks land on both, tensors cross, and one of them may be lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.once import made_once
from tests.ray.processes import run_module
from tests.ray.transports import LANES, OBJECT_STORE

pytestmark = [pytest.mark.ray(own=True)]


@pytest.fixture(scope="module", params=[LANES, pytest.param(OBJECT_STORE, marks=pytest.mark.long)])
def facts(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """What the program on the cluster has found with a transport, by kind."""
    found: dict[str, list[str]] = {}

    def make(folder: Path) -> None:
        lines = run_module("two_nodes", request.param, timeout=280)
        (folder / "lines.txt").write_text("\n".join(lines))

    folder = made_once(f"two_nodes-{request.param}".replace(" ", "_"), make)
    for line in (folder / "lines.txt").read_text().splitlines():
        if line.startswith("out: "):
            kind, value = line.removeprefix("out: ").split(": ", 1)
            found.setdefault(kind, []).append(value)
    return found


only_lanes = pytest.mark.parametrize("facts", [LANES], indirect=True)


def test_a_session_has_a_task_on_each_machine(facts: dict[str, list[str]]) -> None:
    names = [f"/job:worker/replica:0/task:{task}/device:CPU:0" for task in (0, 1)]
    assert facts["devices"] == [str(names)]
    assert facts["a node for each task"] == ["True"]


def test_tensors_cross(facts: dict[str, list[str]]) -> None:
    assert facts["small tensors"] == ["[32.0, 64.0]"]
    assert facts["large tensors"] == ["True"]


@only_lanes
def test_tensors_cross_encrypted(facts: dict[str, list[str]]) -> None:
    assert facts["encrypted tensors"] == ["True"]
    assert facts["devices encrypt"] == ["True"]
    assert facts["the session encrypts here and there"] == ["[False, True]"]


@only_lanes
def test_a_session_that_encrypts_is_told_that_its_server_does_not(
    facts: dict[str, list[str]],
) -> None:
    (told,) = facts["mismatch"]
    assert "/job:" in told and "takes unencrypted ones only. TLS is to be turned on" in told


def test_a_loop_crosses(facts: dict[str, list[str]]) -> None:
    wanted = [(1 - 3) * 2.0**trips + 3 for trips in (0, 3, 1, 20)]
    assert facts["loop"] == [str(wanted)]


def test_python_functions_run_on_the_machine_of_their_device(facts: dict[str, list[str]]) -> None:
    """Alone, in loops and in the functions of datasets, in each of two steps."""
    steps = [["there 7", "there 2", f"there {number}"] for number in (5, 6)]
    assert facts["functions"] == [str(steps)]
    assert facts["failing function"] == ["[True, True]"]


def test_the_tasks_of_a_server_spread(facts: dict[str, list[str]]) -> None:
    assert facts["tasks spread"] == ["2"]
    assert facts["sessions' task is near"] == ["True"]
    assert facts["server"] == ["[8.0]"]


def test_a_lost_machine_is_an_event(facts: dict[str, list[str]]) -> None:
    assert facts["names the task"] == ["True"]
    assert float(facts["seconds"][0]) < 15.0
    assert facts["loop ends"] == ["True"]
    assert facts["still there"] == ["[2.0]"]


def test_nothing_is_left(facts: dict[str, list[str]]) -> None:
    assert facts["left"] == ["[]", "[]"]
