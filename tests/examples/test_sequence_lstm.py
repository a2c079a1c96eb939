"""An LSTM by while_loop and TensorArray learns to read digits, in process and on Ray."""

from __future__ import annotations

import pytest

from tests.examples.running import held_out_accuracy, in_long, run_example
from tests.ray.processes import ray_address


@pytest.mark.parametrize(
    ("target", "steps", "accuracy"),
    [("", 200, 0.9), in_long("", 500, 0.95), in_long("ray", 500, 0.95)],
    indirect=["target"],
)
def test_digits_are_read_row_by_row(target: str, steps: int, accuracy: float) -> None:
    address = ray_address() if target else ""
    arguments = ("--target", target, "--steps", str(steps))
    output = run_example("sequence_lstm.py", *arguments, ray_address=address)
    assert held_out_accuracy(output) >= accuracy


@pytest.mark.long
def test_options_are_honoured() -> None:
    output = run_example(
        "sequence_lstm.py", "--devices", "1", "--steps", "3", "--batch", "8", "--units", "4"
    )
    assert "step 3/3" in output
