"""Programs of a cluster find each other by the addresses of their ClusterSpec."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import dataflow as tf
from dataflow.actors.ray.cluster import meeting, meeting_place, server
from dataflow.actors.ray.cluster.machines import RayUse
from dataflow.actors.ray.cluster.meeting import attend, is_needed, split_address
from dataflow.actors.ray.links.calls import split_target
from dataflow.actors.transfers.lanes.handshake import Keys
from dataflow.proto.tensorflow_server_pb2 import ServerDef
from tests.house.tree import ROOT
from tests.ray.processes import environment

pytestmark = [pytest.mark.ray(own=True)]

PROGRAM = Path(__file__).with_name("tutorial.py")


def free_addresses(count: int) -> list[str]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("localhost", 0))
        return [f"localhost:{each.getsockname()[1]}" for each in sockets]
    finally:
        for each in sockets:
            each.close()


class Programs:
    """Processes of one cluster of a ps and two workers."""

    def __init__(self, folder: Path, steps: int) -> None:
        ps, *workers = free_addresses(3)
        self.first = ps
        self._words = [
            f"--ps_hosts={ps}",
            f"--worker_hosts={','.join(workers)}",
            f"--folder={folder}",
            f"--steps={steps}",
        ]
        self._folder = folder
        self._running: list[subprocess.Popen[str]] = []

    def start(self, job: str, task: int) -> subprocess.Popen[str]:
        name = f"{job}{task}"
        self._log(name).touch()
        with self._log(name).open("a") as log:
            process = subprocess.Popen(
                [
                    sys.executable,
                    PROGRAM,
                    f"--job_name={job}",
                    f"--task_index={task}",
                    *self._words,
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**environment(), "PYTHONPATH": str(ROOT)},
            )
        self._running.append(process)
        return process

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.txt"

    def logged(self, name: str) -> str:
        return self._log(name).read_text()

    def wait_until_logged(self, name: str, text: str) -> None:
        deadline = time.monotonic() + 90
        while text not in self.logged(name):
            assert time.monotonic() < deadline, self.logged(name)
            time.sleep(0.2)

    def stop(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate()


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    made = Programs(tmp_path, 400)
    yield made
    made.stop()
    _wait_until_deserted(made.first)


def _wait_until_deserted(address: str) -> None:
    """Nobody is left at the meeting place: neither its process nor its Ray."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as asked:
            if asked.connect_ex(split_address(address)):
                return
        time.sleep(0.5)
    raise AssertionError(f"something listens at {address} still")


def test_in_any_order_one_late_and_one_killed(programs: Programs) -> None:
    chief, worker = programs.start("worker", 0), programs.start("worker", 1)
    for name in ("worker0", "worker1"):
        programs.wait_until_logged(name, "Waiting for The master of /job:worker")
    ps = programs.start("ps", 0)
    for process in (chief, worker):
        assert process.stdout is not None
        assert process.stdout.readline().startswith("training"), programs.logged("worker0")
    worker.kill()
    again = programs.start("worker", 1)
    for process in (chief, again):
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0, programs.logged("worker0") + programs.logged("worker1")
        assert 2.0 <= float(out.split()[-1]) < 2.1
    ps.send_signal(signal.SIGTERM)
    assert ps.wait(60) == -signal.SIGTERM


def test_something_else_listens_at_the_address() -> None:
    with socket.socket() as door:
        door.bind(("localhost", 0))
        door.listen()
        address = f"localhost:{door.getsockname()[1]}"
        door.settimeout(30)

        def answer() -> None:
            connection, _ = door.accept()
            with connection:
                connection.recv(1024)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n" + b"x" * 100)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(tf.errors.UnavailableError, match="Another program listens there"):
            attend(address, "cluster-1", "/job:worker/task:0", 5.0)
        thread.join()


def test_nobody_comes_to_another_machine() -> None:
    with pytest.raises(tf.errors.UnavailableError, match=r"waited 1 s .* at 192\.0\.2\.1:2222"):
        attend("192.0.2.1:2222", "cluster-1", "/job:worker/task:0", 1.0)


@pytest.mark.parametrize("address", ["nowhere", "host:", "host:port", "host:70000"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"host:port, not '{address}'"):
        split_address(address)


def test_who_proves_nothing_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting_place, "_EMPTY_SECONDS", 3.0)
    with socket.socket() as door:
        door.bind(("localhost", 0))
        door.listen()
        place = meeting_place.MeetingPlace(door, "cluster-1", "1.2.3.4:5")
        serving = threading.Thread(target=place.serve)
        serving.start()
        address = "localhost", door.getsockname()[1]
        with pytest.raises(meeting.HandshakeError):
            meeting._met(*address, "cluster-2", "another cluster's")
        with socket.create_connection(address) as silent:
            silent.sendall(b"x" * 200)
            silent.settimeout(60)
            with contextlib.suppress(ConnectionResetError):
                assert silent.recv(100) == b""
        attendance = meeting._met(*address, "cluster-1", "a program")
        assert attendance.ray_address == "1.2.3.4:5"
        serving.join(4.5)
        assert serving.is_alive()  # As long as somebody is there.
        attendance.end()
        serving.join(30)
        assert not serving.is_alive()


def test_an_address_that_was_changed_on_the_way() -> None:
    here, there = socket.socketpair()
    with here, there:
        keys = Keys(sends=b"a", receives=b"b")
        meeting.send_sealed(here, keys, "1.2.3.4:5")
        assert meeting.receive_sealed(there, Keys(b"b", b"a")) == "1.2.3.4:5"
        meeting.send_sealed(here, keys, "1.2.3.4:5")
        with pytest.raises(meeting.HandshakeError, match="changed on the way"):
            meeting.receive_sealed(there, Keys(b"b", b"c"))


def test_where_programs_need_not_look(ray_cluster: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_needed("localhost:2222")  # This process has joined a Ray.
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert is_needed("localhost:2222")
    assert not is_needed("localhost:0") and not is_needed("")
    for named in ("local", "somewhere:1"):
        monkeypatch.setenv("RAY_ADDRESS", named)
        assert not is_needed("localhost:2222")


def test_a_program_stays_as_long_as_one_of_its_servers_runs(
    ray_cluster: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second server uses the Ray that the first one has found."""
    uses = RayUse()
    monkeypatch.setattr(meeting_place, "_EMPTY_SECONDS", 3.0)
    monkeypatch.setattr(server, "ray_use", uses)
    with socket.socket() as door:
        door.bind(("localhost", 0))
        door.listen()
        address = f"localhost:{door.getsockname()[1]}"
        spec = tf.train.ClusterSpec({"ps": [address], "worker": free_addresses(1)})
        first, second = (
            server.RayServer(ServerDef(cluster=spec.as_cluster_def(), job_name=job))
            for job in ("ps", "worker")
        )
        cluster, _ = split_target(first.target)
        place = meeting_place.MeetingPlace(door, cluster, "1.2.3.4:5")
        serving = threading.Thread(target=place.serve)
        serving.start()
        monkeypatch.setattr(server, "is_needed", lambda address: True)
        first._acquire_ray()
        monkeypatch.setattr(server, "is_needed", lambda address: False)
        second._acquire_ray()
        uses.release()
        serving.join(4.5)
        assert serving.is_alive()
        uses.release()
        serving.join(30)
        assert not serving.is_alive()
