"""Tasks that are started again after a death: what goes on, what is lost, and who says so."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import ray

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.ray.actors import eventually, is_running, living, process_of, stop, usage
from tests.ray.kills.kill_trials import SOON
from tests.ray.processes import end, ray_address, start, wait_until_ready
from tests.ray.transports import chiefly_of_lanes, of_lanes

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]

WORKER = "/job:worker/replica:0/task:0"
PS = "/job:ps/replica:0/task:0"
_PAUSE = 0.2
"""Seconds in which a call to a process that stands still is certainly under way."""
RESTARTED = f"task {PS} was restarted after it died; its variables hold nothing until restored"


def make_server(max_restarts: int) -> tf.train.Server:
    """A server of a worker and a ps, that starts them again."""
    return tf.train.Server({"worker": 1, "ps": 1}, max_restarts=max_restarts)


def cluster_name(server: tf.train.Server) -> str:
    """The first part of the names of a server's actors."""
    return server.target.removeprefix("ray:").partition("/job:")[0]


class Cluster:
    """A session on a server, with variables on both tasks."""

    def __init__(self, server: tf.train.Server) -> None:
        self.server = server
        self.name = cluster_name(server)
        with tf.device("/job:ps"):
            self.lost = tf.Variable(1.0, name="lost")
            self.resource = tf.Variable(5.0, name="resource", use_resource=True)
        with tf.device("/job:worker"):
            self.kept = tf.Variable(10.0, name="kept")
            self.more = tf.assign_add(self.kept, 1.0, use_locking=True)
            self.across = tf.identity(self.lost * 2.0, name="across")
        self.session = Session(self.server.target)
        self.session.run(tf.global_variables_initializer())

    def shot(self, name: str) -> Callable[[], float]:
        """What stops an actor for a moment, kills it and gives the time of its death.

        Args:
          name: Its name after the cluster's.
        """
        process = process_of(self.name, name)

        def shoot() -> float:
            stop(process)
            time.sleep(_PAUSE)
            killed = time.monotonic()
            os.kill(process, signal.SIGKILL)
            return killed

        return shoot

    def close(self) -> None:
        """Stops everything, and sees that it is gone."""
        processes = set(living(self.name).values())
        self.session.close()
        self.server.stop()
        assert living(self.name) == {}
        assert eventually(lambda: not any(map(is_running, processes)))


@pytest.fixture(scope="module")
def server(transport: str) -> Iterator[tf.train.Server]:
    made = make_server(max_restarts=100)
    yield made
    made.stop()


@pytest.fixture
def cluster(server: tf.train.Server) -> Iterator[Cluster]:
    with tf.Graph().as_default():
        made = Cluster(server)
        yield made
        made.session.close()


def fails(call: Callable[[], Any], shot: Callable[[], float]) -> errors.OpError:
    """The error of calls that are made on and on while a process is killed; it comes soon.

    One who calls only after the death is known waits for the restart, and hears of lost variables
    at most. A device stands still before it is killed, so that a call is under way to it.
    """
    died = []
    gun = threading.Timer(0.05, lambda: died.append(shot()))
    gun.start()
    with pytest.raises((errors.UnavailableError, errors.FailedPreconditionError)) as raised:
        while True:
            call()
    gun.join()
    assert time.monotonic() - died[0] < SOON
    return raised.value


