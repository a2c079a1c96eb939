"""Folders of tests are TensorFlow's: one for a process, one in it for each test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import os
import dataflow as tf
folder = tf.test.get_temp_dir()
assert folder == tf.test.get_temp_dir() and os.listdir(folder) == []
class Case(tf.test.TestCase):
    def runTest(self):
        inside = self.get_temp_dir()
        assert inside == self.get_temp_dir() and os.path.dirname(inside) == folder
Case().debug()
print(folder)
"""


def test_a_process_has_a_folder_of_its_own(tmp_path: Path) -> None:
    folders = []
    for begin in (None, str(tmp_path / "begin")):
        surroundings = {**os.environ, "TEST_TMPDIR": begin or ""}
        program = tmp_path / "program.py"
        program.write_text(_PROGRAM, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(program)],
            env={**surroundings, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        folders.append(done.stdout.strip())
    assert folders[0].startswith(str(tmp_path / "program"))
    assert folders[1].startswith(str(tmp_path / "begin"))
    assert not any(os.path.exists(folder) for folder in folders)
