"""tf.contrib.learn.RunConfig: clusters as before tf.estimator, and texts that identify it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dataflow.contrib import learn
from dataflow.porting.modules import TensorflowModule

CLUSTER = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"], "master": ["e:1"]}


def configured(monkeypatch: pytest.MonkeyPatch, **said: Any) -> Any:
    monkeypatch.setenv("TF_CONFIG", json.dumps(said))
    return learn.RunConfig(model_dir="/x")


@pytest.mark.parametrize(
    ("environment", "task", "chief"),
    [
        ("local", ("worker", 0), True),
        ("local", ("worker", 1), False),
        ("local", ("master", 0), False),
        ("cloud", ("master", 0), True),
        ("cloud", ("worker", 0), False),
        ("cloud", ("ps", 1), False),
    ],
)
def test_clusters(
    monkeypatch: pytest.MonkeyPatch, environment: str, task: tuple[str, int], chief: bool
) -> None:
    kind, index = task
    said = {"environment": environment, "task": {"type": kind, "index": index}}
    found = configured(monkeypatch, cluster=CLUSTER, **said)
    assert (found.task_type, found.task_id, found.is_chief) == (kind, index, chief)
    assert found.master == f"grpc://{CLUSTER[kind][index]}"
    assert (found.num_ps_replicas, found.num_worker_replicas) == (2, 3)
    assert found.environment == environment
    # Alone in its cluster it runs by itself.
    alone = configured(monkeypatch, cluster={kind: ["a:1"]}, task={"type": kind})
    assert alone.master == ""


def test_what_is_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    found = learn.RunConfig()
    assert (found.task_type, found.task_id, found.is_chief) == (None, 0, True)
    assert (found.master, found.num_ps_replicas, found.num_worker_replicas) == ("", 0, 0)
    assert not configured(monkeypatch, task={"index": 2}).is_chief
    for task, text in (
        ({"type": "chief"}, "chief is not a valid task_type in the cluster_spec"),
        ({"type": "ps", "index": 2}, "2 is not a valid task_id for task_type ps"),
        ({"type": "ps", "index": -1}, "-1 is not a valid task_id for task_type ps"),
    ):
        with pytest.raises(ValueError, match=text):
            configured(monkeypatch, cluster=CLUSTER, task=task)


def test_identifying_text(monkeypatch: pytest.MonkeyPatch) -> None:
    found = configured(monkeypatch, cluster=CLUSTER, task={"type": "worker", "index": 1})
    text = found.uid()
    assert text.startswith("_cluster_spec=OrderedDict(")
    assert text.index("master") < text.index("ps") < text.index("worker")
    assert "_master='grpc://d:1', _model_dir='/x', _num_ps_replicas=2" in text
    assert text.endswith("_train_distribute=None") and "_tf_random_seed" not in text
    assert "_tf_random_seed=None" in found.uid(whitelist=["model_dir"])
    assert "model_dir" not in found.uid(whitelist=["model_dir"])
    assert learn.RunConfig(model_dir="/x", tf_random_seed=3).uid() == text
    assert learn.RunConfig(model_dir="/y").uid() != text


def test_a_program_writes_its_own_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """As TensorFlow's cifar10_estimator does, with the list of the inner module."""
    inner = TensorflowModule("tensorflow.contrib.learn.python.learn.run_config")
    assert inner.RunConfig is learn.RunConfig
    without = inner._DEFAULT_UID_WHITE_LIST
    assert "tf_random_seed" in without and "master" not in without and len(without) == 8
    found = configured(monkeypatch)
    state = {name for name in vars(found) if name.removeprefix("_") in without}
    assert len(state) == 8
    assert all(f"{name}=" not in found.uid() for name in state)
