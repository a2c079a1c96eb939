"""An LSTM by while_loop and TensorArray learns to read digits, in process and on Ray."""

from __future__ import annotations

from tests.examples.running import held_out_accuracy, on_both, run_example
from tests.ray.processes import ray_address


@on_both
def test_digits_are_read_row_by_row(target: str) -> None:
    address = ray_address() if target else ""
    output = run_example("sequence_lstm.py", "--target", target, ray_address=address)
    assert held_out_accuracy(output) >= 0.95


def test_options_are_honoured() -> None:
    output = run_example(
        "sequence_lstm.py", "--devices", "1", "--steps", "3", "--batch", "8", "--units", "4"
    )
    assert "step 3/3" in output
