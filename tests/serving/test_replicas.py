"""Replicas of Ray Serve behind the command: one is killed while it is asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.house.tree import ROOT
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
def test_no_answer_is_lost_when_a_replica_dies(factors: Path) -> None:
    command = [sys.executable, "-m", "dataflow", "serve", str(factors), "--model-name", "m"]
    command += ["--rest-port", "0", "--grpc-port", "0", "--json"]
    server = subprocess.Popen(
        [*command, "--target", "ray", "--replicas", "2"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert server.stdout is not None
        ports = json.loads(server.stdout.readline())
        client = Client(ports["rest"], ports["grpc"])
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
        first = _replicas(server.pid)
        os.kill(first[0], signal.SIGKILL)
        for thread in threads:
            thread.join()
        assert len(first) == 2
        assert answers
        assert all(each == (200, [[3.0, 6.0]]) for each in answers)
    finally:
        server.terminate()
        status = server.wait(120)
    assert status == 0
