"""Sessions that save while they train, and go on from the last checkpoint, as in TensorFlow."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

oracle.disable_v2_behavior()

Program = Callable[[Any, str, str], list[Any]]


def _model(tf: Any) -> tuple[Any, Any]:
    """A weight that grows by one in each step: its value and the training operation."""
    weight = tf.get_variable("weight", initializer=tf.constant(1.0))
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies([weight.assign_add(1.0)]):
        return weight, tf.assign_add(step, 1, name="train")


def _listener(tf: Any, log: list[Any], stops_at: int = -1) -> Any:
    """Notes when it is called."""

    class Listener(tf.train.CheckpointSaverListener):  # type: ignore[misc]
        def begin(self) -> None:
            log.append("begin")

        def before_save(self, session: Any, step: Any) -> None:
            log.append(("before", int(step)))

        def after_save(self, session: Any, step: Any) -> bool:
            log.append(("after", int(step), session.run("weight:0")))
            return bool(step == stops_at)

        def end(self, session: Any, step: Any) -> None:
            log.append(("end", int(step)))

    return Listener()


def _checkpoints(folder: str) -> list[str]:
    """The checkpoints in a folder."""
    return sorted(name for name in os.listdir(folder) if name.endswith(".index"))


def saves_and_goes_on(tf: Any, master: str, folder: str) -> list[Any]:
    """Checkpoints every three steps and at the end; a second program begins where it ended."""
    log: list[Any] = []
    for last_step in (7, 9):
        with tf.Graph().as_default():
            weight, train = _model(tf)
            hook = tf.train.CheckpointSaverHook(
                folder, save_steps=3, listeners=[_listener(tf, log)]
            )
            hooks = [tf.train.StopAtStepHook(last_step=last_step), hook]
            creator = tf.train.ChiefSessionCreator(master=master, checkpoint_dir=folder)
            with tf.train.MonitoredSession(creator, hooks) as session:
                log.append(session.run(weight))
                while not session.should_stop():
                    session.run(train)
        state = tf.train.get_checkpoint_state(folder)
        log.append([os.path.basename(path) for path in state.all_model_checkpoint_paths])
        log.append(_checkpoints(folder))
    return log


def trains_with_every_hook(tf: Any, master: str, folder: str) -> list[Any]:
    """What MonitoredTrainingSession adds, and the hooks of the chief and of all."""
    log: list[Any] = []
    for is_chief in (True, False):
        with tf.Graph().as_default():
            weight, train = _model(tf)
            final = tf.train.FinalOpsHook(weight)
            scaffold = tf.train.Scaffold(
                ready_for_local_init_op=tf.constant([], tf.string),
                local_init_op=tf.global_variables_initializer(),
            )
            with tf.train.MonitoredTrainingSession(
                master,
                is_chief,
                checkpoint_dir=folder,
                scaffold=scaffold,
                hooks=[tf.train.StopAtStepHook(num_steps=5)],
                chief_only_hooks=[final],
                save_checkpoint_steps=2,
                save_summaries_steps=None,
                log_step_count_steps=2,
                max_wait_secs=1,
            ) as session:
                while not session.should_stop():
                    log.append(session.run(train))
            log += [final.final_ops_values, _checkpoints(folder)]
    return log


def recovers_from_the_last_checkpoint(tf: Any, master: str, folder: str) -> list[Any]:
    """A lost task costs the steps since the last checkpoint."""
    log: list[Any] = []
    _, train = _model(tf)

    class Failing(tf.train.SessionRunHook):  # type: ignore[misc]
        def __init__(self) -> None:
            self.errors = [
                tf.errors.AbortedError(None, None, "lost"),
                tf.errors.UnavailableError(None, None, "gone"),
            ]

        def after_create_session(self, session: Any, coord: Any) -> None:
            log.append(("created", session.run("weight:0")))

        def after_run(self, run_context: Any, run_values: Any) -> None:
            value = run_context.session.run("weight:0")
            if self.errors and value == 6:
                run_context.session.run("spoil")
                raise self.errors.pop()

    tf.assign(tf.global_variables()[0], -5.0, name="spoil")
    with tf.train.MonitoredTrainingSession(
        master,
        checkpoint_dir=folder,
        hooks=[Failing(), tf.train.StopAtStepHook(last_step=8)],
        save_checkpoint_steps=2,
        save_checkpoint_secs=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
    ) as session:
        while not session.should_stop():
            log.append(session.run(train))
    return log


def stops_for_a_listener(tf: Any, master: str, folder: str) -> list[Any]:
    """A listener ends the loop."""
    log: list[Any] = []
    _, train = _model(tf)
    listener = _listener(tf, log, stops_at=4)
    hook = tf.train.CheckpointSaverHook(folder, save_steps=2, listeners=[listener])
    creator = tf.train.ChiefSessionCreator(master=master)
    with tf.train.MonitoredSession(creator, [hook]) as session:
        while not session.should_stop():
            session.run(train)
    return [*log, tf.train.load_variable(folder, "weight")]


def waits_for_a_checkpoint(tf: Any, master: str, folder: str) -> list[Any]:
    """What a session manager does with and without checkpoints."""
    weight, _ = _model(tf)
    ready = tf.report_uninitialized_variables()
    saver = tf.train.Saver()
    manager = tf.train.SessionManager(ready_op=ready, recovery_wait_secs=0.02)
    log: list[Any] = []
    session, is_ready = manager.recover_session(
        master, saver, folder, wait_for_checkpoint=True, max_wait_secs=0.05
    )
    log.append(is_ready)
    session.run(tf.global_variables_initializer())
    session.run(weight.assign(8.0))
    for step in (1, 2):
        saver.save(session, os.path.join(folder, "model"), step)
    path = saver.last_checkpoints[0]
    session.run(weight.assign(9.0))
    session.close()
    with pytest.raises(ValueError, match="both checkpoint_dir and checkpoint_filename_with_path"):
        manager.recover_session(master, saver, folder, path)
    again = tf.train.Saver()
    for place in ({"checkpoint_dir": folder}, {"checkpoint_filename_with_path": path}):
        session, is_ready = manager.recover_session(master, again, **place)
        log += [is_ready, session.run(weight), len(again.last_checkpoints)]
        session.close()
    session = manager.prepare_session(master, None, again, folder)
    log.append(session.run(weight))
    session.close()
    partial = tf.train.Saver({"weight": weight})
    session, is_ready = manager.recover_session("", partial, folder)
    session.close()
    return [*log, is_ready]


PROGRAMS = [
    saves_and_goes_on,
    trains_with_every_hook,
    recovers_from_the_last_checkpoint,
    stops_for_a_listener,
    waits_for_a_checkpoint,
]


def _compare(program: Program, target: str, folder: Path) -> None:
    made = []
    for library, master, name in ((oracle, "", "theirs"), (tf, target, "ours")):
        (folder / name).mkdir()
        with library.Graph().as_default() as graph:
            log = program(library, master, str(folder / name))
            made.append((log, [node.name for node in graph.get_operations()]))
    (theirs, their_names), (ours, our_names) = made
    assert ours == theirs
    assert our_names == their_names


@pytest.mark.parametrize("program", PROGRAMS)
def test_does_the_same(program: Program, tmp_path: Path) -> None:
    _compare(program, "", tmp_path)


@pytest.mark.parametrize("program", [recovers_from_the_last_checkpoint])
def test_on_either_target(program: Program, target: str, tmp_path: Path) -> None:
    _compare(program, target, tmp_path)


def test_refuses_the_same(tmp_path: Path) -> None:
    folder = str(tmp_path)
    texts = []
    for library in (oracle, tf):
        train, found = library.train, []
        with library.Graph().as_default():
            for make in (
                lambda train=train: train.CheckpointSaverHook(folder),
                lambda train=train: train.CheckpointSaverHook(folder, 1, 2),
                lambda train=train: train.CheckpointSaverHook(folder, 1, saver=1, scaffold=2),
                lambda train=train: train.StepCounterHook(None),
                lambda train=train: train.StepCounterHook(1, 2),
            ):
                with pytest.raises(ValueError, match="provide") as refusal:
                    make()
                found.append(str(refusal.value))
            hook = train.CheckpointSaverHook(folder, save_steps=1)
            with pytest.raises(RuntimeError, match="Global step should be created") as refused:
                hook.begin()
            found.append(str(refused.value))
            train.create_global_step()
            hook.begin()
            with pytest.raises(RuntimeError, match="No items in collection") as refused:
                hook._get_saver()
            found.append(str(refused.value))
            library.get_variable("v", [])
            for _ in range(2):
                library.add_to_collection(library.GraphKeys.SAVERS, train.Saver())
            for ask in (
                hook._get_saver,
                train.Scaffold().finalize,
            ):
                with pytest.raises(RuntimeError, match="More than one item") as refused:
                    ask()
                found.append(str(refused.value))
        texts.append(found)
    assert texts[0] == texts[1]


def test_step_counter_writes_steps_per_second() -> None:
    class Writer:
        def __init__(self) -> None:
            self.written: list[Any] = []

        def add_summary(self, summary: Any, step: Any) -> None:
            (value,) = summary.value
            self.written.append((value.tag, value.simple_value > 0, int(step)))

    logs = []
    for library in (oracle, tf):
        writer = Writer()
        with library.Graph().as_default():
            _, train = _model(library)
            hook = library.train.StepCounterHook(every_n_steps=3, summary_writer=writer)
            with library.train.MonitoredSession(hooks=[hook]) as session:
                for _ in range(10):
                    session.run(train)
        logs.append(writer.written)
    assert logs[0] == logs[1]
    assert len(np.unique(logs[1], axis=0)) == 3
