"""Resolvers of clusters, against TensorFlow's in the same environment."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

WORKERS = {"worker": ["a:1", "b:2"], "ps": ["c:3"]}


def _seen(resolver: Any) -> list[Any]:
    spec = resolver.cluster_spec().as_dict()
    own = resolver.task_type, resolver.task_id, resolver.rpc_layer, resolver.environment
    return [spec, own, resolver.master(), *_masters(resolver, spec)]


def _masters(resolver: Any, spec: dict[str, Any]) -> list[str]:
    found = []
    for job, tasks in spec.items():
        numbers = tasks if isinstance(tasks, dict) else range(len(tasks))
        found += [resolver.master(job, number, "other") for number in numbers]
    return found


def _outcome(tf: Any, build: Any) -> Any:
    try:
        return _seen(build(tf.distribute.cluster_resolver, tf.train.ClusterSpec))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "build",
    [
        lambda r, spec: r.SimpleClusterResolver(spec(WORKERS)),
        lambda r, spec: r.SimpleClusterResolver(
            spec(WORKERS), "m:1", "worker", 1, "google", rpc_layer="grpc"
        ),
        lambda r, spec: r.SimpleClusterResolver(WORKERS),
        lambda r, spec: r.SimpleClusterResolver(spec(WORKERS), 3),
        lambda r, spec: r.UnionResolver(
            r.SimpleClusterResolver(spec(WORKERS), "m:1", "ps", 0, rpc_layer="grpc"),
            r.SimpleClusterResolver(spec({"worker": ["d:4"], "chief": ["e:5"]}), "n:2"),
        ),
        lambda r, spec: r.UnionResolver(
            r.SimpleClusterResolver(spec({"worker": {1: "d:4"}})),
            r.SimpleClusterResolver(spec({"worker": {3: "e:5"}})),
            task_type="worker",
            task_id=3,
            rpc_layer="grpc",
        ),
        lambda r, spec: r.UnionResolver(
            r.SimpleClusterResolver(spec(WORKERS)),
            r.SimpleClusterResolver(spec({"worker": {1: "d:4", 3: "e:5"}})),
        ),
        lambda r, spec: r.UnionResolver(),
        lambda r, spec: r.UnionResolver(r.SimpleClusterResolver(spec({})), other=1),
        lambda r, spec: r.UnionResolver(spec({})),
    ],
)
def test_told_and_united(build: Any) -> None:
    assert _outcome(tf, build) == _outcome(oracle, build)


@pytest.mark.parametrize(
    "said",
    [
        None,
        {"cluster": WORKERS, "task": {"type": "worker", "index": 1}},
        {"cluster": WORKERS, "task": {"type": "ps", "index": "0"}, "rpc_layer": "grpc"},
        {"cluster": WORKERS, "session_master": "x:9"},
        {"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}},
        {"cluster": {"chief": ["a:1"], "worker": ["b:2"]}, "task": {"type": "worker", "index": 0}},
    ],
)
def test_tf_config(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    if said is not None:
        monkeypatch.setenv("TF_CONFIG", json.dumps(said))

    def build(resolvers: Any, spec: Any) -> Any:
        return resolvers.TFConfigClusterResolver()

    def overridden(resolvers: Any, spec: Any) -> Any:
        resolver = resolvers.TFConfigClusterResolver("worker", 0, "other", "google")
        resolver.task_id = 1 if said else 0
        return resolver

    assert _outcome(tf, build) == _outcome(oracle, build)
    assert _outcome(tf, overridden) == _outcome(oracle, overridden)


STEP = {
    "SLURM_PROCID": "3",
    "SLURM_STEP_NUM_TASKS": "5",
    "SLURM_STEP_NODELIST": "n[09-10],m5",
    "SLURM_STEP_TASKS_PER_NODE": "2(x2),1",
    "CUDA_VISIBLE_DEVICES": "0,1,2,3",
}


@pytest.mark.parametrize(
    ("changed", "arguments"),
    [
        ({}, {}),
        ({}, {"jobs": {"ps": 1, "worker": 4}, "port_base": 70, "gpus_per_task": 1}),
        ({}, {"tasks_per_node": {"x": 3, "y": 2}, "auto_set_gpu": False, "rpc_layer": ""}),
        ({"SLURM_STEP_NUM_TASKS": "3", "SLURM_PROCID": "1"}, {"tasks_per_node": 1}),
        ({}, {"jobs": {"worker": 4}}),
        ({}, {"gpus_per_task": 3}),
        ({"SLURM_STEP_NODELIST": "n[1-"}, {}),
        ({"SLURM_STEP_TASKS_PER_NODE": "2(x,1"}, {}),
        ({"SLURM_PROCID": None}, {}),
    ],
)
def test_slurm(
    changed: dict[str, Any], arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def outcome(tf: Any) -> Any:
        for name, value in (STEP | changed).items():
            monkeypatch.delenv(name, raising=False)
            if value is not None:
                monkeypatch.setenv(name, value)
        try:
            resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(**arguments)
        except (RuntimeError, ValueError) as error:
            return type(error), str(error)[:40]
        spec = resolver.cluster_spec().as_dict()
        info, gpus = resolver.get_task_info(), resolver.num_accelerators()
        return spec, info, gpus, resolver.master(), os.environ["CUDA_VISIBLE_DEVICES"]

    assert outcome(tf) == outcome(oracle)


def test_devices_are_counted() -> None:
    class Here(tf.distribute.cluster_resolver.ClusterResolver):
        def cluster_spec(self) -> Any:
            return tf.train.ClusterSpec({})

        def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
            return ""

    config = tf.ConfigProto(device_count={"CPU": 3})
    assert Here().num_accelerators(config_proto=config) == {"CPU": 3}
    assert Here().num_accelerators("worker", 4, config_proto=config) == {}
    simple = tf.contrib.cluster_resolver.SimpleClusterResolver
    assert simple(tf.train.ClusterSpec({})).num_accelerators() == {}
    assert simple(tf.train.ClusterSpec({}), num_accelerators={"GPU": 2}).num_accelerators() == {
        "GPU": 2
    }


@pytest.mark.parametrize(
    ("text", "told"), [("{bad", "is no JSON: Expecting"), ("[1]", "must be a JSON object")]
)
@pytest.mark.parametrize(
    "read",
    [
        lambda: tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec(),
        tf.estimator.RunConfig,
        tf.contrib.learn.RunConfig,
    ],
)
def test_a_damaged_variable_is_told(
    read: Callable[[], Any], text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(ValueError, match=f"TF_CONFIG of the environment {told}") as caught:
        read()
    assert str(caught.value).endswith(f": {text}")


def test_a_variable_that_is_empty_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", "")
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    assert resolver.cluster_spec().as_dict() == {}
