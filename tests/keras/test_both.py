"""Models of tf.keras find what the Keras inside TensorFlow does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.keras.both import PARTS, results
from tests.once import made_once


@pytest.fixture(scope="module")
def theirs() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made_once("theirs", _make).joinpath("found").read_text())
    return found


def _make(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.keras.theirs"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (folder / "found").write_text(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("part", PARTS)
def test_both(part: str, theirs: dict[str, Any]) -> None:
    _compare(part, results(tf.keras, tf, [part])[part], theirs[part])


def _compare(path: str, ours: Any, wanted: Any) -> None:
    if isinstance(wanted, dict):
        assert ours.keys() == wanted.keys(), path
        for key in wanted:
            _compare(f"{path}/{key}", ours[key], wanted[key])
    elif path.endswith("/names"):
        assert [*map(_name, ours)] == [*map(_name, wanted)], path
    elif path.endswith("/shapes"):
        assert ours == wanted, path
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], list):
        assert len(ours) == len(wanted), path
        for one, other in zip(ours, wanted, strict=True):
            _compare(path, one, other)
    else:
        np.testing.assert_allclose(ours, wanted, rtol=2e-4, atol=3e-5, err_msg=path)


def _name(variable: str) -> str:
    """Newer versions put the names of cells into those of their variables."""
    plain = re.sub(r"/(\w+_cell(_\d+)?|stacked_rnn_cells)(?=/)", "", variable)
    return re.sub(r"_\d+(?=:0)", "", plain)
