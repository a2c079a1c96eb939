"""Replicas of Ray Serve behind the command: one is killed while it is asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.ray.processes import environment, ray_address, write_address_file
from tests.serving.running import Client

SECONDS = 20.0


def _replicas(server: int) -> list[int]:
    """The processes of the replicas that a server started, by their titles."""
    parents: dict[int, int] = {}
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            title = (entry / "cmdline").read_bytes()
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents[int(entry.name)] = parent
        if title.startswith(b"ray::ServeReplica"):
            found.append(int(entry.name))

    def is_below(process: int) -> bool:
        while process in parents and process != server:
            process = parents[process]
        return process == server

    return [each for each in found if is_below(each)]


@pytest.mark.long
def test_no_answer_is_lost_when_a_replica_dies(factors: Path, ray_cluster: None) -> None:
    """On an own Ray, though another one runs that nobody has named."""
    # The name of a Unix socket has room for 107 bytes.
    with tempfile.TemporaryDirectory(prefix="df-", dir="/tmp", ignore_cleanup_errors=True) as home:
        write_address_file(Path(home), ray_address())
        command = [sys.executable, "-m", "dataflow", "serve", str(factors), "--model-name", "m"]
        command += ["--rest-port", "0", "--grpc-port", "0", "--json"]
        command += ["--target", "ray", "--replicas", "2"]
        variables = {**environment(), "PYTHONPATH": str(ROOT), "RAY_TMPDIR": home}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables) as server:
            try:
                assert server.stdout is not None
                ports = json.loads(server.stdout.readline())
                replicas, answers = _asked(Client(ports["rest"], ports["grpc"]), server.pid)
            finally:
                server.terminate()
                status = server.wait(120)
    assert (len(replicas), status) == (2, 0)
    assert answers
    assert all(each == (200, [[3.0, 6.0]]) for each in answers)


def _asked(client: Client, server: int) -> tuple[list[int], list[tuple[int, object]]]:
    """The replicas that there were before one was killed, and all answers."""
    answers: list[tuple[int, object]] = []
    end = time.monotonic() + SECONDS

    def ask() -> None:
        while time.monotonic() < end:
            reply = client.predict({"instances": [[1, 2]]})
            answers.append((reply.status, reply.json.get("predictions")))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS / 4)
    replicas = _replicas(server)
    os.kill(replicas[0], signal.SIGKILL)
    for thread in threads:
        thread.join()
    return replicas, answers
