"""`ray job submit --working-dir .` from a checkout that is installed nowhere on the cluster."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.house.tree import ROOT

pytestmark = [pytest.mark.long, pytest.mark.ray, pytest.mark.timeout(300)]

RAY = [sys.executable, "-m", "ray.scripts.scripts"]
START_TIMEOUT_S = 90
JOB_TIMEOUT_S = 120


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for item in sockets:
            item.bind(("127.0.0.1", 0))
        return [item.getsockname()[1] for item in sockets]


def _environment() -> dict[str, str]:
    """An activated environment, without what points to another cluster or another dataflow."""
    dropped = ("PYTHONPATH", "RAY_ADDRESS", "RAY_API_SERVER_ADDRESS")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**kept, "PATH": path, "RAY_USAGE_STATS_ENABLED": "0"}


@pytest.fixture(scope="module")
def dashboard() -> Iterator[str]:
    """Address of the job server of a cluster of one node; the cluster is gone afterwards."""
    # Not tmp_path: the name of a Unix socket has room for 107 bytes.
    home = Path(tempfile.mkdtemp(prefix="df-", dir="/tmp"))
    port, dashboard_port, agent, metrics, client = _free_ports(5)
    command = [*RAY, "start", "--head", "--block", "--disable-usage-stats"]
    command += [f"--port={port}", f"--dashboard-port={dashboard_port}", "--num-cpus=2"]
    command += [f"--dashboard-agent-listen-port={agent}", f"--metrics-export-port={metrics}"]
    command += [f"--ray-client-server-port={client}", "--num-gpus=0", f"--temp-dir={home}"]
    command += ["--object-store-memory=100000000", "--include-dashboard=true"]
    log = home / "ray-start.log"
    with log.open("wb") as output:
        head = subprocess.Popen(
            command,
            cwd=home,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address = f"http://127.0.0.1:{dashboard_port}"
        _wait_for_job_server(address, head, log)
        yield address
    finally:
        _stop(head, home)
        shutil.rmtree(home, ignore_errors=True)


def _wait_for_job_server(address: str, head: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        listing = [*RAY, "job", "list", "--address", address]
        done = subprocess.run(listing, env=_environment(), capture_output=True, text=True)
        if done.returncode == 0:
            return
        started = head.poll() is None and time.monotonic() < deadline
        assert started, f"no job server\n{log.read_text()}\n{done.stderr}"


def _processes_of(home: Path) -> list[int]:
    """Processes of the cluster: each names the session's folder on its command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(home) in command:
            found.append(int(entry.name))
    return found


def _stop(head: subprocess.Popen[bytes], home: Path) -> None:
    """Ends this cluster alone: `ray stop` would end every Ray on the machine."""
    head.terminate()
    try:
        head.wait(30)
    except subprocess.TimeoutExpired:
        head.kill()
        head.wait()
    for pid in _processes_of(home):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _submit(address: str, script: str) -> str:
    """Output of a job that runs a file of the checkout."""
    command = [*RAY, "job", "submit", "--address", address, "--working-dir", "."]
    done = subprocess.run(
        [*command, "--", "python", script],
        cwd=ROOT,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=JOB_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_job_imports_the_uploaded_checkout(dashboard: str) -> None:
    output = _submit(dashboard, "tests/ray/programs/job_imports.py")
    files = re.findall(r"^(driver|worker) (.*)$", output, re.MULTILINE)
    assert [who for who, _ in files] == ["driver", "worker", "worker", "worker"]
    for _, file in files:
        assert "working_dir_files" in file
        assert not Path(file).is_relative_to(ROOT)


def test_job_runs_a_graph_on_the_cluster(dashboard: str) -> None:
    output = _submit(dashboard, "tests/ray/programs/job_on_cluster.py")
    assert re.search(r"^value 6\.0$", output, re.MULTILINE)
    assert re.search(r"^imported from .*working_dir_files", output, re.MULTILINE)
