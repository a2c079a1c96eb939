"""All nets, or those named: `python -m tests.frozen NAME ...`; minutes, and some GB of memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.frozen.both import KINDS, error, make

_NAMES = "from tests.frozen.nets import NETS; print(*NETS)"
_LIMIT = 1e-4


def main(names: list[str]) -> int:
    """Prints an error for each graph; 1 if one is too large or a graph does not run."""
    if not names:
        # Keras loads in a process of its own.
        command = [sys.executable, "-c", _NAMES]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        names = done.stdout.split()
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), [name])
            for kind in KINDS:
                try:
                    worst = error(Path(folder), name, kind)
                    print(f"{name} {kind}: {worst:.1e}")
                    failed += worst >= _LIMIT
                except Exception as problem:
                    print(f"{name} {kind}: {type(problem).__name__}: {problem}")
                    failed += 1
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
