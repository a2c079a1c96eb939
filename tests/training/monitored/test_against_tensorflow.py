"""Programs with monitored sessions do in this library what they do in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

oracle.disable_v2_behavior()

Program = Callable[[Any, str], list[Any]]


def _recorder(tf: Any, log: list[Any]) -> Any:
    """A hook that notes when it is called, and with what."""

    class Recorder(tf.train.SessionRunHook):  # type: ignore[misc]
        def begin(self) -> None:
            log.append("begin")

        def after_create_session(self, session: Any, coord: Any) -> None:
            log.append(("created", session.graph.finalized, coord.should_stop()))

        def before_run(self, run_context: Any) -> Any:
            log.append(("before", run_context.original_args.feed_dict is None))
            return tf.train.SessionRunArgs({"step": "global_step:0"})

        def after_run(self, run_context: Any, run_values: Any) -> None:
            log.append(("after", sorted(run_values.results), run_context.stop_requested))

        def end(self, session: Any) -> None:
            log.append("end")

    return Recorder()


def _train(tf: Any) -> tuple[Any, Any, Any]:
    """A model of one weight: its input, loss and training operation."""
    x = tf.placeholder_with_default(2.0, [], name="x")
    weight = tf.get_variable("weight", initializer=tf.constant(1.0))
    loss = tf.square(weight * x - 6.0, name="loss")
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=step)
    return x, loss, train


def stops_at_step(tf: Any, master: str) -> list[Any]:
    """Hooks are called in turn, and one ends the loop."""
    log: list[Any] = []
    _, loss, train = _train(tf)
    hooks = [_recorder(tf, log), tf.train.StopAtStepHook(last_step=4)]
    creator = tf.train.ChiefSessionCreator(master=master)
    with tf.train.MonitoredSession(creator, hooks) as session:
        while not session.should_stop():
            log.append(session.run([loss, train])[0])
        with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
            session.run(loss)
        log.append(session.graph is tf.get_default_graph())
    log.append(session.graph is None)
    with pytest.raises(RuntimeError, match="Session is already closed"):
        session.close()
    return log


def runs_so_many_steps(tf: Any, master: str) -> list[Any]:
    """Feeds of hooks, values at the end, and the session below."""
    x, loss, train = _train(tf)
    final = tf.train.FinalOpsHook({"loss": loss}, {x: 1.0})
    hooks = [
        tf.train.FeedFnHook(lambda: {x: 3.0}),
        tf.train.StopAtStepHook(num_steps=3),
        final,
    ]
    log = []
    session = tf.train.SingularMonitoredSession(hooks, master=master)
    log.append(session.raw_session().run(loss))
    while not session.should_stop():
        log.append(session.run(loss))
        session.run(train)
    with pytest.raises(RuntimeError, match="Run called even after"):
        session.run(train, {x: 1.0})
    session.close()
    return [*log, final.final_ops_values["loss"]]


def refuses_feeds_twice(tf: Any, master: str) -> list[Any]:
    """A tensor that a hook feeds is fed by no one else."""
    x, loss, _ = _train(tf)
    hook = tf.train.FeedFnHook(lambda: {x: 3.0})
    for hooks, feeds, text in (
        ([hook], {x: 1.0}, "Same tensor is fed by a SessionRunHook and user."),
        ([hook, hook], None, "Same tensor is fed by two hooks."),
    ):
        creator = tf.train.ChiefSessionCreator(master=master)
        session = tf.train.MonitoredSession(creator, hooks)
        with session, pytest.raises(RuntimeError, match=text):
            session.run(loss, feeds)
    return []


def stops_at_nan(tf: Any, master: str) -> list[Any]:
    """A loss that is NaN stops the loop or fails."""
    x, loss, _ = _train(tf)
    log = []
    quiet = tf.train.NanTensorHook(loss, fail_on_nan_loss=False)
    creator = tf.train.ChiefSessionCreator(master=master)
    with tf.train.MonitoredSession(creator, [quiet]) as session:
        log += [session.run(loss), session.should_stop()]
        log += [session.run(loss, {x: np.nan}), session.should_stop()]
    loud = tf.train.NanTensorHook(loss)
    creator = tf.train.ChiefSessionCreator(master=master)
    session = tf.train.MonitoredSession(creator, [loud])
    error = tf.train.NanLossDuringTrainingError
    with pytest.raises(error, match="NaN loss during training"), session:
        session.run(loss, {x: np.nan})
    return log


def reads_a_queue_to_its_end(tf: Any, master: str) -> list[Any]:
    """Queue runners start with the session, and the end of the input is a good end."""
    log: list[Any] = []
    tf.train.get_or_create_global_step()
    counter = tf.get_local_variable("counter", initializer=tf.constant(0))
    queue = tf.FIFOQueue(4, tf.int32, shapes=[[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(counter.count_up_to(5))])
    tf.train.add_queue_runner(runner)
    item = queue.dequeue()
    creator = tf.train.ChiefSessionCreator(master=master)
    with tf.train.MonitoredSession(creator, [_recorder(tf, log)]) as session:
        log.append(tf.train.start_queue_runners(session))
        while not session.should_stop():
            log.append(session.run(item))
    return log


def recovers(tf: Any, master: str) -> list[Any]:
    """A step is repeated in a new session after a task was lost; other errors end it."""
    log: list[Any] = []
    x, loss, _ = _train(tf)

    class Failing(tf.train.SessionRunHook):  # type: ignore[misc]
        def __init__(self) -> None:
            self.errors = [
                tf.errors.AbortedError(None, None, "lost"),
                tf.errors.UnavailableError(None, None, "gone"),
            ]

        def after_create_session(self, session: Any, coord: Any) -> None:
            log.append(session.run("weight:0"))

        def after_run(self, run_context: Any, run_values: Any) -> None:
            run_context.session.run("add_one")
            log.append(run_context.session.run("weight:0"))
            if self.errors:
                raise self.errors.pop()

    tf.assign_add(tf.global_variables()[0], 1.0, name="add_one")
    creator = tf.train.ChiefSessionCreator(master=master)
    with tf.train.MonitoredSession(creator, [Failing()]) as session:
        log.append(session.run(loss, {x: 4.0}))
        log.append(session.should_stop())
    with pytest.raises(tf.errors.UnavailableError):
        tf.train.SingularMonitoredSession([Failing()], master=master).run(loss)
    return log


def steps_by_function(tf: Any, master: str) -> list[Any]:
    """A function runs steps with hooks and without."""
    log: list[Any] = []
    x, loss, train = _train(tf)
    hook = tf.train.FeedFnHook(lambda: {x: 1.0})

    def step(step_context: Any) -> Any:
        log.append(step_context.session.run(loss))
        return step_context.run_with_hooks([loss, train])[0]

    creator = tf.train.ChiefSessionCreator(master=master)
    with tf.train.MonitoredSession(creator, [hook]) as session:
        log += [session.run_step_fn(step) for _ in range(2)]
        with pytest.raises(ValueError, match="`step_fn` may either have one `step_context`"):
            session.run_step_fn(lambda wrong: None)
        session.run_step_fn(lambda step_context: step_context.request_stop())
        log.append("not reached")
    return log


def initializes_as_told(tf: Any, master: str) -> list[Any]:
    """A scaffold's operations and function, and what they leave out."""
    log: list[Any] = []
    value = tf.placeholder(tf.float32, [], name="value")
    variable = tf.Variable(value, name="variable")
    other = tf.Variable(1.0, name="other")
    first = tf.train.Scaffold(init_op=variable.initializer, init_feed_dict={value: 5.0})
    scaffold = tf.train.Scaffold(
        init_fn=lambda scaffold, session: session.run(other.initializer),
        copy_from_scaffold=first,
    )
    with tf.train.SingularMonitoredSession(scaffold=scaffold, master=master) as session:
        log += session.run([variable, other])
    for incomplete in (
        tf.train.Scaffold(init_op=variable.initializer, init_feed_dict={value: 5.0}),
        tf.train.Scaffold(
            init_op=variable.initializer,
            init_feed_dict={value: 5.0},
            ready_for_local_init_op=tf.constant([], tf.string),
        ),
    ):
        with pytest.raises(RuntimeError, match=r"Variables not initialized: other") as refusal:
            tf.train.SingularMonitoredSession(scaffold=incomplete, master=master)
        log.append(str(refusal.value).partition("Init op")[0])
        tf.get_default_graph()._unsafe_unfinalize()
    return log


