"""Training in steady state piles up nothing: no object, no descriptor, no memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
_STEPS = 3000
_SAMPLES = 10


def _observe() -> Any:
    sys.path.insert(0, str(_FOLDER))
    try:
        import steady
    finally:
        sys.path.remove(str(_FOLDER))
    return steady.observe


def test_training_leaves_nothing_behind() -> None:
    samples = _observe()(_STEPS, _SAMPLES)
    # The first ones still see code being generated for both batch sizes.
    early, late = samples[2], samples[-1]
    steps = late.step - early.step
    assert late.blocks - early.blocks < steps / 10
    assert late.kilobytes - early.kilobytes < 1024
    assert late.descriptors == early.descriptors
    # It does train meanwhile.
    assert late.loss < samples[0].loss