@chiefly_of_lanes
@pytest.mark.parametrize("victim", [f"{PS}/device:CPU:0", PS])
def test_a_dead_task_is_started_again(cluster: Cluster, victim: str) -> None:
    session = cluster.session
    fetch = session.make_callable(cluster.across)
    assert fetch() == 2.0
    assert session.run([cluster.more, cluster.resource]) == [11.0, 5.0]
    incarnations = {d.name: d.incarnation for d in session.list_devices()}
    error = fails(fetch, cluster.shot(victim))
    assert PS in error.message
    assert "being started again" in error.message or RESTARTED in error.message
    # The next run waits for the task; its variables are lost, and this says why.
    with pytest.raises(errors.FailedPreconditionError) as raised:
        fetch()
    assert "uninitialized value lost" in raised.value.message
    assert RESTARTED in raised.value.message and "(restart " in raised.value.message
    with pytest.raises(errors.FailedPreconditionError) as raised:
        session.run(cluster.resource)
    assert RESTARTED in raised.value.message
    # What is elsewhere is as it was: no step was run twice, none was lost.
    assert session.run(cluster.kept) == 11.0
    session.run([cluster.lost.initializer, cluster.resource.initializer])
    assert fetch() == 2.0
    assert session.run([cluster.across, cluster.more, cluster.resource]) == [2.0, 12.0, 5.0]
    now = {d.name: d.incarnation for d in session.list_devices()}
    assert {name for name in now if now[name] != incarnations[name]} == {f"{PS}/device:CPU:0"}


@chiefly_of_lanes
def test_new_and_old_sessions_after_a_restart(cluster: Cluster) -> None:
    """Every session, whatever it has prepared, finds the new task; a new session as well."""
    idle = Session(cluster.server.target)
    busy = cluster.session
    assert busy.run(cluster.across) == 2.0
    fails(lambda: busy.run(cluster.across), cluster.shot(f"{PS}/device:CPU:0"))
    with Session(cluster.server.target) as fresh:
        with pytest.raises(errors.FailedPreconditionError, match="restarted after it died"):
            fresh.run(cluster.across)
        fresh.run(cluster.lost.initializer)
        assert fresh.run(cluster.across) == 2.0
    assert busy.run(cluster.across) == 2.0
    assert idle.run([cluster.across, cluster.kept]) == [2.0, 10.0]
    handle = idle.partial_run_setup([cluster.across], [])
    assert idle.partial_run(handle, cluster.across) == 2.0
    idle.close()
    assert eventually(lambda: all(device.steps == 0 for device in usage(busy).values()))


@chiefly_of_lanes
def test_tasks_that_send_to_each_other_meet_again(cluster: Cluster) -> None:
    """Both directions: the survivor finds the new one, which finds the survivor."""
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:worker"):
        y = x + 1.0
    with tf.device("/job:ps"):
        z = y * 2.0
    with tf.device("/job:worker"):
        w = z - 1.0
    for count in (1, 2):
        for size in (3, 100_000):
            assert cluster.session.run(w, {x: [1.0] * size}).tolist() == [3.0] * size
        fails(lambda: cluster.session.run(w, {x: [1.0]}), cluster.shot(f"{PS}/device:CPU:0"))
        assert cluster.session.run(w, {x: [float(count)]}).tolist() == [2.0 * count + 1.0]


@chiefly_of_lanes
def test_the_master_is_started_again(cluster: Cluster) -> None:
    session = cluster.session
    assert session.run(cluster.more) == 11.0
    with tf.device("/job:worker"):
        before = tf.random_uniform([], seed=1) + cluster.kept
    first = session.run(before)
    cluster.shot(f"{WORKER}/master")()
    # What was prepared needs no master.
    assert session.run(cluster.more) == 12.0
    with tf.device("/job:ps"):
        added = tf.add(cluster.lost, 1.0, name="added")
    try:
        assert session.run(added) == 2.0
    except errors.UnavailableError as error:
        # It had not been known yet.
        assert "The master of" in error.message and "being started again" in error.message
    assert session.run([added, cluster.lost]) == [2.0, 1.0]
    # Nothing but the master is new: variables are there, and kernels have their state.
    assert session.run(cluster.more) == 13.0
    assert session.run(before) != first
    with Session(cluster.server.target) as other:
        assert other.run(cluster.kept) == 13.0
    session.close()
    with Session(cluster.server.target) as other:
        assert eventually(
            lambda: all((d.plans, d.kernels, d.steps) == (0, 0, 0) for d in usage(other).values())
        )


