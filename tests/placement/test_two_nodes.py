"""A model larger than either of two simulated machines answers from both."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.house.tree import ROOT
from tests.placement.nets import save_layers, x_of
from tests.ray.processes import environment

pytestmark = [pytest.mark.ray(own=True)]


def test_two_machines_serve_what_fits_neither(tmp_path: Path) -> None:
    # Eight MiB of weights.
    _, wanted = save_layers(tmp_path / "net", [512] * 8 + [8], False)
    np.save(tmp_path / "x.npy", x_of())
    done = subprocess.run(
        [sys.executable, "-m", "tests.placement.two_nodes", str(tmp_path)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("out: ")]
    facts = dict(line.removeprefix("out: ").split(": ", 1) for line in lines)
    assert facts["one machine"] == "True"
    held = json.loads(facts["weights"])
    assert max(held) <= 5 << 20 < sum(held)
    products = json.loads(facts["products"])
    assert len(products["0"]) + len(products["1"]) == 9
    assert abs(len(products["0"]) - len(products["1"])) <= 3
    assert facts["first"] == facts["whole"]
    assert facts["in order"] == "True"
    np.testing.assert_allclose(json.loads(facts["first"]), wanted, rtol=1e-4, atol=1e-5)
