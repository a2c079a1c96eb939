"""Paths that TensorFlow 2 alone has; it printed this, and passes these tests, in graph mode."""

from __future__ import annotations

import re

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
