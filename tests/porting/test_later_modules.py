"""The modules of TensorFlow 2 that have what older ones had, as its own unit tests import them."""

from __future__ import annotations

from dataflow.porting.later_paths import later_sources
from dataflow.porting.paths import SOURCES
from tests.porting.test_run import PROGRAMS, run


def test_a_unit_test_of_tensorflow_2_passes() -> None:
    done = run("run", str(PROGRAMS / "later_modules.py"))
    assert done.returncode == 0, done.stderr
    assert "Ran 7 tests" in done.stderr
    assert "OK (skipped=1)" in done.stderr


def test_no_older_path_is_hidden() -> None:
    for path in later_sources(SOURCES):
        assert SOURCES[path] == later_sources(SOURCES)[path]
