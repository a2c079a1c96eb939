"""Kills while a session is being created: it is there at last, or says at once who has died."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import dataflow as tf
from dataflow import errors
from dataflow.actors.ray.cluster.launch import ActorSet, Launch
from dataflow.actors.ray.cluster.machines import Placement, machines
from dataflow.session.session import Session
from tests.ray.actors import (
    TASK,
    all_living,
    eventually,
    frozen,
    is_running,
    living,
    process_of,
    stop,
)
from tests.ray.kills.kill_trials import SOON

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]

FIRST, SECOND = f"{TASK}/device:CPU:0", f"{TASK}/device:CPU:1"
WORKER, PS = "/job:worker/replica:0/task:0", "/job:ps/replica:0/task:0"
OWN: dict[str, Any] = {"device_count": {"CPU": 2}, "inter_op_parallelism_threads": 3}
"""Options whose actors nobody holds."""
_PAUSE = 0.3
"""Seconds in which a call to a process that stands still is certainly under way."""


def in_long(victim: str) -> Any:
    """One that is killed where there is time."""
    return pytest.param(victim, marks=pytest.mark.long)


class Creation:
    """A session that is being created on a thread of its own."""

    def __init__(self, target: str, **options: Any) -> None:
        self._target = target
        self._options = options
        self._found: list[Any] = []
        self._ended = 0.0
        self._thread = threading.Thread(target=self._create)
        self._thread.start()

    def _create(self) -> None:
        config = tf.ConfigProto(**self._options)
        try:
            self._found.append(Session(self._target, graph=tf.Graph(), config=config))
        except Exception as error:
            self._found.append(error)
        self._ended = time.monotonic()

    def result(self) -> tuple[Any, float]:
        """The session, or the error, and when it was there."""
        self._thread.join(50.0)
        assert self._found, "The creation hangs."
        return self._found[0], self._ended


def kill(process: int) -> float:
    """Kills a process; gives the time."""
    killed = time.monotonic()
    os.kill(process, signal.SIGKILL)
    return killed


@contextmanager
def when_started(act: Callable[[dict[str, int]], None]) -> Iterator[None]:
    """Has `act` called with the processes of a session's actors, all ready and not yet asked."""
    wait = ActorSet.wait

    def wait_and_act(self: ActorSet, timeout: float, unit: str | None = None) -> None:
        wait(self, timeout, unit)
        act(living(self._launch.cluster))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ActorSet, "wait", wait_and_act)
        yield


def check_told(error: Any, whom: str, seconds: float) -> None:
    """The error says who has died, and what to do about it, soon enough."""
    assert isinstance(error, errors.UnavailableError), error
    assert error.message.startswith("The session cannot be created: "), error.message
    assert f"{whom} died: " in error.message, error.message
    assert "Make a new session: it starts processes of its own." in error.message
    assert seconds < SOON, seconds


@pytest.mark.parametrize("victim", [in_long(FIRST), SECOND])
def test_a_lone_session_whose_actor_is_dead_before_it_is_asked(victim: str) -> None:
    before = all_living()
    killed: list[float] = []

    def act(processes: dict[str, int]) -> None:
        killed.append(kill(processes[victim]))
        assert eventually(lambda: not is_running(processes[victim]))

    with when_started(act):
        error, ended = Creation("ray", **OWN).result()
    check_told(error, victim, ended - killed[0])
    assert not all_living() - before


@pytest.mark.parametrize("victim", [in_long(FIRST), SECOND])
def test_a_lone_session_whose_actor_dies_while_it_is_asked(victim: str) -> None:
    """Its devices stand still, so that the session waits for them."""
    before = all_living()
    found: dict[str, int] = {}
    stopped = threading.Event()

    def act(processes: dict[str, int]) -> None:
        found.update(processes)
        for device in (FIRST, SECOND):
            stop(found[device])
        stopped.set()

    with when_started(act):
        creation = Creation("ray", **OWN)
        assert stopped.wait(50.0)
        time.sleep(_PAUSE)
        killed = kill(found[victim])
        time.sleep(_PAUSE)
        # What stands still cannot be stopped.
        for device in {FIRST, SECOND} - {victim}:
            os.kill(found[device], signal.SIGCONT)
        error, ended = creation.result()
    check_told(error, victim, ended - killed)
    assert not all_living() - before
    assert eventually(lambda: not any(map(is_running, found.values())))


