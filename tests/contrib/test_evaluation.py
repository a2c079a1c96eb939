"""Evaluations of checkpoints: contrib.training's, and slim's against tf_slim's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import slim, training
from tests.contrib.oracle import tf_slim
from tests.recording.event_files import events

tf1.disable_v2_behavior()


def saved(folder: Path, steps: int = 3) -> list[str]:
    """Checkpoints of a variable that is 2, 4, 6 ..."""
    paths = []
    with tf.Graph().as_default(), tf.Session() as session:
        weight = tf.get_variable("weight", initializer=0.0)
        step = tf.train.get_or_create_global_step()
        add = tf.group(weight.assign_add(2.0), step.assign_add(1))
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        for _ in range(steps):
            session.run(add)
            paths.append(saver.save(session, str(folder / "model"), global_step=step))
    return paths


def graph(lib: Any) -> tuple[Any, Any]:
    """A metric that adds up the variable, and its value."""
    weight = lib.get_variable("weight", initializer=0.0)
    lib.train.get_or_create_global_step()
    value, update = lib.metrics.mean(weight * 3.0)
    lib.summary.scalar("mean", value)
    return value, update


def test_evaluate_once(tmp_path: Path) -> None:
    paths = saved(tmp_path)
    with tf.Graph().as_default():
        value, update = graph(tf)
        hooks = [training.StopAfterNEvalsHook(4), training.SummaryAtEndHook(tmp_path / "log")]
        found = training.evaluate_once(
            paths[0], eval_ops=update, final_ops={"value": value}, hooks=hooks
        )
        (step,) = tf.get_collection(tf.GraphKeys.EVAL_STEP)
        assert step is training.get_or_create_eval_step()
    assert found == {"value": 6.0}
    told = [
        (event.step, value.simple_value)
        for event in events(tmp_path / "log")
        for value in event.summary.value
    ]
    assert told == [(1, 6.0)]


def test_evaluate_repeatedly(tmp_path: Path) -> None:
    saved(tmp_path)
    with tf.Graph().as_default():
        value, update = graph(tf)
        found = training.evaluate_repeatedly(
            tmp_path,
            eval_ops={"update": update},
            final_ops=value,
            hooks=[training.StopAfterNEvalsHook(2, log_progress=False)],
            eval_interval_secs=0,
            max_number_of_evaluations=1,
        )
        assert found == 18.0
        assert training.evaluate_repeatedly(tmp_path / "empty", timeout=0, final_ops=value) is None


def test_waiting(tmp_path: Path) -> None:
    paths = saved(tmp_path)
    assert training.wait_for_new_checkpoint(tmp_path, timeout=0) == paths[-1]
    assert training.wait_for_new_checkpoint(tmp_path, paths[-1], timeout=0) is None
    with pytest.raises(ValueError, match="One of log_dir or summary_writer should be used"):
        training.SummaryAtEndHook()


def test_a_graph_without_summaries_needs_no_step(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        hook = training.SummaryAtEndHook(tmp_path)
        hook.begin()
        hook.after_create_session(session, None)
        hook.end(session)
    told = list(events(tmp_path))
    assert any(event.HasField("graph_def") for event in told)
    assert not any(event.HasField("summary") for event in told)


@pytest.mark.parametrize("in_a_loop", [False, True])
def test_slim(tmp_path: Path, in_a_loop: bool) -> None:
    paths = saved(tmp_path)
    values = []
    for s, lib, log in ((slim, tf, "a"), (tf_slim, tf1, "b")):
        with lib.Graph().as_default():
            value, update = graph(lib)
            options: dict[str, Any] = {
                "num_evals": 3,
                "eval_op": update,
                "final_op": value,
                "initial_op": lib.no_op(),
            }
            folder = str(tmp_path / log)
            if in_a_loop:
                found = s.evaluation.evaluation_loop(
                    "",
                    str(tmp_path),
                    folder,
                    eval_interval_secs=0,
                    max_number_of_evaluations=1,
                    **options,
                )
            else:
                found = s.evaluation.evaluate_once("", paths[0], folder, **options)
            told = [
                (event.step, each.tag, each.simple_value)
                for event in events(tmp_path / log)
                for each in event.summary.value
            ]
            values.append((np.float32(found), told))
    assert values[0] == values[1]


def test_training_until_a_hook_stops(tmp_path: Path) -> None:
    weight = tf.get_variable("weight", initializer=4.0)
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    train_op = training.create_train_op(tf.square(weight), optimizer)
    hooks = [tf.train.StopAtStepHook(num_steps=3)]
    for names in ("save_summaries_steps", "save_checkpoint_secs"):
        others = {"save_summaries_steps": None, "save_checkpoint_secs": None, names: 1}
        with pytest.raises(ValueError, match=f"logdir cannot be None when {names} is not None"):
            training.train(train_op, None, **others)
    assert training.train(train_op, str(tmp_path), hooks=hooks) == 1.0
    reader = tf.train.load_checkpoint(str(tmp_path))
    assert reader.get_tensor("weight") == 0.5
