"""The second example: one parameter server, two workers, asynchronous updates, on Ray."""

from __future__ import annotations

import re

import pytest

from tests.examples.running import run_example
from tests.ray.processes import ray_address


@pytest.mark.ray
def test_two_workers_train_the_variables_of_one_ps(ray_cluster: None) -> None:
    arguments = ("--steps", "250", "--batch", "64")
    output = run_example("parameter_server.py", *arguments, ray_address=ray_address())
    for task in (0, 1):
        assert re.search(rf"│\W+{task} │\W+250 │", output), output
    found = re.search(
        r"loss ([0-9.]+), accuracy ([0-9.]+) on 360 digits after ([0-9]+) updates", output
    )
    assert found is not None, output
    assert float(found[2]) >= 0.95
    # Unlocked updates of the counter may overwrite each other, as in TensorFlow.
    assert 250 <= int(found[3]) <= 500
