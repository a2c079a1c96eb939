"""Which Ray a program joins or starts, and how long it waits for one that does not answer."""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from dataflow.actors.ray.cluster.waiting import awaited
from tests.house.tree import ROOT
from tests.ray.actors import eventually
from tests.ray.processes import environment, ray_address, write_address_file

pytestmark = [pytest.mark.ray]

LONE_RAY = """
import ray, sys, time
ray.init(address="local", num_cpus=1, object_store_memory=10**8, include_dashboard=False,
         _temp_dir=sys.argv[1], log_to_driver=False)
print("at", ray.get_runtime_context().gcs_address, flush=True)
time.sleep(600)
"""

OPEN = """
import time
import ray
import dataflow as tf
start = time.monotonic()
try:
    with tf.Session({target!r}) as session:
        print("out: value", session.run(tf.constant(2.0) * 3.0))
        print("out: at", ray.get_runtime_context().gcs_address)
except tf.errors.OpError as error:
    print("out:", type(error).__name__, error.message)
print("out: seconds", time.monotonic() - start)
"""

CLIENT = "ray:cluster/job:worker/replica:0/task:0"

SERVER = """
import time
import dataflow as tf
start = time.monotonic()
try:
    tf.train.Server(tf.train.ClusterSpec({"worker": 1}))
except tf.errors.OpError as error:
    print("out:", type(error).__name__, error.message)
print("out: seconds", time.monotonic() - start)
"""

KILL = """
import os, pathlib
import ray
ray.init(address=os.environ["RAY_ADDRESS"], log_to_driver=False, logging_level="ERROR")
for process in {processes}:
    os.kill(process, 9)
pathlib.Path({file!r}).touch()
"""

