"""What a fresh process costs: import, building a graph, its first run, peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_CHILD = Path(__file__).parent / "child.py"
_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that a fresh process reports, and the most it may be of TensorFlow's."""

    name: str
    task: str
    """What the process does; see `child.TASKS`."""
    key: str
    """Which of the numbers it reports."""
    unit: str
    limit: float | None = None


QUANTITIES = (
    Quantity("import", "import", "seconds", "s", 0.1),
    Quantity("building a graph of 10,000 ops", "build", "build_seconds", "s", 0.3),
    Quantity("first run of 10,000 ops", "build", "run_seconds", "s", 0.3),
    Quantity("building 10,000 ops of 8 types", "build_mixed", "build_seconds", "s"),
    Quantity("first run of 10,000 ops of 8 types", "build_mixed", "run_seconds", "s"),
    Quantity("peak memory of a process that trains the MLP", "train", "megabytes", "MB", 0.2),
)


def sample(quantity: Quantity, library: str) -> float:
    """Starts a process and returns the number it reports.

    Args:
      quantity: What to measure.
      library: "dataflow" or "tensorflow".

    Raises:
      subprocess.CalledProcessError: The process failed.
    """
    search = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, str(_CHILD), quantity.task, library],
        env={**os.environ, "PYTHONPATH": search, "TF_CPP_MIN_LOG_LEVEL": "3"},
        stdout=subprocess.PIPE,
        check=True,
        timeout=300,
        text=True,
    )
    return float(json.loads(done.stdout.splitlines()[-1])[quantity.key])
