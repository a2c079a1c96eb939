"""Memory that one step frees serves the next one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

_STEPS = """
import resource
import numpy as np
import dataflow as tf
from dataflow.actors.threads.freed_memory import keep_freed_memory

x = tf.Variable(np.ones((64, 5120, 64), np.float32))
y = tf.reverse(x * 2.0, [0])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    step = session.make_callable(y)
    for _ in range(5):
        step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        step()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(keep_freed_memory(), faults)
"""


def _run(environment: Mapping[str, str]) -> tuple[str, int]:
    done = subprocess.run(
        [sys.executable, "-c", _STEPS],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, **environment},
    )
    kept, faults = done.stdout.split()
    return kept, int(faults)


def test_large_results_take_no_new_pages() -> None:
    kept, faults = _run({})
    assert kept == "True"
    # Two arrays of 80 MiB, more than a heap of a thread of its own may have, are made in each step.
    assert faults < 500


def test_settings_in_the_environment_are_left_alone() -> None:
    kept, _ = _run({"MALLOC_TRIM_THRESHOLD_": "1000000"})
    assert kept == "False"
