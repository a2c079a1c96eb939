"""Monitors of trainings: which steps they see is written down as TensorFlow 1.15 has it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import learn
from dataflow.contrib.learn import monitors
from dataflow.python_io import tf_record_iterator


class _Config:
    def __init__(self, is_chief: bool = True) -> None:
        self.is_chief = is_chief


class _Estimator:
    """What a monitor wants of an estimator."""

    def __init__(self, folder: Any = None, is_chief: bool = True) -> None:
        self.model_dir, self.config = folder and str(folder), _Config(is_chief)
        self.evaluations = [3.0, 1.0, 2.0, 4.0, 0.0]

    def evaluate(self, **options: Any) -> dict[str, float]:
        assert set(options) == {"input_fn", "steps", "hooks", "name"}
        return {"loss": self.evaluations.pop(0)}


def _trained(
    made: Any, steps: int = 10, folder: Any = None, saver: Any = None, **estimator: Any
) -> int:
    """Trains v, which begins with 0, by adding 1; gives the last global step."""
    with tf.Graph().as_default():
        v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        step = tf.train.get_or_create_global_step()
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            train = tf.assign_add(step, 1)
        tf.multiply(v, 2.0, name="twice")
        tf.divide(1.0, v - v, name="inverse")
        tf.split(tf.zeros([2]), 2, name="halves")
        tf.summary.scalar("seen", v)
        given = made() if callable(made) else made
        hooks = monitors.replace_monitors_with_hooks(given, _Estimator(folder, **estimator))
        hooks.append(tf.train.StopAtStepHook(last_step=steps))
        session = tf.train.MonitoredSession(
            tf.train.ChiefSessionCreator(checkpoint_dir=saver), hooks=hooks
        )
        with session:
            while not session.should_stop():
                last = session.run(train)
    return int(last)


class _Seen(monitors.EveryN):
    def __init__(self, *args: int) -> None:
        super().__init__(*args)
        self.seen: list[Any] = []

    def every_n_step_begin(self, step: int) -> list[Any]:
        self.seen.append(step)
        return ["twice"]

    def every_n_post_step(self, step: int | None, session: Any) -> None:
        self.seen.append(f"after {step}")


def test_every_n_steps() -> None:
    seen = _Seen(4, 2)
    hook = tf.train.SessionRunHook()
    assert monitors.replace_monitors_with_hooks([hook], _Estimator()) == [hook]
    assert monitors.replace_monitors_with_hooks(None, _Estimator()) == []
    assert _trained([seen]) == 10
    assert seen.seen == [1, "after 1", 2, "after 2", 6, "after 6", 10, "after 10"]
    seen.seen.clear()
    _trained([seen], steps=3)
    # The last active step is that of the first training.
    assert seen.seen == [1, "after 1", 2, "after 2", "after 3"]


def test_a_monitor_ends_a_training() -> None:
    assert _trained([monitors.StopAtStep(num_steps=3)]) == 3
    assert _trained([monitors.StopAtStep(last_step=4), monitors.StopAtStep(9)]) == 4
    assert _trained([monitors.StopAtStep(3)], is_chief=False) == 3
    with pytest.raises(ValueError, match="One of num_steps or last_step must be specified"):
        monitors.StopAtStep()
    with pytest.raises(ValueError, match="Only one of num_steps or last_step can be specified"):
        monitors.StopAtStep(1, 2)


def test_workers_that_are_not_chief_have_few_monitors() -> None:
    seen = _Seen(1, 1)
    _trained([seen], is_chief=False)
    assert seen.seen == []


def test_values(caplog: pytest.LogCaptureFixture) -> None:
    capture = monitors.CaptureVariable("v:0", every_n=5)
    shown = [
        monitors.PrintTensor(["twice"], every_n=9),
        monitors.PrintTensor({"double": "twice:0"}, every_n=9),
        monitors.LoggingTrainable(every_n=9, scope="v"),
    ]
    with caplog.at_level("INFO", "dataflow"):
        _trained([capture, *shown])
    assert sorted(capture.values) == [1, 6]
    assert all(capture.values[step] in (step - 1, step) for step in (1, 6))
    lines = [line for line in caplog.messages if "Step" in line]
    assert [line.split(" = ")[0] for line in lines] == [
        *("Step 1: twice", "Step 1: double", "Logging Trainable: Step 1: v:0"),
        *("Step 10: twice", "Step 10: double", "Logging Trainable: Step 10: v:0"),
    ]


def test_names_are_of_one_tensor() -> None:
    with pytest.raises(ValueError, match="Name halves is ambiguous"):
        _trained([monitors.CaptureVariable("halves")])
    with pytest.raises(ValueError, match="should have graph attribute"):
        _trained([monitors.NanLoss(tf.constant(1.0))])


def test_losses_that_are_no_number() -> None:
    def loss() -> Any:
        graph = tf.get_default_graph()
        return graph.get_tensor_by_name("inverse:0") * graph.get_tensor_by_name("v:0") * 0.0

    with pytest.raises(monitors.NanLossDuringTrainingError, match="NaN loss during training"):
        _trained(lambda: [monitors.NanLoss(loss())])
    assert _trained(lambda: [monitors.NanLoss(loss(), fail_on_nan_loss=False)]) == 1
    assert learn.NanLossDuringTrainingError is monitors.NanLossDuringTrainingError


def test_dumps_are_compared() -> None:
    class Named(monitors.GraphDump):
        def step_begin(self, step: int) -> list[Any]:
            return [tensor.name for tensor in super().step_begin(step)]

    dumps = [Named(), Named()]
    for dump in dumps:
        _trained([dump], steps=3)
    dumps[1].data[2]["twice:0"] += np.float32(1)
    dumps[1].data[2]["halves:0"] = dumps[1].data[2]["halves:0"] + np.float32(0.5)
    assert "twice:0" in dumps[0].compare(dumps[1], 1)[0]
    matched, different = dumps[0].compare(dumps[1], 2)
    assert sorted(different) == ["halves:0", "twice:0"] and "twice:0" not in matched
    np.testing.assert_array_equal(different["halves:0"], [-0.5])
    assert [math.isnan(x) for x in different["twice:0"]] == [False, False]
    assert dumps[0].compare(dumps[1], 9) == ([], {})
    del dumps[1].data[1]["twice:0"]
    with pytest.raises(ValueError, match="twice:0 missing at step 1"):
        dumps[0].compare(dumps[1], 1)


def _summaries(folder: Path) -> list[tuple[int, str]]:
    found = []
    for path in sorted(folder.glob("events*")):
        for record in tf_record_iterator(str(path)):
            event = tf.Event.FromString(record)
            found += [(event.step, value.tag) for value in event.summary.value]
    return found


def test_files(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abc"]

    def made() -> list[Any]:
        summary = tf.summary.merge_all()
        assert summary is not None
        return [
            *monitors.get_default_monitors(summary.op.inputs[0], summary, 4, str(folders[0])),
            monitors.StepCounter(3, str(folders[1])),
            monitors.CheckpointSaver(str(folders[2]), save_steps=4, saver=tf.train.Saver()),
        ]

    _trained(made)
    monitors.SummaryWriterCache.get(str(folders[1])).flush()
    assert _summaries(folders[0]) == [(1, "seen"), (5, "seen"), (9, "seen")]
    assert _summaries(folders[1]) == [(step, "global_step/sec") for step in (4, 7, 10)]
    state = tf.train.get_checkpoint_state(str(folders[2]))
    assert state is not None
    steps = [path.rsplit("-", 1)[1] for path in state.all_model_checkpoint_paths]
    assert steps == ["1", "5", "9", "10"]
    with pytest.raises(ValueError, match="Either save_steps or save_secs should be provided"):
        monitors.CheckpointSaver(str(tmp_path))
    with pytest.raises(ValueError, match="Can not provide both save_steps and save_secs"):
        monitors.CheckpointSaver(str(tmp_path), 1, 1)


def test_validation_ends_what_gets_no_better(tmp_path: Path) -> None:
    """A checkpoint of each step; losses of 3, 1, 2, 4 and 0."""

    def made() -> list[Any]:
        saver = monitors.CheckpointSaver(str(tmp_path), save_steps=1, saver=tf.train.Saver())
        return [saver, *validation]

    options: dict[str, Any] = {"every_n_steps": 2, "check_interval_secs": None}
    validation = [
        monitors.ValidationMonitor(input_fn=dict, early_stopping_rounds=4, **options),
    ]
    assert _trained(made, folder=tmp_path) == 8
    (first,) = validation
    assert first.early_stopped and first.best_step == 4 and first.best_value == 1.0
    assert first.best_metrics == {"loss": 1.0}
    for wrong, message in (
        ({"early_stopping_metric": "none", "early_stopping_rounds": 1}, "Metric none missing from"),
        ({"batch_size": 3}, "does not support following arguments: x, y, batch_size, metrics"),
    ):
        validation[:] = [monitors.ValidationMonitor(input_fn=dict, **options, **wrong)]
        with pytest.raises(ValueError, match=message):
            _trained(made, folder=tmp_path)
    with pytest.raises(ValueError, match="Either x or input_fn should be provided"):
        monitors.ValidationMonitor()


def test_states_that_do_not_follow_are_refused() -> None:
    monitor: Any = monitors.BaseMonitor()
    for call, message in (
        (lambda: monitor.set_estimator(None), "Missing estimator."),
        (monitor.end, "end called without begin."),
        (lambda: (monitor.begin(5), monitor.begin()), "begin called twice without end."),
        (lambda: monitor.step_begin(-1), "Invalid step -1."),
        (lambda: monitor.step_begin(6), "Invalid step 6."),
        (lambda: monitor.step_end(2, {}), "step_end expected None but got 2."),
        (lambda: monitor.epoch_begin(-1), "Invalid epoch -1."),
        (lambda: monitor.epoch_end(1), "epoch_end expected None but got 1."),
        (lambda: (monitor.epoch_begin(1), monitor.epoch_begin(2)), "epoch_begin called twice"),
    ):
        with pytest.raises(ValueError) as raised:
            call()
        assert str(raised.value).startswith(message)


def test_estimators_take_monitors(tmp_path: Path) -> None:
    def model(features: Any, labels: Any, mode: str) -> Any:
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        loss = tf.losses.mean_squared_error(labels, features * w)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return features * w, loss, train

    x = np.ones(4, np.float32)
    estimator = learn.Estimator(model, str(tmp_path / "a"))
    kept = monitors.CaptureVariable("w", every_n=1)
    estimator.fit(x, x, monitors=[kept, monitors.StopAtStep(3)], steps=9)
    assert sorted(kept.values) == [1, 2, 3]
    kept = monitors.CaptureVariable("w", every_n=1)
    inputs = tf.estimator.inputs.numpy_input_fn(x, x, 4, None, False)
    learn.Experiment(estimator, inputs, inputs, train_steps=5, train_monitors=[kept]).train()
    assert sorted(kept.values) == [4, 5]