def test_a_lone_session_whose_actor_dies_while_it_starts() -> None:
    before = all_living()
    creation = Creation("ray", **OWN)
    assert eventually(lambda: all_living() - before, 30.0)
    cluster = min(all_living() - before).partition("/job:")[0]
    killed = kill(process_of(cluster, FIRST))
    error, ended = creation.result()
    check_told(error, FIRST, ended - killed)
    assert not all_living() - before


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[tf.train.Server]:
    """A server of two tasks that starts them again as often as the test asks for."""
    made = tf.train.Server({"worker": 1, "ps": 1}, max_restarts=request.param)
    yield made
    made.stop()


def cluster_of(server: tf.train.Server) -> str:
    """The first part of the names of a server's actors."""
    return str(server.target.removeprefix("ray:").partition("/job:")[0])


@pytest.mark.parametrize("server", [0], indirect=True)
def test_a_server_whose_task_nobody_starts_again(server: tf.train.Server) -> None:
    """This is said at once, also while another task has not answered yet."""
    cluster = cluster_of(server)
    here, there = (process_of(cluster, f"{task}/device:CPU:0") for task in (WORKER, PS))
    with frozen(here), frozen(there):
        creation = Creation(server.target)
        time.sleep(_PAUSE)
        killed = kill(there)
        error, ended = creation.result()
    assert isinstance(error, errors.UnavailableError), error
    assert ended - killed < SOON
    # The server ends the rest of the task, which may be told of first.
    assert (
        f"{PS}/device:CPU:0 died: " in error.message
        or f"{PS} died: It was ended, since" in error.message
    ), error.message
    assert "max_restarts" in error.message
    assert eventually(lambda: not any(name.startswith(PS) for name in living(cluster)))
    # What is not there any more stays away.
    started = time.monotonic()
    error, ended = Creation(server.target).result()
    assert isinstance(error, errors.UnavailableError), error
    assert ended - started < SOON
    assert PS in error.message and "Start its server again" in error.message
    # Who does not need it may go on.
    session, _ = Creation(server.target, device_filters=["/job:worker"]).result()
    with session.graph.as_default():
        prepared = tf.constant(2.0) + 1.0
        assert session.run(prepared) == 3.0
        # Without a master, only what it has prepared.
        kill(process_of(cluster, f"{WORKER}/master"))
        assert session.run(prepared) == 3.0
        with pytest.raises(errors.UnavailableError) as raised:
            session.run(prepared + 1.0)
    assert raised.value.message.startswith(f"The master of {WORKER} is gone")
    assert "Start its server again" in raised.value.message
    session.close()


@pytest.mark.parametrize("server", [3], indirect=True)
@pytest.mark.parametrize("victim", [f"{PS}/device:CPU:0", in_long(PS)])
def test_a_server_whose_task_is_started_again(server: tf.train.Server, victim: str) -> None:
    """The session waits for it, and then has its devices."""
    cluster = cluster_of(server)
    process = process_of(cluster, victim)
    with frozen(process_of(cluster, f"{PS}/device:CPU:0")):
        creation = Creation(server.target)
        time.sleep(_PAUSE)
        kill(process)
        session, _ = creation.result()
    assert isinstance(session, Session), session
    assert process_of(cluster, victim) != process
    with session.graph.as_default(), tf.device("/job:ps"):
        assert session.run(tf.constant(2.0) + 1.0) == 3.0
    session.close()


def test_a_machine_that_has_left_before_its_actor_started() -> None:
    """Another attempt may go to another machine, so it is no want of resources."""
    (machine,) = machines()
    gone = dataclasses.replace(machine, node_id="ab" * 28)
    actors = ActorSet(Launch("left", tf.ConfigProto(), TASK, (TASK,)))
    actors.start([Placement(TASK, gone, 1, 0)])
    with pytest.raises(errors.UnavailableError, match="its machine has left the cluster") as raised:
        actors.wait(60.0)
    # Which of the task's actors is told of first is Ray's choice.
    assert TASK in raised.value.message.partition(" cannot start")[0]
    assert eventually(lambda: not living("left"))
