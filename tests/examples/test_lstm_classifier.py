"""A deep, bidirectional LSTM by dynamic_rnn learns to read digits, in process and on Ray."""

from __future__ import annotations

from tests.examples.running import held_out_accuracy, on_both, run_example
from tests.ray.processes import ray_address


@on_both
def test_digits_are_read_down_and_up(target: str) -> None:
    address = ray_address() if target else ""
    output = run_example("lstm_classifier.py", "--target", target, ray_address=address)
    assert held_out_accuracy(output) >= 0.94


def test_options_are_honoured() -> None:
    output = run_example("lstm_classifier.py", "--devices", "1", "--steps", "3", "--units", "4")
    assert held_out_accuracy(output) < 0.94
