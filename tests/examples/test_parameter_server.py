"""The second example: one parameter server, two workers, asynchronous updates, on Ray."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.ray
def test_two_workers_train_the_variables_of_one_ps() -> None:
    done = subprocess.run(
        [sys.executable, "examples/parameter_server.py", "--steps", "250", "--batch", "64"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for task in (0, 1):
        assert re.search(rf"│\W+{task} │\W+250 │", done.stdout), done.stdout
    found = re.search(
        r"loss ([0-9.]+), accuracy ([0-9.]+) on 360 digits after ([0-9]+) updates", done.stdout
    )
    assert found is not None, done.stdout
    assert float(found[2]) >= 0.95
    # Unlocked updates of the counter may overwrite each other, as in TensorFlow.
    assert 250 <= int(found[3]) <= 500
