"""RunConfig: defaults, what TF_CONFIG says, what is replaced and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf

CLUSTER = {
    "chief": ["h0:1"],
    "ps": ["h1:1", "h2:1"],
    "worker": ["h3:1", "h4:1"],
    "evaluator": ["h9:1"],
}


def configured(monkeypatch: pytest.MonkeyPatch, **said: Any) -> Any:
    """A RunConfig with this in TF_CONFIG."""
    monkeypatch.setenv("TF_CONFIG", json.dumps(said))
    return tf.estimator.RunConfig()


def test_defaults() -> None:
    config = tf.estimator.RunConfig()
    assert (config.save_checkpoints_secs, config.save_checkpoints_steps) == (600, None)
    assert (config.save_summary_steps, config.log_step_count_steps) == (100, 100)
    assert (config.keep_checkpoint_max, config.keep_checkpoint_every_n_hours) == (5, 10000)
    assert (config.task_type, config.task_id, config.is_chief) == ("worker", 0, True)
    assert (config.master, config.evaluation_master) == ("", "")
    assert (config.num_ps_replicas, config.num_worker_replicas) == (0, 1)
    assert config.global_id_in_cluster == 0
    assert config.session_config.allow_soft_placement
    assert config.model_dir is config.tf_random_seed is config.service is None
    assert not config.cluster_spec


def test_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    del_evaluator = {job: tasks for job, tasks in CLUSTER.items() if job != "evaluator"}
    places = {
        ("chief", 0): ("grpc://h0:1", True, 0, ["/job:ps", "/job:chief"]),
        ("worker", 1): ("grpc://h4:1", False, 2, ["/job:ps", "/job:worker/task:1"]),
        ("ps", 1): (
            "grpc://h2:1",
            False,
            4,
            ["/job:ps", "/job:worker", "/job:chief", "/job:master"],
        ),
    }
    for (job, index), (master, is_chief, number, filters) in places.items():
        config = configured(monkeypatch, cluster=del_evaluator, task={"type": job, "index": index})
        assert (config.task_type, config.task_id) == (job, index)
        assert (config.master, config.is_chief) == (master, is_chief)
        assert config.global_id_in_cluster == number
        assert (config.num_ps_replicas, config.num_worker_replicas) == (2, 3)
        assert list(config.session_config.device_filters) == filters
        assert config.cluster_spec.as_dict() == del_evaluator


def test_the_evaluator_and_a_master(monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured(monkeypatch, cluster=CLUSTER, task={"type": "evaluator", "index": 0})
    assert (config.master, config.is_chief, config.global_id_in_cluster) == ("", False, None)
    assert not config.cluster_spec
    cluster = {"master": ["a:1"], "worker": ["b:1"]}
    config = configured(monkeypatch, cluster=cluster, task={"type": "master", "index": 0})
    assert (config.is_chief, config.num_worker_replicas) == (True, 2)
    config = configured(monkeypatch, cluster={"chief": ["a:1"]}, task={"type": "chief", "index": 0})
    assert config.master == ""


def test_what_else_tf_config_says(monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured(
        monkeypatch, model_dir="d", session_master="m", eval_session_master="e", service={"a": 1}
    )
    assert (config.model_dir, config.master, config.evaluation_master) == ("d", "m", "e")
    assert config.service == {"a": 1}
    with pytest.raises(ValueError, match="must have the same value as the"):
        tf.estimator.RunConfig(model_dir="other")


def test_wrong_tf_config(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = {"type": "worker", "index": 0}
    for said, text in (
        ({"cluster": {"worker": ["a:1"]}, "task": worker}, 'must have one "chief" node'),
        (
            {"cluster": {"chief": ["a:1", "b:1"]}, "task": worker},
            'must have only one "chief" node',
        ),
        ({"cluster": CLUSTER}, "task type must be set"),
        ({"cluster": CLUSTER, "task": {"type": "ps"}}, "task index must be set"),
        ({"cluster": CLUSTER, "task": {"type": "ps", "index": -1}}, "must be non-negative"),
        ({"cluster": CLUSTER, "task": {"type": "ps", "index": 7}}, "not a valid task_id"),
        ({"cluster": CLUSTER, "task": {"type": "x", "index": 0}}, "not a valid task_type"),
        ({"task": {"type": "ps"}}, "task type must be WORKER"),
        ({"task": {"type": "worker", "index": 1}}, "task index must be 0"),
        ({"model_dir": ""}, "model_dir in TF_CONFIG should not be empty"),
        (
            {
                "cluster": {"master": ["a:1"]},
                "task": {"type": "evaluator", "index": 0},
            },
            "task_type `evaluator` is not supported",
        ),
    ):
        with pytest.raises(ValueError, match=text):
            configured(monkeypatch, **said)


def test_replace() -> None:
    config = tf.estimator.RunConfig(save_checkpoints_steps=5)
    assert (config.save_checkpoints_secs, config.save_checkpoints_steps) == (None, 5)
    new = config.replace(save_checkpoints_secs=7, tf_random_seed=3)
    assert (new.save_checkpoints_secs, new.save_checkpoints_steps) == (7, None)
    assert (new.tf_random_seed, config.tf_random_seed) == (3, None)
    with pytest.raises(ValueError, match="Replacing master is not supported"):
        config.replace(master="x")
    with pytest.raises(ValueError, match="cannot be both set"):
        config.replace(save_checkpoints_secs=1, save_checkpoints_steps=1)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("model_dir", "", "model_dir should be non-empty"),
        ("save_summary_steps", -1, "save_summary_steps should be >= 0"),
        ("save_checkpoints_steps", -1, "save_checkpoints_steps should be >= 0"),
        ("session_config", {"a": 1}, "session_config must be instance of ConfigProto"),
        ("keep_checkpoint_max", -1, "keep_checkpoint_max should be >= 0"),
        ("keep_checkpoint_every_n_hours", 0, "keep_checkpoint_every_n_hours should be > 0"),
        ("log_step_count_steps", 0, "log_step_count_steps should be > 0"),
        ("tf_random_seed", 1.5, "tf_random_seed must be integer"),
        ("device_fn", lambda x: "", "must be callable with exactly one argument"),
        ("protocol", "http", "protocol should be grpc or grpc.verbs"),
        ("session_creation_timeout_secs", 0, "session_creation_timeout_secs should be > 0"),
    ],
)
def test_refusals(name: str, value: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        tf.estimator.RunConfig(**{name: value})


def test_strategies_of_one_replica_hold(tmp_path: Path) -> None:
    seen = []

    def model_fn(features: Any, labels: Any, mode: Any) -> Any:
        seen.append((mode, tf.distribute.get_replica_context().strategy.num_replicas_in_sync))
        weight = tf.get_variable("weight", initializer=0.0)
        loss = (weight - labels) ** 2
        step = tf.train.get_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss, step)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=0)
    config = tf.estimator.RunConfig(train_distribute=strategy, eval_distribute=strategy)
    assert config.train_distribute is strategy
    made = tf.estimator.Estimator(model_fn, str(tmp_path), config)

    def input_fn() -> Any:
        return tf.data.Dataset.from_tensors(({}, 2.0))

    assert made.train(input_fn).get_variable_value("weight") == 2.0
    assert made.evaluate(input_fn)["loss"] == 0.0
    assert seen == [("train", 1), ("eval", 1)]


def test_other_strategies_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="strategies of one replica"):
        tf.estimator.RunConfig(train_distribute=object())
    for make in (
        lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
        lambda: tf.contrib.distribute.MirroredStrategy(num_gpus=2),
        lambda: tf.contrib.distribute.ParameterServerStrategy(),
    ):
        with pytest.raises(NotImplementedError, match="one replica"):
            make()
    ops = tf.distribute.ReductionToOneDevice()
    assert ops.reduce("sum", 3, None) == ops.broadcast(3, None) == 3
    assert ops.batch_reduce("sum", [(3, None)]) == [3]
