"""A short soak with kills, and a pipeline on Ray: programs that need a Ray of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.folder import FOLDER
from tests.house.tree import ROOT

pytestmark = [pytest.mark.long, pytest.mark.ray, pytest.mark.slow]


def run(program: str, output: Path, *arguments: str) -> Any:
    """What a benchmark writes down."""
    dropped = ("RAY_ADDRESS",)
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    done = subprocess.run(
        [sys.executable, str(FOLDER / program), *arguments, "--output", str(output)],
        cwd=ROOT,
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return json.loads(output.read_text())


def test_soak(tmp_path: Path) -> None:
    output = tmp_path / "soak.json"
    arguments = ("--minutes", "0.3", "--give-up-every", "5", "--sample-every", "1")
    found = run("soak.py", output, *arguments)
    assert found["wrong"] == []
    assert found["unexpected"] == []
    assert found["left"] == []
    assert found["kills"] == sum(found["killed"].values()) >= 10
    assert sum(found["given_up"].values()) >= 1
    assert sum(found["interrupted"].values()) >= 10
    assert sum(found["malformed"].values()) >= 10
    assert sum(found["sessions"].values()) >= 8
    # All that a session can do was done, and often.
    assert len(found["steps"]) == 9
    assert sum(found["steps"].values()) >= 100
    assert len(found["samples"]) >= 3
    assert "<svg" in output.with_suffix(".svg").read_text()


def test_a_pipeline_is_as_fast_as_its_slowest_stage(tmp_path: Path) -> None:
    """Two stages that wait 40 ms each, on two device actors: 80 ms a step without overlap."""
    arguments = ("--only", "waits of 40, 40 ms", "--steps", "30", "--rounds", "2")
    found = run("pipeline.py", tmp_path / "pipeline.json", *arguments)
    rows = {row["target"]: row for row in found["rows"]}
    assert rows.keys() == {"in process", "ray"}
    for row in rows.values():
        assert row["one_by_one"] >= 80.0
        # What a busy machine adds to each step is little beside waits this long.
        assert 39.6 <= row["in_flight"] <= 64.0