@of_lanes
def test_close_after_the_master_died_for_want_of_memory(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray has an exception of its own for that, which stands in for another death here."""
    get = ray.get

    def get_or_want(*arguments: Any, **options: Any) -> Any:
        try:
            return get(*arguments, **options)
        except ray.exceptions.ActorDiedError as error:
            raise ray.exceptions.OutOfMemoryError("too little") from error

    monkeypatch.setattr(ray, "get", get_or_want)
    cluster.shot(f"{WORKER}/master")()
    cluster.session.close()


@of_lanes
def test_restarts_are_bounded() -> None:
    with tf.Graph().as_default():
        cluster = Cluster(make_server(max_restarts=1))
        fails(lambda: cluster.session.run(cluster.across), cluster.shot(f"{PS}/device:CPU:0"))
        cluster.session.run(cluster.lost.initializer)
        assert cluster.session.run(cluster.across) == 2.0
        error = fails(
            lambda: cluster.session.run(cluster.across), cluster.shot(f"{PS}/device:CPU:0")
        )
        assert "max_restarts" in error.message and "being started again" not in error.message
        with pytest.raises(errors.UnavailableError, match=PS):
            cluster.server.join()
        # All of the task is gone, nothing of the others.
        assert eventually(lambda: not any(name.startswith(PS) for name in living(cluster.name)))
        assert cluster.session.run(cluster.kept) == 10.0
        started = time.monotonic()
        with pytest.raises(errors.UnavailableError, match=PS):
            cluster.session.run(cluster.across)
        assert time.monotonic() - started < SOON
        # The master knows that this was the last time: a new session does not wait for it.
        started = time.monotonic()
        with pytest.raises(errors.UnavailableError, match=f"(?s){PS}.*Start its server again"):
            Session(cluster.server.target)
        assert time.monotonic() - started < SOON
        cluster.close()


@of_lanes
def test_a_new_session_does_not_wait_for_a_task_whose_starts_have_failed() -> None:
    server = make_server(max_restarts=3)
    backend: Any = server._backend
    backend._supervisor.stop()
    os.kill(process_of(cluster_name(server), PS), signal.SIGKILL)
    backend._start_no_more(errors.UnavailableError(None, None, "It could not be started."))
    started = time.monotonic()
    with tf.Graph().as_default(), pytest.raises(errors.UnavailableError, match=PS):
        Session(server.target)
    assert time.monotonic() - started < SOON
    with pytest.raises(errors.UnavailableError, match="could not be started"):
        server.join()
    server.stop()


@of_lanes
def test_a_server_that_is_stopped_starts_nothing_again() -> None:
    with tf.Graph().as_default():
        cluster = Cluster(make_server(max_restarts=3))
        other = Session(cluster.server.target)
        assert other.run(cluster.across) == 2.0
        cluster.shot(f"{PS}/device:CPU:0")()
        cluster.close()
        assert living(cluster.name) == {}
        started = time.monotonic()
        # Nobody waits for what is not coming.
        with pytest.raises(errors.UnavailableError) as raised:
            while True:
                other.run(cluster.across)
        assert "Start its server again" in raised.value.message, raised.value.message
        with pytest.raises(errors.UnavailableError) as raised:
            other.run(cluster.across + 1.0)
        assert "Start its server again" in raised.value.message, raised.value.message
        assert time.monotonic() - started < SOON
        other.close()
    assert living(cluster.name) == {}


@of_lanes
def test_a_wait_for_a_restart_ends_in_time(cluster: Cluster) -> None:
    cluster.session.run(cluster.across)
    fails(lambda: cluster.session.run(cluster.across), cluster.shot(f"{PS}/device:CPU:0"))
    started = time.monotonic()
    options = tf.RunOptions(timeout_in_ms=1)
    with pytest.raises((errors.DeadlineExceededError, errors.FailedPreconditionError)) as raised:
        cluster.session.run(cluster.across, options=options)
    assert time.monotonic() - started < SOON
    assert PS in raised.value.message


@of_lanes
def test_malformed_max_restarts() -> None:
    with pytest.raises(ValueError, match="max_restarts must be 0 or more, not -1"):
        tf.train.Server({"worker": 1}, max_restarts=-1)


SERVER = """
import sys, ray
import dataflow as tf
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
addresses = {"worker": ["localhost:40201"], "ps": ["localhost:40202"]}
server = tf.train.Server(addresses, "ps", 0, max_restarts=1)
print("ready", flush=True)
server.join()
"""


@pytest.mark.long
def test_a_server_whose_program_is_killed_and_run_again() -> None:
    """Its tasks end with it. Sessions go on when it is there again."""
    addresses = {"worker": ["localhost:40201"], "ps": ["localhost:40202"]}

    def start_ps() -> subprocess.Popen[str]:
        found = start("-c", SERVER, ray_address())
        wait_until_ready(found)
        return found

    ps = start_ps()
    worker = tf.train.Server(addresses, "worker", 0)

    def of_ps() -> list[int]:
        """Processes of the tasks of the other program. Those of other tests come and go."""
        return [pid for name, pid in living(cluster_name(worker)).items() if PS in name]

    with tf.Graph().as_default():
        with tf.device("/job:ps"):
            variable = tf.Variable(3.0, name="v")
        with tf.device("/job:worker"):
            kept = tf.Variable(4.0, name="kept")
            total = variable + kept
            doubled = total * 2.0
        session = Session(worker.target)
        session.run(tf.global_variables_initializer())
        assert session.run(total) == 7.0
        processes = of_ps()
        assert len(processes) == 3
        end(ps)
        # Ray counts them as dead before they are: till then they serve steps.
        assert eventually(lambda: not any(map(is_running, processes)))
        assert eventually(lambda: not of_ps())
        started = time.monotonic()
        with pytest.raises(errors.UnavailableError, match=PS):
            session.run(total)
        # There is nobody left to start it again.
        assert time.monotonic() - started < SOON
        ps = start_ps()
        # It cannot know that there was one before it.
        with pytest.raises(errors.FailedPreconditionError, match="uninitialized value v"):
            while True:
                try:
                    session.run(total)
                except errors.UnavailableError as error:
                    assert "Start its server again" in error.message or PS in error.message
        session.run(variable.initializer)
        assert session.run([total, kept]) == [7.0, 4.0]
        session.close()
    # A master that was started again by its program has lost the sessions.
    session = Session(worker.target, graph=total.graph)
    assert session.run(total) == 7.0
    worker.stop()
    worker = tf.train.Server(addresses, "worker", 0)
    with pytest.raises(errors.AbortedError, match=r"The master of .* Make a new one"):
        while True:
            try:
                session.run(doubled)
            except errors.UnavailableError as error:
                assert WORKER in error.message
    session.close()
    end(ps)
    worker.stop()
    assert eventually(lambda: living(cluster_name(worker)) == {})


CLIENT = """
import sys, time
import ray
import dataflow as tf
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
with tf.device("/job:ps"):
    total = tf.Variable(0.0, name="total")
    state = tf.random_uniform([], seed=1) + 1.0
    more = tf.assign_add(total, state * 0.0 + 1.0)
    x = tf.placeholder(tf.float32, [])
    y = x + total
session = tf.Session(sys.argv[2])
if sys.argv[3] == "first":
    session.run(total.initializer)
    session.run(more)
    session.partial_run_setup([y], [x])
    print("ready", flush=True)
    time.sleep(60)
print("found", session.run(more), flush=True)
session.close()
"""


@chiefly_of_lanes
def test_a_client_that_comes_back(cluster: Cluster) -> None:
    """A client is killed in a step; another one finds the server and its variables, and nothing
    is left of the first."""

    def client(what: str) -> subprocess.Popen[str]:
        return start("-c", CLIENT, ray_address(), cluster.server.target, what)

    def held() -> tuple[int, ...]:
        found = usage(cluster.session)[f"{PS}/device:CPU:0"]
        return found.steps, found.piecewise, found.plans, found.kernels

    before = held()
    first = client("first")
    wait_until_ready(first)
    assert eventually(lambda: held()[0] == 1)
    end(first)
    second = client("second")
    assert second.communicate(timeout=60)[0] == "found 2.0\n"
    assert eventually(lambda: held() == before), (held(), before)
