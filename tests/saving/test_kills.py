"""A process that is killed while it saves leaves a whole checkpoint; `kills.py` tries it often."""

from __future__ import annotations

import subprocess
import sys

from tests.saving.kills import LAYOUTS, WAYS


def test_kills() -> None:
    count = len(WAYS) * len(LAYOUTS)
    command = [sys.executable, "-m", "tests.saving.kills", "--count", str(count), "--seed", "1"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{count} kills: {count} found a whole checkpoint and went on" in ended.stdout
