"""tf.contrib.learn.graph_actions: values, steps, checkpoints and errors as in TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import framework, learn
from dataflow.contrib.learn import graph_actions
from dataflow.records.events import summary_iterator


@pytest.fixture(autouse=True)
def no_writers() -> Iterator[None]:
    yield
    graph_actions.clear_summary_writers()


def variables() -> tuple[Any, Any, Any]:
    """A variable, a local one, and their sum with one that a table's initializer sets."""
    tf.train.create_global_step()
    whole = tf.Variable(1.0, name="whole")
    local = framework.local_variable(2.0, name="local")
    other = tf.Variable(3.0, trainable=False, collections=["fake_tables"])
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, other.initializer)
    return whole, local, whole + local + other


def summaries(folder: Path) -> list[Any]:
    found = []
    for path in sorted(folder.glob("events*")):
        for event in summary_iterator(str(path)):
            values = [each for each in event.summary.value if "/sec" not in each.tag]
            found += [(event.step, each.tag, each.simple_value) for each in values]
    return found


def test_inference() -> None:
    with tf.Graph().as_default():
        whole, local, added = variables()
    found = graph_actions.infer(None, {"a": whole, "b": local, "c": added})
    assert found == {"a": 1, "b": 2, "c": 6}
    assert learn.infer(None, {"c": added}, feed_dict={whole: 4.0}) == {"c": 9}
    assert learn.run_n({"c": added}, n=3) == [{"c": 6}] * 3
    assert learn.run_feeds({"c": added}, [{whole: 1.0}, {local: 7.0}]) == [{"c": 6}, {"c": 11}]
    each = graph_actions.run_feeds_iter({"c": added}, [None] * 3)
    assert next(each) == {"c": 6}
    each.close()
    with pytest.raises(ValueError, match=r"output_dict is invalid: \{\}"):
        learn.infer(None, {})
    with pytest.raises(ValueError, match=r"feed_dicts is invalid: \[\]"):
        learn.run_feeds({"c": added}, [])


