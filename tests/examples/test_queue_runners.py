"""Training whose input comes out of files by queue runners, in process and on Ray."""

from __future__ import annotations

from tests.examples.running import held_out_accuracy, on_both, run_example


@on_both
def test_digits_are_learnt_from_files(target: str) -> None:
    output = run_example("queue_runners.py", "--target", target, "--epochs", "10")
    assert "450 steps" in output
    assert "the input is over" in output
    assert held_out_accuracy(output) >= 0.93
