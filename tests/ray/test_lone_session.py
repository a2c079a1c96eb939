"""Sessions on target "ray": their actors, what they share, and that nothing is left of them."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray

import dataflow as tf
from dataflow import errors
from dataflow.actors.messages import DeviceUsage
from dataflow.actors.ray_launch import _check
from dataflow.session import Session
from tests.house.tree import PACKAGES, ROOT
from tests.ray.actors import TASK, all_living, cluster_of, eventually, is_running, living, usage
from tests.ray.transports import OBJECT_STORE

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]


def two_devices() -> tf.ConfigProto:
    return tf.ConfigProto(device_count={"CPU": 2})


def test_actors_from_start_to_end() -> None:
    threads = threading.active_count()
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        with tf.device("/cpu:1"):
            y = x * 2.0
        with tf.device("/cpu:0"):
            z = y + 1.0
        session = Session("ray", config=two_devices())
        assert session.run(z, {x: [1.0, 2.0]}).tolist() == [3.0, 5.0]
    cluster = cluster_of(session)
    processes = living(cluster)
    devices = {f"{TASK}/device:CPU:0", f"{TASK}/device:CPU:1"}
    assert processes.keys() == {TASK, f"{TASK}/master", *devices}
    assert len(set(processes.values())) == 4
    assert {device.name for device in session.list_devices()} == devices
    # Nothing is taken from what Ray has.
    assert eventually(lambda: ray.available_resources()["CPU"] == 2)
    session.close()
    assert living(cluster) == {}
    assert eventually(lambda: not any(map(is_running, processes.values())))
    assert threading.active_count() <= threads
    with pytest.raises(ValueError, match="Failed to look up actor"):
        ray.get_actor(f"{cluster}{TASK}/master", namespace="dataflow")


def test_open_sessions_share_actors_but_no_state() -> None:
    config = two_devices()
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:1"):
            variable = tf.Variable(1.0, name="v")
        more = tf.assign_add(variable, 1.0)
        noise = tf.random_uniform([2], seed=3)
        first = Session("ray", config=config)
        first.run(variable.initializer)
        assert first.run(more) == 2.0
        second = Session("ray", config=config)
        assert cluster_of(first) == cluster_of(second)
        with pytest.raises(errors.FailedPreconditionError, match="uninitialized value v"):
            second.run(variable)
        second.run(variable.initializer)
        assert second.run(more) == 2.0
        assert first.run(more) == 3.0
        # Each starts the sequence of random numbers anew.
        assert first.run(noise).tolist() == second.run(noise).tolist()
        held = usage(first)
        assert all(device.isolated == 2 for device in held.values())
        first.close()
        assert second.run(more) == 3.0
        third = Session("ray", config=config, graph=graph)
        third.run(variable.initializer)
        assert third.run([more, variable.initializer])[0] in (1.0, 2.0)
        third.close()
        held = usage(second)
        assert {device.isolated for device in held.values()} == {1}
        cluster = cluster_of(second)
        # A session with other options has actors of its own.
        with Session("ray") as other:
            assert cluster_of(other) != cluster
        second.close()
    assert living(cluster) == {}


def test_a_closed_session_leaves_nothing_on_shared_devices(transport: str) -> None:
    empty = DeviceUsage(plans=0, steps=0, piecewise=0, rendezvous=0, kernels=0, isolated=0)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        value = tf.random_uniform([], seed=1) + tf.Variable(tf.ones([3]), name="v")
        watching = Session("ray", graph=tf.Graph())
        before = usage(watching)
        session = Session("ray")
        session.run(tf.global_variables_initializer())
        session.run([value, x + 1.0], {x: [1.0]})
        call = session.make_callable(value)
        assert call().shape == (3,)
        session.partial_run_setup([x + 2.0], [x])
        (device,) = usage(session).values()
        assert device.plans >= 4 and device.kernels >= 1
        assert device.steps == 1
        # Over a lane fetches are sent as they come: nothing is kept to be asked for.
        assert device.piecewise == (transport == OBJECT_STORE)
        session.close()
        assert eventually(lambda: usage(watching) == before)
        assert before == {f"{TASK}/device:CPU:0": empty}
        watching.close()


def test_forgotten_session_takes_its_actors_along() -> None:
    before = all_living()
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        session = Session("ray", config=tf.ConfigProto(inter_op_parallelism_threads=1))
        session.run(x)
        assert len(all_living() - before) == 3
        del session
        gc.collect()
    assert all_living() == before


def test_library_threads_and_pool() -> None:
    """A lone device actor has all cores, whatever Ray allows an actor without reserved CPUs."""
    with tf.Graph().as_default(), Session("ray") as session:
        actor = ray.get_actor(f"{cluster_of(session)}{TASK}/device:CPU:0", namespace="dataflow")

        def threads(shell: Any) -> tuple[set[int], int]:
            from threadpoolctl import threadpool_info

            found = {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"}
            return found, shell._shell._device.executor._helpers.limit

        libraries, kernels = ray.get(actor.__ray_call__.remote(threads))
        # Kernels split their work over the device's threads; the libraries shall add none.
        assert libraries == {1}
        assert kernels == len(os.sched_getaffinity(0))


def test_a_package_that_is_not_there_is_told_of() -> None:
    @ray.remote(num_cpus=0)
    class Actor:
        def __init__(self) -> None:
            raise ModuleNotFoundError("No module named 'dataflow'")

        def ready(self) -> None:
            """Never answers."""

    with pytest.raises(errors.FailedPreconditionError, match=r"not installed.*py_modules"):
        _check(Actor.remote().ready.remote(), "/job:worker")


PROGRAM = """
import sys
sys.path.insert(0, {root!r})
import ray
{before}
import dataflow as tf
assert tf.__file__.startswith({root!r})
with tf.Session("") as local:
    print("out: local", local.run(tf.constant(1.0)))
