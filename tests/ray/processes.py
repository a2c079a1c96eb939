"""Programs that the tests start: clients of their Ray, and some that have a Ray of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ray

from tests.house.tree import ROOT


def environment() -> dict[str, str]:
    """That of this process, without what leads to another Ray or another checkout."""
    dropped = ("RAY_ADDRESS", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def write_address_file(home: Path, address: str) -> None:
    """What `ray start` leaves in Ray's folder, and `ray stop` takes away."""
    (home / "ray").mkdir(exist_ok=True)
    (home / "ray" / "ray_current_cluster").write_text(address)


def run_module(module: str, *arguments: str, timeout: float) -> list[str]:
    """The lines that a module prints.

    Args:
      module: Its name after `tests.ray.`.
      *arguments: Of its command line.
      timeout: Seconds that it may take.
    """
    done = subprocess.run(
        [sys.executable, "-m", f"tests.ray.{module}", *arguments],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout.splitlines()


def start(*arguments: str) -> subprocess.Popen[str]:
    """Starts Python with these arguments in the checkout; what it prints can be read."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_until_ready(process: subprocess.Popen[str]) -> None:
    """Waits until a process says so."""
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.args


def start_client(target: str, moment: str) -> subprocess.Popen[str]:
    """A client of a server on this Ray that does one thing again and again; it has done so once."""
    client = start("-m", "tests.ray.kills.kill_client", ray_address(), target, moment)
    wait_until_ready(client)
    return client


def end(process: subprocess.Popen[str]) -> None:
    """Kills a process."""
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def ray_address() -> str:
    """Where others find the Ray of this process."""
    return str(ray.get_runtime_context().gcs_address)
