"""The main job: trains on real digits, on two devices, in process and on Ray."""

from __future__ import annotations

import re

import pytest

from tests.examples.running import held_out_accuracy, run_example


@pytest.mark.parametrize("target", ["", "ray"])
def test_digits_are_learnt(target: str) -> None:
    output = run_example("train_digits.py", "--target", target, "--devices", "2")
    assert held_out_accuracy(output) >= 0.97
    for device in ("task:0/device:CPU:0", "task:0/device:CPU:1"):
        assert re.search(rf"{device}\W+[0-9]+\W+[0-9]+\W+[0-9]+", output), output


def test_options_are_honoured() -> None:
    output = run_example("train_digits.py", "--devices", "1", "--steps", "3", "--batch", "8")
    assert "step 3/3" in output
    assert "device:CPU:0" in output
    assert "device:CPU:1" not in output


def test_unknown_target_is_named() -> None:
    with pytest.raises(AssertionError, match=r"No session factory registered.*grpc://nowhere"):
        run_example("train_digits.py", "--target", "grpc://nowhere")
