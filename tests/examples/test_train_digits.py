"""The main job: trains on real digits, on two devices, in process and on Ray."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_example(*arguments: str) -> str:
    """What the example prints; fails if it fails."""
    done = subprocess.run(
        [sys.executable, "examples/train_digits.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("target", ["", "ray"])
def test_digits_are_learnt(target: str) -> None:
    output = run_example("--target", target, "--devices", "2")
    accuracy = re.search(r"held-out accuracy ([0-9.]+) on 360 digits", output)
    assert accuracy is not None, output
    assert float(accuracy[1]) >= 0.97
    for device in ("task:0/device:CPU:0", "task:0/device:CPU:1"):
        assert re.search(rf"{device}\W+[0-9]+\W+[0-9]+\W+[0-9]+", output), output


def test_options_are_honoured() -> None:
    output = run_example("--devices", "1", "--steps", "3", "--batch", "8")
    assert "step 3/3" in output
    assert "device:CPU:0" in output
    assert "device:CPU:1" not in output


def test_unknown_target_is_named() -> None:
    with pytest.raises(AssertionError, match=r"No session factory registered.*grpc://nowhere"):
        run_example("--target", "grpc://nowhere")
