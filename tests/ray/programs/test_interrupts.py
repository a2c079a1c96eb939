"""Ctrl-C in a process whose sessions are on Ray: nothing hangs, and the next step is right."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.house.tree import ROOT
from tests.ray.processes import environment, ray_address


@pytest.mark.long
def test_at_random_moments(ray_cluster: None) -> None:
    scenes = ("--scene", "two devices, on Ray", "--scene", "partial_run, on Ray")
    options = ("--count", "60", "--ray", "--address", ray_address(), *scenes)
    done = subprocess.run(
        [sys.executable, "-m", "tests.session.interrupts.random_moments", *options],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.endswith("60 interrupts, no hang, each next step right\n")