def test_evaluation(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        added = variables()[2]
        for folder in ("", None):
            with pytest.raises(ValueError, match="Output directory should be non-empty"):
                learn.evaluate(graph, folder, None, {"a": added})
        tensors = {"a": added, "i": tf.constant(3)}
        found = learn.evaluate(graph, str(tmp_path), None, tensors, max_steps=1)
    assert found == ({"a": 6, "i": 3}, 0)
    assert summaries(tmp_path) == [(0, "a", 6), (0, "i", 0)]


@pytest.mark.parametrize(("count", "last"), [(2, 15), (4, 25)])
@pytest.mark.parametrize("updates", [False, True])
def test_evaluation_until_the_inputs_end(
    tmp_path: Path, count: int, last: float, updates: bool
) -> None:
    with tf.Graph().as_default() as graph:
        whole, _, added = variables()
        feeds = ({whole: 10.0 * number} for number in range(count))
        seen = framework.local_variable(0.0)
        options = {"update_op": tf.assign_add(seen, 1.0) if updates else None}
        tensors = {"a": added, "seen": seen}
        found, step = learn.evaluate(
            graph,
            str(tmp_path),
            None,
            tensors,
            feed_fn=lambda: next(feeds),
            max_steps=3,
            log_every_steps=2,
            **options,
        )
    assert found == {"a": last, "seen": min(count, 3) if updates else 0} and step == 0


def trained(folder: Path, loss: float = 2.0, **options: Any) -> Any:
    """What training gives, and the step that was saved last."""
    with tf.Graph().as_default() as graph:
        with tf.control_dependencies(list(variables())):
            step = tf.assign_add(tf.train.get_global_step(), 1)
        told = tf.constant(loss)
        tf.summary.scalar("loss", told)
        found = learn.train(graph, str(folder), step, told, **options)
    state = tf.train.get_checkpoint_state(str(folder))
    assert state is not None and state.model_checkpoint_path.startswith(f"{folder}/model.ckpt-")
    return found, tf.train.load_variable(str(folder), "global_step")


def test_training(tmp_path: Path) -> None:
    assert trained(tmp_path, steps=10) == (2, 10)
    assert trained(tmp_path, steps=15) == (2, 25)
    assert trained(tmp_path, max_steps=20) == (None, 25)
    assert trained(tmp_path, max_steps=30, keep_checkpoint_max=1) == (2, 30)
    assert (1, "loss", 2.0) in summaries(tmp_path)
    with tf.Graph().as_default() as graph:
        whole, _, added = variables()
        read = {"a": whole, "step": tf.train.get_global_step()}
        assert learn.infer(f"{tmp_path}/model.ckpt-30", read) == {"a": 1, "step": 30}
        evaluated = learn.evaluate(graph, str(tmp_path), str(tmp_path), {"c": added}, max_steps=2)
        assert evaluated == ({"c": 6}, 30)
        assert summaries(tmp_path)[-1] == (30, "c", 6)


def test_a_loss_that_is_no_number(tmp_path: Path) -> None:
    with pytest.raises(learn.NanLossDuringTrainingError):
        trained(tmp_path, loss=np.nan, steps=3)
    # The step before the error was saved.
    found, step = trained(tmp_path, loss=np.nan, steps=3, fail_on_nan_loss=False)
    assert np.isnan(found) and step == 4


class Monitor(learn.monitors.BaseMonitor):
    """Keeps what it is told; ends the training after the second step."""

    def __init__(self, is_for_all: bool) -> None:
        super().__init__()
        self.is_for_all = is_for_all
        self.told: list[Any] = []

    @property
    def run_on_all_workers(self) -> bool:
        return self.is_for_all

    def begin(self, max_steps: int | None = None) -> None:
        self.told.append(("begin", max_steps))
        super().begin(max_steps)

    def end(self, session: Any = None) -> None:
        self.told.append("end")
        super().end(session)

    def step_begin(self, step: int) -> list[Any]:
        self.told.append(int(step))
        super().step_begin(step)
        return ["whole:0"]

    def step_end(self, step: int, output: Any) -> bool:
        self.told.append(sorted(output))
        super().step_end(step, output)
        return step == 2


def test_monitors(tmp_path: Path) -> None:
    both = [Monitor(False), Monitor(True)]
    assert trained(tmp_path, steps=5, monitors=both) == (2, 2)
    names = ["AssignAdd:0", "Const:0", "whole:0"]
    for each in both:
        assert each.told == [("begin", 5), 1, names, 2, names, "end"]


def test_a_worker_runs_what_is_for_all(tmp_path: Path) -> None:
    both = [Monitor(False), Monitor(True)]
    with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
        tf.Variable(1.0, name="whole")
        global_step = tf.train.create_global_step()
        step = tf.assign_add(global_step, 1)
        tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.global_variables_initializer())
        loss = learn.train(
            graph,
            str(tmp_path),
            step,
            tf.constant(2.0),
            global_step_tensor=global_step,
            supervisor_is_chief=False,
            steps=1,
            monitors=both,
        )
    assert loss == 2 and both[0].told == []
    assert both[1].told == [("begin", 1), 1, ["AssignAdd:0", "Const:0", "whole:0"]]
    assert not list(tmp_path.iterdir())


def test_inputs_and_initializers(tmp_path: Path) -> None:
    feeds = iter([{}, {}, {}])
    assert trained(tmp_path / "a", feed_fn=lambda: next(feeds)) == (2, 3)
    seen: list[Any] = []
    options = {"init_fn": lambda session: seen.append(session.run("whole:0"))}
    assert trained(tmp_path / "b", steps=1, **options) == (2, 1) and seen == [1]

    def fails() -> Any:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        trained(tmp_path / "c", steps=1, feed_fn=fails)
    assert tf.train.load_variable(str(tmp_path / "c"), "global_step") == 0


def test_what_is_refused(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        one = tf.constant(1.0)
        fine = {"output_dir": str(tmp_path), "train_op": one, "loss_op": one}
        for changed, text in (
            ({"output_dir": None}, "Output directory should be non-empty None."),
            ({"train_op": None}, "Missing train_op."),
            ({"loss_op": None}, "Missing loss_op."),
            ({}, 'No "global_step" was provided or found in the graph.'),
            ({"steps": 1, "max_steps": 1}, "Can not provide both steps and max_steps."),
        ):
            with pytest.raises(ValueError, match=text):
                learn.train(graph, **fine | changed)


def test_writers(tmp_path: Path) -> None:
    writer = graph_actions.get_summary_writer(str(tmp_path))
    assert graph_actions.get_summary_writer(str(tmp_path)) is writer
    graph_actions.clear_summary_writers()
    assert graph_actions.get_summary_writer(str(tmp_path)) is not writer