def waits_for_the_chief(tf: Any, master: str) -> list[Any]:
    """A worker gives up after its time."""
    tf.Variable(1.0, name="variable")
    ready = tf.report_uninitialized_variables()
    manager = tf.train.SessionManager(ready_op=ready, recovery_wait_secs=0.05)
    with pytest.raises(tf.errors.DeadlineExceededError, match="not ready after waiting 0 secs"):
        manager.wait_for_session(master, max_wait_secs=0.2)
    with pytest.raises(RuntimeError, match="no init_op or init_fn or local_init_op was given"):
        manager.prepare_session(master)
    initialize = tf.global_variables_initializer()
    manager.prepare_session(master, initialize).close()
    with pytest.raises(ValueError, match="must also pass a local_init_op"):
        tf.train.SessionManager(ready_for_local_init_op=ready)
    return []


PROGRAMS = [
    stops_at_step,
    runs_so_many_steps,
    refuses_feeds_twice,
    stops_at_nan,
    reads_a_queue_to_its_end,
    recovers,
    steps_by_function,
    initializes_as_told,
    waits_for_the_chief,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_does_the_same(program: Program, target: str) -> None:
    with oracle.Graph().as_default() as expected_graph:
        expected = program(oracle, "")
    with tf.Graph().as_default() as graph:
        actual = program(tf, target)
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected, strict=True):
        if isinstance(theirs, (np.ndarray, np.generic)):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        else:
            assert ours == theirs
    names = [node.name for node in graph.get_operations()]
    assert names == [node.name for node in expected_graph.get_operations()]


