"""Rows that were recorded are read and played, here on the CPU, and what differs is told."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tests.gpu import record, replay
from tests.gpu.recordings import load, save


def test_recorded_rows_are_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "rows.zip")
    count = save(path, record.recordings(r"^(StringUpper|Selu-\(2, 3\)|Stage-bounded)$"))
    assert replay.main(path) == 0
    assert f"{count} of {count} rows give what TensorFlow gives" in capsys.readouterr().out
    rows = load(path)
    names = {row.id.split()[0] for row in rows}
    assert len(names) == 3
    assert any(step.error for row in rows for step in row.steps)
    changed = next(row for row in rows if row.id.startswith("Selu") and "float32 values" in row.id)
    (step,) = changed.steps
    (value,) = step.expected
    wrong = dataclasses.replace(step, expected=(np.asarray(value) + np.float32(1e-3),))
    (fault,) = replay.faults(dataclasses.replace(changed, steps=(wrong,)))
    assert "expected" in fault
