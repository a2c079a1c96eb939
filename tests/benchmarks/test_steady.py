"""Training in steady state piles up nothing: no object, no descriptor, no memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dataflow.actors.step.rendezvous import RendezvousTable

_PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "steady.py"
_STEPS = 9000
_SAMPLES = 18


@pytest.mark.long
def test_training_leaves_nothing_behind(tmp_path: Path) -> None:
    """In a process of its own: in this one, what other tests have left behind comes and goes."""
    output = tmp_path / "steady.json"
    options = ["--steps", str(_STEPS), "--samples", str(_SAMPLES), "--output", str(output)]
    subprocess.run([sys.executable, str(_PROGRAM), *options], check=True, timeout=250)
    samples = json.loads(output.read_text())["samples"]
    assert len(samples) == _SAMPLES
    # Where segments overlap, a device remembers the last 4096 steps that are over.
    early, late = samples[9], samples[-1]
    steps = late["step"] - early["step"]
    assert early["step"] > RendezvousTable.MAX_REMEMBERED
    assert steps == 4000
    assert late["blocks"] - early["blocks"] < steps / 10
    assert late["kilobytes"] - early["kilobytes"] < 1024
    assert late["descriptors"] == early["descriptors"]
    # It does train meanwhile.
    assert late["loss"] < samples[0]["loss"]