@pytest.mark.parametrize("every", [{"every_n_iter": 2}, {"every_n_secs": 1e-9}, {"at_end": True}])
def test_logs_the_same(every: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    logged = {}
    for library in (oracle, tf):
        lines: list[str] = []
        with library.Graph().as_default():
            x = library.placeholder(library.float32, [], name="x")
            library.multiply(x, 2.0, name="y")
            hooks = [
                library.train.LoggingTensorHook(
                    {"b": "y", "a": x},
                    formatter=lambda values, lines=lines: (
                        lines.append(  # type: ignore[misc]
                            {tag: float(value) for tag, value in values.items()}
                        )
                        or ""
                    ),
                    **every,
                )
            ]
            if "at_end" in every:
                hooks = [library.train.LoggingTensorHook(["c:0"], **every)]
                library.constant(3.0, name="c")
            with library.train.MonitoredSession(hooks=hooks) as session:
                for number in range(5):
                    session.run("y:0", {x: number})
        logged[library] = lines
    assert logged[tf] == logged[oracle]
    assert logged[tf] or "at_end" in every


def test_numbers_are_logged_with_their_own_digits(capsys: pytest.CaptureFixture[str]) -> None:
    level = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.INFO)
    try:
        with tf.Graph().as_default():
            hook = tf.train.LoggingTensorHook({"loss": tf.constant(5.7328)}, at_end=True)
            with tf.train.MonitoredSession(hooks=[hook]):
                pass
    finally:
        tf.logging.set_verbosity(level)
    assert "loss = 5.7328\n" in capsys.readouterr().err


def test_timers_and_refusals_are_the_same() -> None:
    for library in (oracle, tf):
        timer = library.train.SecondOrStepTimer(every_steps=3)
        assert timer.should_trigger_for_step(5)
        assert timer.update_last_triggered_step(5) == (None, None)
        found = [timer.should_trigger_for_step(step) for step in (5, 6, 7, 8, 9)]
        assert found == [False, False, False, True, True]
        assert timer.update_last_triggered_step(9)[1] == 4
        assert timer.last_triggered_step() == 9
        for make in (
            lambda train: train.SecondOrStepTimer(),
            lambda train: train.SecondOrStepTimer(1.0, 1),
            lambda train: train.StopAtStepHook(),
            lambda train: train.StopAtStepHook(1, 2),
            lambda train: train.LoggingTensorHook(["x"]),
            lambda train: train.LoggingTensorHook(["x"], every_n_iter=0),
        ):
            with pytest.raises(ValueError) as theirs:
                make(oracle.train)
            with pytest.raises(ValueError) as ours:
                make(tf.train)
            assert str(ours.value) == str(theirs.value)
