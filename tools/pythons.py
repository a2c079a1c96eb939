"""Tries the library on each Python that pyproject.toml claims: python -m tools.pythons.

Builds a wheel, installs it into a new environment of each version that pyenv or PATH has, and runs
there: the import, README's program, one step on Ray, and the program once more without each package
that may be absent. Prints a line for each and ends with 1 if one has failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

MAY_BE_ABSENT: Final = ("ray", "scipy", "llvmlite", "onednn")
"""Not all of it then runs, but the program of the README does; of oneDNN it is the library."""

_WITHOUT: Final = """
import importlib.abc, os, sys
absent = sys.argv.pop(1)
if absent == "onednn":
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
_RAY_STEP: Final = """
import dataflow as tf
with tf.Session("ray") as session:
    assert session.run(tf.constant(2) * 21) == 42
"""


def claimed() -> list[str]:
    """The versions that pyproject.toml lists."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)


def program() -> str:
    """The first program of README.md."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]


def interpreter(version: str) -> str | None:
    """One of this version that runs, or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python"))]
    found += filter(None, [shutil.which(f"python{version}")])
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    for path in found:
        done = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return path
    return None


def _environment() -> dict[str, str]:
    """Of this process, without what would have others find the checkout."""
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}


def tries(python: str) -> Iterator[tuple[str, str]]:
    """What is tried with an environment's python, and "" or what went wrong."""
    steps = [
        ("import", [], "import dataflow"),
        ("README's program", [], program()),
        ("a step on Ray", [], _RAY_STEP),
        *((f"without {absent}", [absent], _WITHOUT + program()) for absent in MAY_BE_ABSENT),
    ]
    for name, arguments, text in steps:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [python, "-c", text, *arguments],
                cwd=folder,
                env=_environment(),
                capture_output=True,
                text=True,
                check=False,
            )
        yield name, done.stderr.strip() or str(done.returncode) if done.returncode else ""


def _wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _try(version: str, wheel: Path, folder: Path) -> bool:
    base = interpreter(version)
    if base is None:
        print(f"{version}: not on this machine")
        return True
    home = folder / version
    subprocess.run([base, "-m", "venv", str(home)], check=True)
    python = str(home / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", str(wheel)]
    done = subprocess.run(install, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{version}: cannot be installed: {done.stderr.strip().splitlines()[-1]}")
        return False
    works = True
    for name, fault in tries(python):
        print(f"{version}: {name}: {fault or 'works'}", flush=True)
        works &= not fault
    shutil.rmtree(home)
    return works


def main() -> int:
    """Tries the versions that were named, or all that are claimed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", help="such as 3.10; all that are claimed if none")
    versions = parser.parse_args().versions or claimed()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = _wheel(folder / "wheel")
        worked = [_try(version, wheel, folder) for version in versions]
        return int(not all(worked))


if __name__ == "__main__":
    sys.exit(main())
