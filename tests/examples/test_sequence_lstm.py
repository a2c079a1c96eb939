"""An LSTM by while_loop and TensorArray learns to read digits, in process and on Ray."""

from __future__ import annotations

import pytest

from tests.examples.running import held_out_accuracy, run_example


@pytest.mark.parametrize("target", ["", "ray"])
def test_digits_are_read_row_by_row(target: str) -> None:
    assert held_out_accuracy(run_example("sequence_lstm.py", "--target", target)) >= 0.95


def test_options_are_honoured() -> None:
    output = run_example(
        "sequence_lstm.py", "--devices", "1", "--steps", "3", "--batch", "8", "--units", "4"
    )
    assert "step 3/3" in output
