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
    key: str
    """Under which the process reports it."""
    unit: str
    limit: float | None = None


TASKS: dict[str, tuple[Quantity, ...]] = {
    "import": (Quantity("import", "seconds", "s", 0.1),),
    "build": (
        Quantity("building a graph of 10,000 ops", "build_seconds", "s", 0.3),
        Quantity("first run of 10,000 ops", "run_seconds", "s", 0.3),
    ),
    "build_mixed": (
        Quantity("building 16,000 ops of 9 types", "build_seconds", "s"),
        Quantity("first run of 16,000 ops of 9 types", "run_seconds", "s"),
    ),
    "train": (Quantity("peak memory of a process that trains the MLP", "megabytes", "MB", 0.2),),
}
"""What a process does (see `child.TASKS`), and the numbers it reports."""


def sample(task: str, library: str) -> dict[str, float]:
    """Starts a process and returns the numbers it reports.

    Args:
      task: What it does.
      library: "dataflow" or "tensorflow".

    Raises:
      subprocess.CalledProcessError: The process failed.
    """
    search = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": search, "TF_CPP_MIN_LOG_LEVEL": "3"}
    # What pip installs is compiled beforehand; a checkout is by its first process.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, str(_CHILD), task, library],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=300,
        text=True,
    )
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return numbers
