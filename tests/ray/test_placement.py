"""Which machine a task goes to."""

from __future__ import annotations

import pytest

from dataflow.actors.ray.cluster import machines as cluster
from dataflow.actors.ray.cluster.machines import (
    Machine,
    Placement,
    Task,
    place_one_a_machine,
    place_tasks,
)
from dataflow.errors import ResourceExhaustedError
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.values.cluster_spec import ClusterSpec

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]

A = Machine("a" * 56, "10.0.0.1", "alpha")
B = Machine("b" * 56, "10.0.0.2", "beta", gpus=2, free_gpus=1)


def tasks(spec: object) -> list[Task]:
    return cluster.tasks_of(ClusterSpec(spec).as_cluster_def())


def places(spec: object, *machines: Machine, **counts: int) -> dict[str, str]:
    config = ConfigProto(device_count=counts)
    found = place_tasks(tasks(spec), machines, config)
    return {p.task.replace("/replica:0", ""): p.machine.hostname for p in found}


def test_tasks_of_a_cluster() -> None:
    assert tasks({"worker": {2: "w:2", 0: "w:0"}, "ps": 1}) == [
        Task("/job:ps/replica:0/task:0", ""),
        Task("/job:worker/replica:0/task:0", "w:0"),
        Task("/job:worker/replica:0/task:2", "w:2"),
    ]


def test_tasks_spread() -> None:
    assert places({"worker": 3}, A, B) == {
        "/job:worker/task:0": "alpha",
        "/job:worker/task:1": "beta",
        "/job:worker/task:2": "alpha",
    }


def test_tasks_go_to_their_addresses() -> None:
    spec = {"worker": ["10.0.0.2:1", "beta:2", "localhost:3", "elsewhere:4"]}
    assert list(places(spec, A, B).values()) == ["beta", "beta", "alpha", "alpha"]


def test_gpus_decide() -> None:
    assert set(places({"worker": 2}, A, B, GPU=1).values()) == {"beta"}
    with pytest.raises(ResourceExhaustedError) as raised:
        places({"worker": 3}, A, B, GPU=1)
    message = raised.value.message
    assert "/job:worker/replica:0/task:2" in message
    assert "Ray counts" in message and "device_count" in message and "Ray has 1 living" in message


def test_one_task_a_machine() -> None:
    config = ConfigProto(device_count={"CPU": 2, "GPU": 0})
    found = place_one_a_machine([A, B], config)
    assert found == [
        Placement("/job:worker/replica:0/task:0", A, 2, 0),
        Placement("/job:worker/replica:0/task:1", B, 2, 0),
    ]
    assert found[1].devices == (
        "/job:worker/replica:0/task:1/device:CPU:0",
        "/job:worker/replica:0/task:1/device:CPU:1",
    )
    gpus = place_one_a_machine([B], ConfigProto(device_count={"GPU": 2}))
    assert gpus[0].devices[1:] == (
        "/job:worker/replica:0/task:0/device:GPU:0",
        "/job:worker/replica:0/task:0/device:GPU:1",
    )
    with pytest.raises(ResourceExhaustedError, match=r"task:0 cannot be placed.* 1 GPU"):
        place_one_a_machine([A, B], ConfigProto(device_count={"GPU": 1}))


def test_the_machines_of_ray() -> None:
    (machine,) = cluster.machines()
    assert len(machine.node_id) == 56 and machine.address and machine.gpus == 0
