"""A deep, bidirectional LSTM by dynamic_rnn learns to read digits, in process and on Ray."""

from __future__ import annotations

import pytest

from tests.examples.running import held_out_accuracy, in_long, run_example
from tests.ray.processes import ray_address


@pytest.mark.parametrize(
    ("target", "steps", "accuracy"),
    [("", 150, 0.8), in_long("", 500, 0.94), in_long("ray", 500, 0.94)],
    indirect=["target"],
)
def test_digits_are_read_down_and_up(target: str, steps: int, accuracy: float) -> None:
    address = ray_address() if target else ""
    arguments = ("--target", target, "--steps", str(steps))
    output = run_example("lstm_classifier.py", *arguments, ray_address=address)
    assert held_out_accuracy(output) >= accuracy


@pytest.mark.long
def test_options_are_honoured() -> None:
    output = run_example("lstm_classifier.py", "--devices", "1", "--steps", "3", "--units", "4")
    assert held_out_accuracy(output) < 0.94