LEAVE = """
import os
os._exit(0)  # Else Ray waits for the dead one at the end, and fails the program.
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for Ray; the name of a Unix socket has room for 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="df-", dir="/tmp", ignore_cleanup_errors=True) as path:
        yield Path(path)


def run(program: str, home: Path, **variables: str) -> tuple[dict[str, str], str]:
    """What a program prints after "out: ", by the first word, and all that it warns of."""
    done = subprocess.run(
        [sys.executable, "-u", "-c", program],
        cwd=ROOT,
        env={**environment(), "RAY_TMPDIR": str(home), "RAY_AUTH_MODE": "token", **variables},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line[5:] for line in done.stdout.splitlines() if line.startswith("out: ")]
    return {line.partition(" ")[0]: line.partition(" ")[2] for line in lines}, done.stderr


@contextmanager
def lone_ray(home: Path) -> Iterator[tuple[str, list[int]]]:
    """A Ray of a program of its own: its address, and the ids of its processes."""
    program = subprocess.Popen(
        [sys.executable, "-c", LONE_RAY, str(home / "lone")],
        env={**environment(), "RAY_AUTH_MODE": "token"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert program.stdout is not None
    with program:
        line = next(line for line in program.stdout if line.startswith("at "))
        processes = _with_descendants(program.pid)
        try:
            yield line.split()[1], processes
        finally:
            kill(processes)


def kill(processes: list[int]) -> None:
    for process in processes:
        try:
            os.kill(process, 9)
        except ProcessLookupError:
            pass


def _with_descendants(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task").glob("*/children")
    found = [int(word) for file in children for word in file.read_text().split()]
    return [process, *(one for child in found for one in _with_descendants(child))]


def killed_ray(home: Path) -> str:
    """Where a Ray was before it was killed."""
    with lone_ray(home) as (address, processes):
        kill(processes)
    return address


@pytest.mark.long
def test_the_file_of_a_killed_ray_leads_nowhere(home: Path) -> None:
    address = killed_ray(home)
    write_address_file(home, address)
    said, errors = run(OPEN.format(target="ray"), home)
    assert said["value"] == "6.0"
    assert said["at"] != address
    assert address not in errors


@pytest.mark.long
def test_a_living_ray_that_nobody_names_is_left_alone(ray_cluster: None, home: Path) -> None:
    write_address_file(home, ray_address())
    said, _ = run(OPEN.format(target="ray"), home)
    assert said["value"] == "6.0"
    assert said["at"] != ray_address()


def test_the_environment_names_it(ray_cluster: None, home: Path) -> None:
    said, _ = run(OPEN.format(target="ray"), home, RAY_ADDRESS=ray_address())
    assert said["value"] == "6.0"
    assert said["at"] == ray_address()


@pytest.mark.long
def test_a_killed_ray_is_given_up(home: Path) -> None:
    """Also by a server, a client of one, and a program that has joined it; all at once, for each
    waits as long as it may."""
    with ThreadPoolExecutor() as pool, lone_ray(home) as (address, processes):
        mark = home / "killed"
        killing = KILL.format(processes=processes, file=str(mark)) + OPEN.format(target="ray")
        joined = pool.submit(run, killing + LEAVE, home, RAY_ADDRESS=address)
        while not mark.exists():
            assert not joined.done(), joined.result()
            time.sleep(0.1)
        programs = (OPEN.format(target="ray"), OPEN.format(target=CLIENT), SERVER)
        others = [pool.submit(run, program, home, RAY_ADDRESS=address) for program in programs]
    for other in others:
        said, errors = other.result()
        assert float(said["seconds"]) < 100
        message = said["UnavailableError"]
        assert message.startswith(f"RAY_ADDRESS is '{address}', and no Ray has answered there")
        assert "Connection refused" in message and "without it an own Ray is started" in message
        assert f"Waiting for the Ray that RAY_ADDRESS names, '{address}', to answer: 5 s" in errors
    said, _ = joined.result()
    assert float(said["seconds"]) < 100
    assert f"joined the Ray at '{address}', and that has not" in said["UnavailableError"]
    assert "ray.shutdown()" in said["UnavailableError"]


@pytest.mark.long
def test_something_else_listens_at_the_address(home: Path) -> None:
    with socket.create_server(("0.0.0.0", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        said, _ = run(OPEN.format(target="ray"), home, RAY_ADDRESS=address)
    assert float(said["seconds"]) < 100
    assert "something listens there that does not answer as Ray" in said["UnavailableError"]


@pytest.mark.parametrize("address", ["nowhere", "host:", "ray://host"])
def test_what_is_no_address(address: str, home: Path) -> None:
    said, _ = run(OPEN.format(target="ray"), home, RAY_ADDRESS=address)
    assert f"'{address}', which is no address of a Ray" in said["InvalidArgumentError"]
    assert float(said["seconds"]) < 40


@pytest.mark.parametrize("variables", [{}, {"RAY_ADDRESS": "local"}])
def test_a_client_of_a_server_starts_no_ray(variables: dict[str, str], home: Path) -> None:
    said, _ = run(OPEN.format(target=CLIENT), home, **variables)
    assert "set RAY_ADDRESS to that Ray's host:port" in said["NotFoundError"]
    assert float(said["seconds"]) < 40


def test_a_ray_without_its_token(ray_cluster: None, home: Path) -> None:
    variables = {"RAY_ADDRESS": ray_address(), "RAY_AUTH_MODE": "disabled"}
    said, _ = run(OPEN.format(target="ray"), home, **variables)
    assert "that Ray cannot be joined" in said["UnavailableError"]
    assert "RAY_AUTH_MODE" in said["UnavailableError"]
    assert float(said["seconds"]) < 100


def test_the_words_of_a_wait(caplog: pytest.LogCaptureFixture) -> None:
    missing = ["a", "b"]

    def said() -> list[str]:
        """What was said, without how long it has taken so far; each time once."""
        texts = [record.getMessage() for record in caplog.records]
        return list(dict.fromkeys(re.sub(r": \d+ s of", ": ... s of", text) for text in texts))

    with caplog.at_level(logging.WARNING, "dataflow"):
        with awaited(lambda: f"Ray to start {', '.join(missing)}", 9.0, every=0.02):
            assert eventually(lambda: len(said()) == 1)
            missing.remove("a")
            assert eventually(lambda: len(said()) == 2)
        with awaited("what comes at once"):
            pass
    assert said() == [
        "Waiting for Ray to start a, b: ... s of at most 9 s so far.",
        "Waiting for Ray to start b: ... s of at most 9 s so far.",
    ]
