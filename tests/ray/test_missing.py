"""Tasks that do not start in time: which are missing, and what their machines lack."""

from __future__ import annotations

import re
import time

import pytest
import ray

from dataflow import errors
from dataflow.actors.ray.cluster.launch import ActorSet, Launch
from dataflow.actors.ray.cluster.machines import Placement, machines
from dataflow.proto.config_pb2 import ConfigProto
from tests.ray.actors import living

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]

TASK = "/job:worker/replica:0/task:0"


def test_actors_that_ray_cannot_start() -> None:
    """One of the devices asks for a GPU that the machine has not."""
    (machine,) = machines()
    config = ConfigProto(operation_timeout_in_ms=1)
    actors = ActorSet(Launch("lacking", config, TASK, (TASK,)))
    started = time.monotonic()
    actors.start([Placement(TASK, machine, 0, 1)])
    with pytest.raises((errors.DeadlineExceededError, errors.ResourceExhaustedError)) as raised:
        actors.wait(2.0)
    assert time.monotonic() - started < 40.0
    message = raised.value.message
    assert f"{TASK}/device:GPU:0" in message
    if isinstance(raised.value, errors.DeadlineExceededError):
        assert "within 2.0 s" in message and "1 GPU too few" in message
        cores = f"{ray.cluster_resources()['CPU']:g}"
        assert machine.address in message and f"of {cores} CPU" in message
        assert re.search(r"of \d+\.\d GiB memory", message)
        assert "waits for a process" in message and "device_count" in message
    assert living("lacking") == {}
