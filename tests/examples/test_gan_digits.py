"""A convolutional GAN of layers learns to draw digits, in process and on Ray."""

from __future__ import annotations

import re

import pytest

from tests.examples.running import in_long, run_example
from tests.ray.processes import ray_address


@pytest.mark.parametrize(
    ("target", "steps", "distance", "kinds"),
    # Ten steps show that it runs and prints.
    [("", 10, 9.0, 1), in_long("", 600, 1.8, 8), in_long("ray", 100, 2.6, 3)],
    indirect=["target"],
)
def test_digits_are_drawn(target: str, steps: int, distance: float, kinds: int) -> None:
    address = ray_address() if target else ""
    output = run_example(
        "gan_digits.py", "--target", target, "--steps", str(steps), ray_address=address
    )
    found = re.search(r"real digit ([0-9.]+), of held-out digits.*; ([0-9]+) kinds", output)
    assert found is not None, output
    # Images of a net that has learnt nothing are more than 3 away, and nearest to 2 kinds.
    assert float(found[1]) <= distance
    assert int(found[2]) >= kinds
