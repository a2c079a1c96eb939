"""A server under load: every answer is right, and every malformed request is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "serving.py"


def test_a_loaded_server_answers_right(tmp_path: Path) -> None:
    output = tmp_path / "serving.json"
    options = ["--minutes", "0.05", "--batching", "--output", str(output)]
    subprocess.run([sys.executable, str(_PROGRAM), *options], check=True, timeout=200)
    found = json.loads(output.read_text())["dataflow"]
    assert set(found["outcomes"]) <= {"right", "refused"}
    assert found["outcomes"]["right"] > 20
    assert found["exit_status"] == 0
    assert found["all"]["p50_ms"] > 0
