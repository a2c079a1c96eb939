"""ClusterSpec and what a Server makes of its arguments, against TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.training import server_lib

from dataflow import errors
from dataflow.proto.cluster_pb2 import ClusterDef
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.tensorflow_server_pb2 import ServerDef
from dataflow.session import server
from dataflow.values import cluster_spec

CLUSTERS: list[Any] = [
    {},
    {"worker": []},
    {"worker": ["a:1", "b:2"], "ps": ["c:3"]},
    {"worker": ("a:1", b"b:2")},
    {"worker": {1: "b:2", 0: "a:1"}},
    {"worker": {3: "d:4", 1: "b:2"}, "ps": {0: "c:3"}},
    {b"worker": ["a:1"]},
    {"worker": {"2": "c:3"}},
    {3: ["a:1"]},
    {"worker": "a:1"},
    {"worker": [1]},
    {"worker": [None]},
    {"worker": None},
    ["a:1"],
    "worker",
    None,
]


def outcome(call: Any) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)


def facts(spec: Any) -> Any:
    """All that a spec tells."""
    jobs = [*spec.jobs, "nowhere"]
    return {
        "bool": bool(spec),
        "repr": repr(spec),
        "dict": spec.as_dict(),
        "def": spec.as_cluster_def().SerializeToString(deterministic=True),
        "jobs": spec.jobs,
        "num": [outcome(lambda j=j: spec.num_tasks(j)) for j in jobs],
        "indices": [outcome(lambda j=j: spec.task_indices(j)) for j in jobs],
        "addresses": [
            outcome(lambda j=j, i=i: spec.task_address(j, i)) for j in jobs for i in (0, 3)
        ],
        "tasks": [
            outcome(lambda j=j: spec.job_tasks(j))
            for j in jobs
            if j != "nowhere" and spec.num_tasks(j)
        ],
        "same": [spec == type(spec)(spec), spec != type(spec)(spec), spec == {"x": ["y:1"]}],
    }


@pytest.mark.parametrize("cluster", CLUSTERS, ids=repr)
def test_spec(cluster: Any) -> None:
    ours = outcome(lambda: facts(cluster_spec.ClusterSpec(cluster)))
    theirs = outcome(lambda: facts(oracle.train.ClusterSpec(cluster)))
    assert ours == theirs


@pytest.mark.parametrize("cluster", [c for c in CLUSTERS[:7] if b"worker" not in c], ids=repr)
def test_spec_of_a_cluster_def(cluster: Any) -> None:
    theirs = oracle.train.ClusterSpec(cluster).as_cluster_def()
    ours = ClusterDef.FromString(theirs.SerializeToString())
    again = facts(cluster_spec.ClusterSpec(cluster_spec.ClusterSpec(ours)))
    assert again == facts(oracle.train.ClusterSpec(theirs))


def test_number_of_tasks() -> None:
    spec = cluster_spec.ClusterSpec({"worker": 2, "ps": 1, "none": 0})
    assert spec.as_dict() == {"worker": ["", ""], "ps": [""], "none": {}}
    assert cluster_spec.ClusterSpec(spec.as_cluster_def()) == spec
    with pytest.raises(ValueError, match="cannot have -1 tasks"):
        cluster_spec.ClusterSpec({"worker": -1})
    with pytest.raises(TypeError, match="must be a list or a dictionary"):
        cluster_spec.ClusterSpec({"worker": True})


def test_a_spec_keeps_a_copy() -> None:
    cluster_def = ClusterDef()
    cluster_def.job.add(name="worker").tasks[0] = "a:1"
    spec = cluster_spec.ClusterSpec(cluster_def)
    cluster_def.job[0].name = "other"
    assert spec.jobs == ["worker"] and spec.as_cluster_def().job[0].name == "worker"


TWO = {"worker": ["a:1", "b:2"], "ps": ["c:3"]}
SERVERS: list[tuple[Any, dict[str, Any]]] = [
    (TWO, {"job_name": "worker", "task_index": 1}),
    (TWO, {"job_name": "ps"}),
    (TWO, {"job_name": "worker"}),
    (TWO, {"task_index": 0}),
    ({"worker": ["a:1"]}, {}),
    ({"worker": ["a:1", "b:2"]}, {"task_index": 1}),
    (TWO, {"job_name": "ps", "protocol": "grpc"}),
    (3, {}),
    ({"worker": 3.5}, {"job_name": "worker"}),
]


@pytest.mark.parametrize(("cluster", "arguments"), SERVERS, ids=repr)
def test_server_def(cluster: Any, arguments: dict[str, Any]) -> None:
    given = {"job_name": None, "task_index": None, "protocol": None, **arguments}

    def ours() -> Any:
        made = server.Server(cluster, **given, start=False).server_def
        return made.SerializeToString(deterministic=True)

    def theirs() -> Any:
        made = server_lib._make_server_def(cluster, *given.values(), None)
        return made.SerializeToString(deterministic=True)

    found, expected = outcome(ours), outcome(theirs)
    if expected[0] == "TypeError":
        # Ours goes on to say what is wrong with it.
        assert found[0] == "TypeError" and found[1].startswith(expected[1].rstrip("."))
    else:
        assert found == expected


def test_server_def_is_overridden() -> None:
    given = ServerDef(job_name="worker", task_index=0, protocol="grpc")
    given.cluster.CopyFrom(cluster_spec.ClusterSpec(TWO).as_cluster_def())
    given.default_session_config.device_count["CPU"] = 3
    config = ConfigProto(log_device_placement=True)
    made = server.Server(given, "worker", 1, config=config, start=False).server_def
    assert (made.job_name, made.task_index) == ("worker", 1)
    assert made.default_session_config.device_count["CPU"] == 3
    assert made.default_session_config.log_device_placement
    assert given.task_index == 0


def test_a_server_of_all_tasks() -> None:
    made = server.Server(cluster_spec.ClusterSpec({"worker": 2, "ps": 1}), start=False)
    assert made.server_def.job_name == ""
    # Unplaced operations go to the first worker.
    assert made.target.endswith("/job:worker/replica:0/task:0")


def test_targets() -> None:
    def target(cluster: Any, job: str | None, task: int | None) -> str:
        return server.Server(cluster, job, task, start=False).target

    # The servers of one cluster find each other by it.
    first, second = target(TWO, "worker", 0), target(TWO, "worker", 1)
    assert first.replace("task:0", "task:1") == second
    assert target(TWO, "worker", 0) == first
    assert target({**TWO, "ps": ["d:4"]}, "worker", 0) != first
    # These meet no other one.
    assert target(TWO, None, None) != target(TWO, None, None)
    local = [server.Server.create_local_server(start=False).target for _ in range(2)]
    assert local[0] != local[1]
    assert local[0].endswith("/job:local/replica:0/task:0")


@pytest.mark.parametrize(
    ("cluster", "arguments", "error", "text"),
    [
        (TWO, {"job_name": "chief", "task_index": 0}, ValueError, "No such job in cluster"),
        (TWO, {"job_name": "ps", "task_index": 1}, ValueError, "No task with index 1"),
        ({}, {}, ValueError, "no tasks"),
        (
            {"worker": ["a", "b"]},
            {"task_index": 0},
            errors.InvalidArgumentError,
            'Could not parse port for local server from "a". An address is host:port.',
        ),
        (
            {"worker": ["a:1", "b:x"]},
            {"task_index": 0},
            errors.InvalidArgumentError,
            'Could not interpret "b:x" as a host-port pair. An address is host:port.',
        ),
        (TWO, {"job_name": "ps", "protocol": "grpc+verbs"}, errors.NotFoundError, "grpc, ray"),
    ],
)
def test_refused(cluster: Any, arguments: dict[str, Any], error: Any, text: str) -> None:
    with pytest.raises(error, match=text.replace("+", r"\+")):
        server.Server(cluster, **arguments, start=False)
