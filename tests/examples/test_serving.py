"""A SavedModel is served and replaced, and a model is cut over two devices, as the examples say."""

from __future__ import annotations

import re

from tests.examples.running import run_example
from tests.ray.processes import ray_address


def test_a_saved_model_is_served_and_replaced() -> None:
    assert run_example("serve_savedmodel.py").splitlines() == [
        "version 1: [1.0, 2.0, 3.0]",
        "version 2: [1.0, -1.0, -3.0]",
        "ended with 0",
    ]


def test_a_model_is_cut_over_two_devices(target: str) -> None:
    address = ray_address() if target else ""
    output = run_example("pipeline_over_devices.py", "--target", target, ray_address=address)
    held = [int(each) for each in re.findall(r"holds (\d+) bytes", output)]
    assert len(held) == 2 and sum(held) >= 6 * 257 * 256 * 4
    assert max(held) < 0.6 * sum(held)
    assert "20 of 20 answers are those of the whole model" in output
