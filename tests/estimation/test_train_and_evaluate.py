"""train_and_evaluate, early stops and evaluations in memory."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.estimation.models import X, Y, batches, estimator, model_fn, trained

TRAINED = 3


class Recorder(tf.estimator.Exporter):  # type: ignore[misc]
    """Notes what it is asked to export."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    @property
    def name(self) -> str:
        return "recorder"

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        self.told.append((Path(checkpoint_path).name, is_the_final_export))
        assert export_path == str(Path(estimator.model_dir) / "export" / "recorder")
        return len(self.told)


def loss_after(steps: int) -> float:
    weights, bias = trained(steps)
    return float(((X @ weights + bias - Y) ** 2).mean())


def test_locally(tmp_path: Path) -> None:
    recorder = Recorder()
    est = estimator(tmp_path, save_checkpoints_steps=2)
    metrics, exports = tf.estimator.train_and_evaluate(
        est,
        tf.estimator.TrainSpec(batches(), max_steps=5),
        tf.estimator.EvalSpec(batches(1), throttle_secs=0, exporters=recorder, name="now"),
    )
    assert recorder.told == [
        ("model.ckpt-2", False),
        ("model.ckpt-4", False),
        ("model.ckpt-5", True),
    ]
    assert exports == [3]
    assert metrics["loss"] == pytest.approx(loss_after(5), rel=1e-4)
    assert (tmp_path / "eval_now").is_dir()


def test_throttled(tmp_path: Path) -> None:
    recorder = Recorder()
    tf.estimator.train_and_evaluate(
        estimator(tmp_path, save_checkpoints_steps=1),
        tf.estimator.TrainSpec(batches(), max_steps=4),
        tf.estimator.EvalSpec(batches(1), throttle_secs=1000, exporters=[recorder]),
    )
    assert recorder.told == [("model.ckpt-1", False), ("model.ckpt-4", True)]


def test_the_evaluator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    estimator(tmp_path).train(batches(), max_steps=TRAINED)
    said = {
        "cluster": {"chief": ["a:1"], "worker": ["b:1"]},
        "task": {"type": "evaluator", "index": 0},
    }
    monkeypatch.setenv("TF_CONFIG", json.dumps(said))
    recorder = Recorder()
    est = estimator(tmp_path)
    spec = tf.estimator.EvalSpec(batches(1), exporters=recorder, start_delay_secs=0)
    tf.estimator.train_and_evaluate(est, tf.estimator.TrainSpec(batches(), max_steps=TRAINED), spec)
    assert recorder.told == [(f"model.ckpt-{TRAINED}", True)]
    with pytest.raises(ValueError, match="Train has been called wrong configuration"):
        est.train(batches())
    said["task"]["index"] = 1  # type: ignore[index]
    monkeypatch.setenv("TF_CONFIG", json.dumps(said))
    with pytest.raises(ValueError, match="there can only be one `evaluator` task"):
        tf.estimator.train_and_evaluate(
            estimator(tmp_path), tf.estimator.TrainSpec(batches(), max_steps=1), spec
        )


