"""Programs of their own on target "ray": whose Ray it is, who ends it, and where the package is."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import ray

from dataflow import errors
from dataflow.actors.ray.actors.shortage import Need
from dataflow.actors.ray.cluster.launch import _check
from tests.house.tree import PACKAGES, ROOT
from tests.ray.actors import all_living
from tests.ray.processes import environment, ray_address

pytestmark = [pytest.mark.ray]


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
    # Not `cwd`: the name of a Unix socket has room for 107 bytes.
    with tempfile.TemporaryDirectory(prefix="df-", dir="/tmp") as home:
        done = _run(text, cwd, {**environment(), "RAY_TMPDIR": home})
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


@pytest.mark.ray(own=True)
def test_starts_ray_and_stops_it_again(tmp_path: Path) -> None:
    """Also: a checkout that only the driver's path knows works in the actors."""
    for name in PACKAGES:
        (tmp_path / "copy" / name).parent.mkdir(exist_ok=True)
        shutil.copytree(ROOT / name, tmp_path / "copy" / name, symlinks=True)
    after = "session.close()\nprint('out: after', ray.is_initialized())"
    program = PROGRAM.format(root=str(tmp_path / "copy"), before="", after=after)
    assert run_program(program, tmp_path) == [*BEGINNING, "after False"]


def test_joins_ray_and_leaves_it_running(ray_cluster: None, tmp_path: Path) -> None:
    before = all_living()
    after = "session.close()\nprint('out: after', ray.is_initialized())"
    join = f"ray.init({ray_address()!r}, log_to_driver=False)"
    program = PROGRAM.format(root=str(ROOT), before=join, after=after)
    assert run_program(program, tmp_path) == [*BEGINNING, "after True"]
    assert not all_living() - before


@pytest.mark.long
def test_a_program_may_end_with_its_session_open(tmp_path: Path) -> None:
    program = PROGRAM.format(root=str(ROOT), before="", after="")
    assert run_program(program, tmp_path) == BEGINNING


SHUTDOWN = """
import sys
sys.path.insert(0, {root!r})
import ray
import dataflow as tf
ray.init("local", num_cpus=2, object_store_memory=10**8, include_dashboard=False)
x = tf.placeholder(tf.float32, [])
y = tf.identity(x)
session = tf.Session("ray")
print("out: first", session.run(y, {{x: 1.0}}))
ray.shutdown()
try:
    session.run(y, {{x: 1.0}})
except tf.errors.UnavailableError as error:
    print("out: after shutdown", "shut down" in error.message)
ray.init({another!r}, log_to_driver=False)
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


@pytest.mark.long
def test_ray_that_is_shut_down_under_a_session(ray_cluster: None, tmp_path: Path) -> None:
    program = SHUTDOWN.format(root=str(ROOT), another=ray_address())
    assert run_program(program, tmp_path) == [
        "first 1.0",
        "after shutdown True",
        "in another Ray UnavailableError",
        "new session 2.0",
        "still 3.0",
        "end True",
    ]


IN_A_STEP = """
import sys, threading, time
sys.path.insert(0, {root!r})
import ray
import dataflow as tf
ray.init("local", num_cpus=2, object_store_memory=10**8, include_dashboard=False)
go_on = tf.placeholder(tf.bool, [])
end = tf.while_loop(lambda i: go_on, lambda i: i * 0, [0])
config = tf.ConfigProto()
config.rpc_options.use_rpc_for_inprocess_master = {calls}
session = tf.Session("ray", config=config)
print("out: ends", session.run(end, {{go_on: False}}))

def run():
    try:
        session.run(end, {{go_on: True}})
    except tf.errors.UnavailableError as error:
        print("out: in a step", "shut down" in error.message)

thread = threading.Thread(target=run, daemon=True)
thread.start()
time.sleep(0.5)
ray.shutdown()
thread.join(30)
print("out: is over", not thread.is_alive())
"""


@pytest.mark.long
@pytest.mark.parametrize("calls", [False, True])
def test_ray_that_is_shut_down_in_a_step(tmp_path: Path, calls: bool) -> None:
    program = IN_A_STEP.format(root=str(ROOT), calls=calls)
    assert run_program(program, tmp_path) == ["ends 0", "in a step True", "is over True"]


def test_a_package_that_is_not_there_is_told_of(ray_cluster: None) -> None:
    @ray.remote(num_cpus=0)
    class Actor:
        def __init__(self) -> None:
            raise ModuleNotFoundError("No module named 'dataflow'")

        def ready(self) -> None:
            """Never answers."""

    with pytest.raises(errors.FailedPreconditionError, match=r"not installed.*py_modules"):
        _check(Actor.remote().ready.remote(), Need("name", "/job:worker", "node"))
