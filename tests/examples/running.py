"""Runs an example as a user does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def in_long(target: str, *values: float) -> Any:
    """Parameters of a run that is made where there is time; CI has a shorter one, or another
    example that trains on Ray."""
    return pytest.param(
        target, *values, marks=[pytest.mark.long, *[pytest.mark.ray] * bool(target)]
    )


on_both = pytest.mark.parametrize("target", ["", in_long("ray")], indirect=True)


def run_example(name: str, *arguments: str, ray_address: str = "") -> str:
    """What the example prints; fails if it fails.

    Args:
      name: Its file.
      *arguments: Of its command line.
      ray_address: A Ray that it joins; else it starts one, if it needs any.
    """
    joins = {"RAY_ADDRESS": ray_address} if ray_address else {}
    done = subprocess.run(
        [sys.executable, f"examples/{name}", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120", **joins},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def held_out_accuracy(output: str) -> float:
    """The accuracy that an example prints at its end."""
    found = re.search(r"held-out accuracy ([0-9.]+) on 360 digits", output)
    assert found is not None, output
    return float(found[1])
