"""The modules of TensorFlow 2 that have what older ones had, as its own unit tests import them."""

from __future__ import annotations

import re

from dataflow.porting.later_paths import later_sources
from dataflow.porting.paths import SOURCES
from tests.porting.test_run import PROGRAMS, run

PRINTED = """\
True True
True True
True
True
True SaveOptions
True
True
True lookup_grad
True TrackableResource
FeatureColumn tensorflow.python.data.ops.batch_op tensorflow.python.data.ops.from_generator_op
tensorflow.python.framework.constant_tensor_conversion plugins
False
True True
[3, 6]
12
6
8
[3, 6]
[0, 1, 1]
"""


def test_a_unit_test_of_tensorflow_2_passes() -> None:
    done = run("run", str(PROGRAMS / "later_modules.py"))
    assert done.returncode == 0, done.stderr
    assert "Ran 7 tests" in done.stderr
    assert "OK (skipped=1)" in done.stderr


def test_no_older_path_is_hidden() -> None:
    for path in later_sources(SOURCES):
        assert SOURCES[path] == later_sources(SOURCES)[path]


def test_modules_that_were_divided() -> None:
    done = run("run", str(PROGRAMS / "divided_modules.py"))
    assert done.stdout == PRINTED, done.stderr


def test_unit_tests_of_pipelines() -> None:
    done = run("run", str(PROGRAMS / "saved_pipelines.py"))
    passed = re.findall(r"\[ +OK \] (\w+\.test[A-Z][a-z]+\w*)_test_mode_graph", done.stderr)
    names = "AnyOrder Graph Order Records Saved Saved Saved Saved Saved Table Table Table"
    assert sorted(name.split(".test")[1] for name in passed) == [*names.split(), "UnknownSource"], (
        done.stderr
    )
    assert "FAILED" not in done.stderr
