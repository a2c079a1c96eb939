"""python -m dataflow run: a file of TensorFlow's own kind of unit tests."""

from __future__ import annotations

import re

from tests.porting.test_run import PROGRAMS, run


def test_unit_tests_as_tensorflow_writes_them() -> None:
    """Those of eager execution and of TensorFlow 2 are left out, 3 of each 4 of one test."""
    done = run("run", str(PROGRAMS / "unit_tests.py"))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Ran 76 tests", done.stderr, re.MULTILINE), done.stderr
    assert "OK (skipped=6)" in done.stderr
