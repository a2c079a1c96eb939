"""The example with a process for each task: killed ones come back, training goes on."""

from __future__ import annotations

import re

import pytest

from tests.examples.running import run_example


@pytest.mark.long
@pytest.mark.ray
def test_training_goes_on_from_the_last_checkpoint_when_tasks_are_killed() -> None:
    output = run_example("replicated_training.py", "--steps", "3000", "--lose")
    killed = dict(re.findall(r"^(\w+ \d) is killed after step (\d+)$", output, re.MULTILINE))
    assert int(killed["worker 1"]) >= 600 and int(killed["ps 0"]) >= 1500, output
    made = dict(re.findall(r"^(worker \d): (\d+) steps$", output, re.MULTILINE))
    assert set(made) == {"worker 0", "worker 1"}, output
    # The chief has seen both lives of the parameter server, the worker is a new process.
    assert int(made["worker 0"]) > 0
    found = re.search(r"^step (\d+), held-out accuracy ([0-9.]+)$", output, re.MULTILINE)
    assert found is not None, output
    assert int(found[1]) >= 3000
    assert float(found[2]) >= 0.95
