"""replica_device_setter against TensorFlow's."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.training import device_setter as oracle_setter

import dataflow as tf
from dataflow.training.device_setter import STANDARD_PS_OPS, replica_device_setter
from dataflow.values.cluster_spec import ClusterSpec

oracle.disable_v2_behavior()

SPEC = {"worker": ["a:1", "b:2"], "ps": ["c:3", "d:4"]}
SETTERS: dict[str, dict[str, Any]] = {
    "two ps": {"ps_tasks": 2},
    "one ps": {"ps_tasks": 1},
    "of a cluster": {"cluster": SPEC},
    "with a worker": {"cluster": SPEC, "worker_device": "/job:worker/task:1"},
    "worker cpu": {"cluster": SPEC, "worker_device": "/job:worker/task:1/cpu:0"},
    "ps cpu": {"cluster": SPEC, "ps_device": "/job:ps/cpu:0"},
    "no worker": {"ps_tasks": 2, "worker_device": ""},
    "no ps device": {"ps_tasks": 2, "ps_device": ""},
    "ps without job": {"ps_tasks": 2, "ps_device": "/cpu:0"},
    "unmerged": {"ps_tasks": 2, "merge_devices": False},
    "ops": {"ps_tasks": 2, "ps_ops": ["Const"]},
    "strategy": {"ps_tasks": 3, "ps_strategy": lambda op: 2 if op.name == "b" else 1},
    "none": {},
    "no ps job": {"cluster": {"worker": ["a:1"]}},
    "empty ps job": {"cluster": {"ps": []}},
}
SCOPES = ["", "/job:worker/task:0", "/job:ps", "/job:ps/task:1", "/gpu:1", "/job:other"]


def nodes(lib: Any, setter: Any, scope: str) -> list[tuple[str, str, str]]:
    with lib.Graph().as_default() as graph, lib.device(setter):
        for number, name in enumerate("abc"):
            with lib.device(scope if number != 1 else ""):
                lib.raw_ops.VariableV2(shape=[], dtype=lib.float32, name=name)
                lib.raw_ops.VarHandleOp(shape=[], dtype=lib.float32, name=name + "h")
                lib.constant(1.0, name=name + "c")
    return [(node.name, node.op, node.device) for node in graph.as_graph_def().node]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", SETTERS)
def test_devices(name: str, scope: str) -> None:
    arguments = SETTERS[name]
    ours = nodes(tf, replica_device_setter(**arguments), scope)
    theirs = nodes(oracle, oracle.train.replica_device_setter(**arguments), scope)
    assert ours == theirs


def test_ps_ops() -> None:
    assert STANDARD_PS_OPS == oracle_setter.STANDARD_PS_OPS


def test_clusters() -> None:
    for cluster in (ClusterSpec(SPEC), ClusterSpec(SPEC).as_cluster_def(), {"worker": 2, "ps": 2}):
        devices = [d for _, _, d in nodes(tf, replica_device_setter(cluster=cluster), "")]
        assert devices == [d for _, _, d in nodes(tf, replica_device_setter(2), "")]


@pytest.mark.parametrize("arguments", [{"ps_tasks": 1, "ps_strategy": 3}, {"cluster": 3}])
def test_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as theirs:
        oracle.train.replica_device_setter(**arguments)
    with pytest.raises(TypeError) as ours:
        replica_device_setter(**arguments)
    assert str(ours.value) == str(theirs.value)


def test_unmerged_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "dataflow"):
        replica_device_setter(1, merge_devices=False)
    assert "merge_devices=true" in caplog.text