def test_refusals(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    train, evaluation = tf.estimator.TrainSpec(batches()), tf.estimator.EvalSpec(batches())
    for arguments, name in (
        ((3, train, evaluation), "estimator"),
        ((est, 3, evaluation), "train_spec"),
        ((est, train, 3), "eval_spec"),
    ):
        with pytest.raises(TypeError, match=f"`{name}` must have type `tf.estimator."):
            tf.estimator.train_and_evaluate(*arguments)


def test_early_stop_by_a_function(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    asked: list[int] = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) == 3

    hook = tf.estimator.experimental.make_early_stopping_hook(
        est, should_stop, run_every_secs=None, run_every_steps=2
    )
    # What the hook reads of the step may be from before or after its update.
    est.train(batches(), hooks=[hook], max_steps=50)
    assert len(asked) == 3
    assert 5 <= est.get_variable_value("global_step") <= 7
    with pytest.raises(ValueError, match="Only one of `run_every_secs` and `run_every_steps`"):
        tf.estimator.experimental.make_early_stopping_hook(est, print, 1, 1)
    with pytest.raises(TypeError, match="`estimator` must have type"):
        tf.estimator.experimental.make_early_stopping_hook(3, print)


def test_early_stop_by_metrics(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    writer = tf.summary.FileWriter(est.eval_dir())
    values = {10: 0.5, 20: 0.4, 30: 0.45, 40: 0.6, 50: 0.7}
    for step, value in values.items():
        summary = tf.Summary(value=[tf.Summary.Value(tag="m", simple_value=value)])
        writer.add_summary(summary, step)
    writer.close()
    experimental = tf.estimator.experimental
    for make, arguments, stops in (
        (experimental.stop_if_higher_hook, ("m", 0.65), True),
        (experimental.stop_if_higher_hook, ("m", 0.75), False),
        (experimental.stop_if_lower_hook, ("m", 0.45), True),
        (experimental.stop_if_lower_hook, ("m", 0.44, None, 30), False),
        (experimental.stop_if_no_decrease_hook, ("m", 30), True),
        (experimental.stop_if_no_decrease_hook, ("m", 31), False),
        (experimental.stop_if_no_increase_hook, ("m", 20), True),
        (experimental.stop_if_no_increase_hook, ("m", 31), False),
        (experimental.stop_if_no_increase_hook, ("other", 1), False),
    ):
        assert make(est, *arguments)._should_stop_fn() == stops, (make, arguments)


def test_evaluations_in_memory(tmp_path: Path) -> None:
    est = estimator(tmp_path)
    hook = tf.estimator.experimental.InMemoryEvaluatorHook(
        est, batches(1), every_n_iter=2, name="memory"
    )
    est.train(batches(), hooks=[hook], steps=3)
    found = []
    for path in (tmp_path / "eval_memory").iterdir():
        for event in tf.train.summary_iterator(str(path)):
            found += [
                (event.step, value.simple_value)
                for value in event.summary.value
                if value.tag == "loss"
            ]
    assert [step for step, _ in found] == [0, 2, 3]
    np.testing.assert_allclose(
        [loss for _, loss in found], [loss_after(step) for step in (0, 2, 3)], rtol=1e-4
    )
    with pytest.raises(ValueError, match=r"invalid every_n_iter=0\."):
        tf.estimator.experimental.InMemoryEvaluatorHook(est, batches(1), every_n_iter=0)


@pytest.mark.parametrize(
    ("others", "raises"),
    [({"worker": ["b:2", "c:3"]}, True), ({"ps": ["b:2"]}, True), ({}, False)],
)
def test_evaluations_in_memory_are_of_one_machine(
    others: dict[str, list[str]], raises: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = {"cluster": {"chief": ["a:1"], **others}, "task": {"type": "chief", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(task))
    est = tf.estimator.Estimator(lambda features: None, str(tmp_path))
    refused = pytest.raises(ValueError, match="only single machine")
    with refused if raises else nullcontext():
        tf.estimator.experimental.InMemoryEvaluatorHook(est, batches(1))


@pytest.mark.parametrize(
    ("scaffold", "words"),
    [
        (lambda: tf.train.Scaffold(saver=tf.train.Saver()), "custom saver"),
        (lambda: tf.train.Scaffold(init_fn=lambda *_: None), "custom init_fn"),
    ],
)
def test_evaluations_in_memory_take_no_scaffold(scaffold: Any, words: str, tmp_path: Path) -> None:
    def model(features: Any, mode: str) -> Any:
        step = tf.train.get_or_create_global_step()
        made = scaffold() if mode == tf.estimator.ModeKeys.EVAL else None
        return tf.estimator.EstimatorSpec(
            mode, loss=tf.constant(1.0), train_op=tf.assign_add(step, 1), scaffold=made
        )

    def nothing() -> Any:
        return tf.data.Dataset.range(2)

    est = tf.estimator.Estimator(model, str(tmp_path))
    hook = tf.estimator.experimental.InMemoryEvaluatorHook(est, nothing)
    with pytest.raises(ValueError, match=f"does not support {words}"):
        est.train(nothing, hooks=[hook], steps=1)


def test_evaluations_in_memory_know_global_variables_only(tmp_path: Path) -> None:
    def model(features: Any, mode: str) -> Any:
        step = tf.train.get_or_create_global_step()
        other = tf.Variable([0.0], collections=[tf.GraphKeys.SAVEABLE_OBJECTS], trainable=False)
        init = tf.group(other.initializer, step.initializer)
        return tf.estimator.EstimatorSpec(
            mode,
            loss=tf.constant(1.0),
            train_op=tf.assign_add(step, 1),
            scaffold=tf.train.Scaffold(init_op=init),
        )

    def nothing() -> Any:
        return tf.data.Dataset.range(2)

    est = tf.estimator.Estimator(model, str(tmp_path))
    hook = tf.estimator.experimental.InMemoryEvaluatorHook(est, nothing)
    with pytest.raises(ValueError, match="does not support saveables other than global variables"):
        est.train(nothing, hooks=[hook], steps=1)


def test_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ray_cluster: None) -> None:
    """The chief of a cluster with a parameter server, which holds the variables."""
    cluster = {"chief": ["estimator:1"], "ps": ["estimator:2"]}
    server = tf.train.Server(cluster, job_name="ps", task_index=0)
    said = {"cluster": cluster, "task": {"type": "chief", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(said))
    devices: list[str] = []

    def with_devices(features: Any, labels: Any, mode: str, params: Any) -> Any:
        spec = model_fn(features, labels, mode, params)
        devices.extend(each.device for each in tf.trainable_variables())
        return spec

    try:
        est = tf.estimator.Estimator(with_devices, tmp_path, params={"rate": 0.1})
        tf.estimator.train_and_evaluate(
            est,
            tf.estimator.TrainSpec(batches(), max_steps=2),
            tf.estimator.EvalSpec(batches(1)),
        )
    finally:
        server.stop()
    assert devices == ["/job:ps/task:0"] * 2
    np.testing.assert_allclose(est.get_variable_value("weights"), trained(2)[0], rtol=1e-4)