session = tf.Session("ray")
print("out: value", session.run(tf.constant(2.0) * 3.0))
print("out: joined", ray.is_initialized())
cluster = session._link.runtime._sessions[session._link.handle].connection._cluster
device = ray.get_actor(cluster + session.list_devices()[0].name, namespace="dataflow")
file = ray.get(device.__ray_call__.remote(lambda _: __import__("dataflow").__file__))
print("out: same package", file == tf.__file__)
{after}
"""


def run_program(text: str, cwd: Path) -> list[str]:
    """What a program prints after "out: ", run where it finds no checkout and no Ray by itself."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RAY_ADDRESS")}
    # Not `cwd`: the name of a Unix socket has room for 107 bytes.
    with tempfile.TemporaryDirectory(prefix="df-", dir="/tmp") as home:
        done = _run(text, cwd, {**environment, "RAY_TMPDIR": home})
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    # Ray writes there, too.
    return [line[5:] for line in done.stdout.splitlines() if line.startswith("out: ")]


def _run(text: str, cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", text],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


BEGINNING = ["local 1.0", "value 6.0", "joined True", "same package True"]


def test_starts_ray_and_stops_it_again(tmp_path: Path) -> None:
    """Also: a checkout that only the driver's path knows works in the actors."""
    for name in PACKAGES:
        (tmp_path / "copy" / name).parent.mkdir(exist_ok=True)
        shutil.copytree(ROOT / name, tmp_path / "copy" / name, symlinks=True)
    after = "session.close()\nprint('out: after', ray.is_initialized())"
    program = PROGRAM.format(root=str(tmp_path / "copy"), before="", after=after)
    assert run_program(program, tmp_path) == [*BEGINNING, "after False"]


def test_joins_ray_and_leaves_it_running(tmp_path: Path) -> None:
    after = "session.close()\nprint('out: after', ray.is_initialized())"
    start = (
        "ray.init(address='local', num_cpus=1, object_store_memory=10**8, include_dashboard=False)"
    )
    program = PROGRAM.format(root=str(ROOT), before=start, after=after)
    assert run_program(program, tmp_path) == [*BEGINNING, "after True"]


def test_a_program_may_end_with_its_session_open(tmp_path: Path) -> None:
    program = PROGRAM.format(root=str(ROOT), before="", after="")
    assert run_program(program, tmp_path) == BEGINNING


def test_values_are_the_callers_own() -> None:
    with tf.Graph().as_default(), Session("ray") as session:
        x = tf.placeholder(tf.float32, [None])
        variable = tf.Variable(tf.zeros([4]))
        session.run(variable.initializer)
        for fetched in session.run([variable, x + 1.0, x * 2.0], {x: np.ones(4)}):
            fetched[:] = 7.0
        assert session.run(variable).tolist() == [0.0] * 4


SHUTDOWN = """
import sys
sys.path.insert(0, {root!r})
import ray
import dataflow as tf
options = dict(address="local", num_cpus=2, object_store_memory=10**8, include_dashboard=False)
ray.init(**options)
x = tf.placeholder(tf.float32, [])
y = tf.identity(x)
session = tf.Session("ray")
print("out: first", session.run(y, {{x: 1.0}}))
ray.shutdown()
try:
    session.run(y, {{x: 1.0}})
except tf.errors.UnavailableError as error:
    print("out: after shutdown", "shut down" in error.message)
ray.init(**options)
try:
    session.run(y, {{x: 1.0}})
except tf.errors.OpError as error:
    print("out: in another Ray", type(error).__name__)
other = tf.Session("ray")
print("out: new session", other.run(y, {{x: 2.0}}))
session.close()
print("out: still", other.run(y, {{x: 3.0}}))
other.close()
print("out: end", ray.is_initialized())
"""


def test_ray_that_is_shut_down_under_a_session(tmp_path: Path) -> None:
    assert run_program(SHUTDOWN.format(root=str(ROOT)), tmp_path) == [
        "first 1.0",
        "after shutdown True",
        "in another Ray UnavailableError",
        "new session 2.0",
        "still 3.0",
        "end True",
    ]
