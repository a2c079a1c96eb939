"""What a session takes of Ray: told to Ray, bounded by what Ray was given, given back."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest
import ray
from ray.util import placement_group_table

import dataflow as tf
from tests.ray.actors import eventually

pytestmark = pytest.mark.ray


def _reserved() -> dict[str, float]:
    """CPUs that sessions have reserved, by the names of their groups."""
    groups = placement_group_table().values()
    return {
        group["name"]: sum(bundle.get("CPU", 0) for bundle in group["bundles"].values())
        for group in groups
        if group["state"] == "CREATED" and group["name"].startswith("session-")
    }


@pytest.mark.usefixtures("ray_cluster")
def test_one_for_each_device_that_is_free(caplog: pytest.LogCaptureFixture) -> None:
    there = int(ray.cluster_resources()["CPU"])
    held = sum(_reserved().values())
    before = ray.available_resources().get("CPU", 0)
    for threads in (0, there, there + 1):
        config = tf.ConfigProto(
            device_count={"CPU": 2},
            intra_op_parallelism_threads=threads,
            inter_op_parallelism_threads=3,  # Nobody holds actors of such sessions.
        )
        caplog.clear()
        with caplog.at_level(logging.INFO, "dataflow"), tf.Session("ray", config=config) as session:
            free = int(before) if threads else int(before) - 1
            expected = max(0, min(free, 2 * (threads or 1)))
            assert sum(_reserved().values()) - held == expected
            assert session.run(tf.constant(1) + 1) == 2
            said = " ".join(caplog.messages)
            assert "Uses the Ray that this program has joined" in said
            assert "/device:CPU:1" in said
            assert ("It shares the others" in said) == (expected < 2 * (threads or 1))
        assert eventually(lambda: sum(_reserved().values()) == held)
        assert eventually(lambda: ray.available_resources().get("CPU", 0) == before)


_BOUNDED = """
import ray
import dataflow as tf
ray.init("local", num_cpus=1, include_dashboard=False, logging_level="ERROR")
with tf.Session("ray") as session:
    names = [actor["Name"] for actor in ray._private.state.actors().values()]
    print(sorted(name.partition("/")[2] for name in names))
    def bound():
        import gc
        from dataflow.actors.threads.pool import SessionThreads
        gc.unfreeze()  # What was there when the actor had loaded is hidden otherwise.
        found = [each for each in gc.get_objects() if isinstance(each, SessionThreads)]
        return [each.helpers is None and each.pool is None for each in found]
    print(session.run(tf.py_func(bound, [], tf.bool)).tolist())
print(ray.is_initialized())
"""


@pytest.mark.ray(own=True)
@pytest.mark.slow
def test_of_a_bounded_ray() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BOUNDED], capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    names, result, stays = done.stdout.splitlines()[-3:]
    assert names == str(["job:worker/replica:0/task:0/device:CPU:0"])
    assert (result, stays) == ("True", "True")
