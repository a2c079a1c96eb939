"""Servers: sessions that attach by target, what they share, and how they end."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest
import ray

import dataflow as tf
from dataflow import errors
from dataflow.porting.modules import TensorflowModule
from dataflow.session.session import Session
from tests.ray.actors import all_living, eventually, is_running, living, usage
from tests.ray.transports import of_lanes

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]

SPEC = {"worker": 2, "ps": 1}
WORKER_0, WORKER_1 = (f"/job:worker/replica:0/task:{index}" for index in (0, 1))
PS = "/job:ps/replica:0/task:0"


@pytest.fixture(scope="module")
def server(transport: str) -> Iterator[tf.train.Server]:
    """A server of two workers and a ps."""
    opened = tf.train.Server(tf.train.ClusterSpec(SPEC))
    yield opened
    opened.stop()


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


def cluster_of(server: tf.train.Server) -> str:
    return server.target.removeprefix("ray:").partition("/job:")[0]


def test_actors_of_all_tasks(server: tf.train.Server, graph: tf.Graph) -> None:
    tasks = [PS, WORKER_0, WORKER_1]
    devices = [f"{task}/device:CPU:0" for task in tasks]
    assert living(cluster_of(server)).keys() == {*tasks, *devices, f"{WORKER_0}/master"}
    with Session(server.target) as session:
        # The devices of the master's task come first.
        names = [device.name for device in session.list_devices()]
        assert names[0] == f"{WORKER_0}/device:CPU:0" and set(names) == set(devices)


def test_placement(server: tf.train.Server, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [])
    unplaced = -x
    with tf.device("/job:ps"):
        on_ps = tf.identity(unplaced)
    with tf.device("/job:worker/task:1"):
        on_worker = -on_ps
    options = tf.RunOptions(output_partition_graphs=True, trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    with Session(server.target) as session:
        assert session.run(on_worker, {x: 1.0}, options, metadata) == 1.0
        where = {n.name: n.device for g in metadata.partition_graphs for n in g.node}
        for tensor, task in ((unplaced, WORKER_0), (on_ps, PS), (on_worker, WORKER_1)):
            assert where[tensor.op.name] == f"{task}/device:CPU:0"
        traced = {
            s.device: [n.node_name for n in s.node_stats] for s in metadata.step_stats.dev_stats
        }
        assert on_ps.op.name in traced[f"{PS}/device:CPU:0"]
        with tf.device("/job:worker/task:2"):
            nowhere = tf.identity(1.0, name="nowhere")
        with pytest.raises(errors.InvalidArgumentError, match=r"nowhere.*task:2"):
            session.run(nowhere, {x: 1.0})


def test_sessions_share_variables(server: tf.train.Server, graph: tf.Graph) -> None:
    with tf.device("/job:ps"):
        counter = tf.Variable(0.0, name="counter")
        resource = tf.Variable(10.0, name="resource", use_resource=True)
    add = tf.group(tf.assign_add(counter, 1.0), resource.assign_add(1.0))
    with Session(server.target) as first:
        first.run(tf.global_variables_initializer())
        first.run(add)
        with Session(server.target) as second:
            assert second.run([counter, resource]) == [1.0, 11.0]
            second.run(add)
        assert first.run([counter, resource]) == [2.0, 12.0]
    # They outlive all sessions.
    with Session(server.target) as third:
        assert third.run([counter, resource]) == [2.0, 12.0]
        isolated = tf.ConfigProto(isolate_session_state=True)
        with Session(server.target, config=isolated) as alone:
            with pytest.raises(errors.FailedPreconditionError, match="uninitialized value counter"):
                alone.run(counter)
            alone.run(tf.global_variables_initializer())
            assert alone.run(counter) == 0.0
        assert third.run(counter) == 2.0
        assert all(device.isolated == 0 for device in usage(third).values())


def test_containers_and_reset(server: tf.train.Server, graph: tf.Graph) -> None:
    with tf.device("/job:ps"):
        with tf.container("kept"):
            kept = tf.Variable(1.0, name="kept")
        with tf.container("cleared"):
            cleared = tf.Variable(2.0, name="cleared")
        plain = tf.Variable(3.0, name="plain")
    session = Session(server.target)
    session.run(tf.global_variables_initializer())
    Session.reset(server.target, ["cleared"])
    # Sessions are closed with it, on their master's side.
    with pytest.raises((errors.CancelledError, errors.AbortedError)):
        session.run(kept)
    session.close()
    with Session(server.target) as fresh:
        assert fresh.run([kept, plain]) == [1.0, 3.0]
        with pytest.raises(errors.FailedPreconditionError, match="cleared"):
            fresh.run(cleared)
    Session.reset(server.target, ["localhost"])
    with Session(server.target) as fresh:
        assert fresh.run(kept) == 1.0
        with pytest.raises(errors.FailedPreconditionError, match="plain"):
            fresh.run(plain)
        fresh.run(plain.initializer)
    # Who names none means the default one.
    Session.reset(server.target)
    with Session(server.target) as fresh:
        assert fresh.run(kept) == 1.0
        with pytest.raises(errors.FailedPreconditionError, match="plain"):
            fresh.run(plain)


def test_device_filters(server: tf.train.Server, graph: tf.Graph) -> None:
    config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    with tf.device("/job:worker/task:1"):
        hidden = tf.identity(1.0)
    with Session(server.target, config=config) as session:
        assert {d.name for d in session.list_devices()} == {
            f"{WORKER_0}/device:CPU:0",
            f"{PS}/device:CPU:0",
        }
        with pytest.raises(errors.InvalidArgumentError, match="task:1"):
            session.run(hidden)


def test_between_graph_replication(server: tf.train.Server) -> None:
    """Two clients with graphs of their own train the variables of one ps at the same time."""
    failures: list[BaseException] = []

    def client(task: int) -> None:
        try:
            device = f"/job:worker/task:{task}"
            setter = tf.train.replica_device_setter(cluster=SPEC, worker_device=device)
            with tf.Graph().as_default(), tf.device(setter):
                total = tf.Variable(0.0, name="total")
                one = tf.identity(tf.constant(1.0))
                add = tf.assign_add(total, one, use_locking=True)
                assert total.device == "/job:ps/task:0" and one.device == device
                with Session(server.target) as session:
                    if task == 0:
                        session.run(total.initializer)
                        ready.set()
                    ready.wait(60)
                    for _ in range(25):
                        session.run(add)
                    finished.wait(60)
                    assert session.run(total) == 50.0
        except BaseException as error:
            failures.append(error)

    ready, finished = threading.Event(), threading.Barrier(2)
    threads = [threading.Thread(target=client, args=(task,)) for task in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_sessions_leave_nothing_on_a_server(server: tf.train.Server, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [])
    with tf.device("/job:ps"):
        y = tf.identity(x) + tf.random_uniform([], seed=1)
    threads = set(threading.enumerate())
    for _ in range(20):
        with Session(server.target) as session:
            session.run(y, {x: 1.0})
    with Session(server.target) as session:
        assert eventually(
            lambda: all(
                (d.plans, d.kernels, d.steps, d.rendezvous) == (0, 0, 0, 0)
                for d in usage(session).values()
            )
        )
    assert eventually(lambda: not set(threading.enumerate()) - threads)


@of_lanes
def test_unknown_servers() -> None:
    for target in ("ray:server-0123/job:worker/replica:0/task:0", "ray:", "ray:x", "ray://head:1"):
        with pytest.raises(errors.NotFoundError, match=target):
            Session(target, graph=tf.Graph())
        with pytest.raises(errors.NotFoundError):
            Session.reset(target)


@of_lanes
def test_start_and_stop(graph: tf.Graph) -> None:
    before = all_living()
    config = tf.ConfigProto(device_count={"CPU": 2})
    server = tf.train.Server.create_local_server(config=config, start=False)
    with pytest.raises(errors.NotFoundError):
        Session(server.target)
    server.start()
    server.start()
    x = tf.identity(1.0)
    session = Session(server.target)
    assert [d.name for d in session.list_devices()] == [
        f"/job:local/replica:0/task:0/device:CPU:{index}" for index in (0, 1)
    ]
    assert session.run(x) == 1.0
    processes = living(cluster_of(server))
    joined: list[object] = []
    thread = threading.Thread(target=lambda: joined.append(server.join()))
    thread.start()
    server.stop()
    server.stop()
    thread.join(60)
    assert joined == [None]
    assert not all_living() - before
    assert eventually(lambda: not any(map(is_running, processes.values())))
    ended = r"/job:local/.*: It was ended, since its server was stopped"
    with pytest.raises(errors.UnavailableError, match=ended):
        session.run(x)
    session.close()
    with pytest.raises(errors.NotFoundError, match="stopped"):
        Session(server.target)
    with pytest.raises(errors.FailedPreconditionError, match="stopped"):
        server.start()


@of_lanes
def test_forgotten_server_is_stopped() -> None:
    before = all_living()
    server = tf.train.Server.create_local_server()
    assert len(all_living() - before) == 3
    del server
    assert not all_living() - before


ADDRESSES = {"worker": ["localhost:40001"], "ps": ["localhost:40002"]}


@of_lanes
def test_servers_of_single_tasks(graph: tf.Graph) -> None:
    worker = tf.train.Server(ADDRESSES, "worker", 0)
    config = tf.ConfigProto(operation_timeout_in_ms=1)
    with tf.device("/job:ps"):
        variable = tf.Variable(1.0)
    started = time.monotonic()
    with pytest.raises(errors.DeadlineExceededError) as raised:
        Session(worker.target, config=config)
    assert time.monotonic() - started < 20.0
    message = raised.value.message
    assert "1 of 2 tasks have not started" in message
    assert f"{PS}: no server of it runs" in message and "GiB memory" in message
    assert "device_filters" in message and WORKER_0 not in message
    # Who does not need the missing task may go on.
    config = tf.ConfigProto(device_filters=["/job:worker"])
    with tf.Graph().as_default(), Session(worker.target, config=config) as session:
        assert session.run(tf.constant(1.0)) == 1.0
    # A session that waits sees the task start.
    opened: list[Session] = []
    thread = threading.Thread(target=lambda: opened.append(Session(worker.target, graph=graph)))
    thread.start()
    ps = tf.train.Server(ADDRESSES, "ps", 0)
    thread.join(60)
    (session,) = opened
    session.run(variable.initializer)
    assert session.run(variable) == 1.0
    with Session(ps.target) as other:
        # Another master of the same cluster: the variable is there, too.
        assert other.run(variable) == 1.0
        assert other.list_devices()[0].name == f"{PS}/device:CPU:0"
    with pytest.raises(errors.AlreadyExistsError, match="/job:ps"):
        tf.train.Server(ADDRESSES, "ps", 0)
    assert session.run(variable) == 1.0
    # The task dies, and is started again: its variables are lost, and sessions must be new.
    processes = living(cluster_of(ps))
    os.kill(processes[f"{PS}/device:CPU:0"], signal.SIGKILL)
    with pytest.raises(errors.UnavailableError, match=f"{PS}"):
        ps.join()
    with pytest.raises(errors.UnavailableError, match=PS):
        session.run(variable)
    session.close()
    ps.stop()
    ps = tf.train.Server(ADDRESSES, "ps", 0)
    with Session(worker.target) as fresh:
        with pytest.raises(errors.FailedPreconditionError, match="uninitialized"):
            fresh.run(variable)
        fresh.run(variable.initializer)
        assert fresh.run(variable) == 1.0
    ps.stop()
    worker.stop()


@of_lanes
def test_a_session_ray_cannot_place_says_so() -> None:
    config = tf.ConfigProto(device_count={"GPU": 1})
    before = ray.available_resources()["CPU"]
    started = time.monotonic()
    with pytest.raises(errors.ResourceExhaustedError, match=r"1 GPU\(s\).*Ray counts 0"):
        Session("ray", graph=tf.Graph(), config=config)
    assert time.monotonic() - started < 20.0
    with pytest.raises(errors.ResourceExhaustedError, match="/job:worker/replica:0/task:1"):
        tf.train.Server({"worker": 2}, config=config)
    assert eventually(lambda: ray.available_resources()["CPU"] >= before)


def test_collectives_between_workers(server: tf.train.Server, graph: tf.Graph) -> None:
    collectives = TensorflowModule("tensorflow.python.ops.collective_ops")
    reduced, sent = [], []
    x = tf.placeholder(tf.float32, [2])
    for index in range(2):
        with tf.device(f"/job:worker/task:{index}"):
            mine = x * (index + 1.0)
            reduced.append(collectives.all_reduce(mine, 2, 1, 1, "Add", "Div"))
            if index == 0:
                sent.append(collectives.broadcast_send(mine, [2], tf.float32, 2, 1, 2))
            else:
                sent.append(collectives.broadcast_recv([2], tf.float32, 2, 1, 2))
    with Session(server.target) as session:
        for _ in range(2):
            found = session.run([*reduced, *sent], {x: [2.0, 4.0]})
            assert [value.tolist() for value in found] == [[3.0, 6.0]] * 2 + [[2.0, 4.0]] * 2
        with pytest.raises(errors.InvalidArgumentError, match="not all of them run in this step"):
            session.run(reduced[0], {x: [2.0, 4.0]})
        assert session.run(sent, {x: [1.0, 1.0]})[1].tolist() == [1.0, 1.0]
