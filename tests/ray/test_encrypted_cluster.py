"""Two simulated machines whose Ray uses TLS: sessions, servers, and who has no certificate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ray._private.services import get_node_ip_address

from tests.actors.transfers.certificates import Authority
from tests.house.tree import ROOT
from tests.ray.processes import environment

pytestmark = [pytest.mark.ray, pytest.mark.long]

JOIN = "import ray, sys; ray.init(sys.argv[1], log_to_driver=False); print('joined')"


def test_a_cluster_that_encrypts(tmp_path: Path) -> None:
    files = Authority(tmp_path).files(address=get_node_ip_address())
    switches = {
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": files.certificate,
        "RAY_TLS_SERVER_KEY": files.key,
        "RAY_TLS_CA_CERT": files.authority,
    }
    cluster = subprocess.Popen(
        [sys.executable, "-m", "tests.ray.encrypted_cluster"],
        cwd=ROOT,
        env=environment() | switches,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert cluster.stdin is not None and cluster.stdout is not None
    said: list[str] = []
    for line in cluster.stdout:
        said += [line.strip()] * line.startswith("out: ")
        if line.startswith("out: address: "):
            break
    address = said.pop().removeprefix("out: address: ")
    try:
        assert said == ["out: right: True", "out: devices encrypt: True", "out: right: True"]
        assert joins(address, switches)
        assert not joins(address, {"RAY_USE_TLS": "0"})
    finally:
        cluster.communicate("\n", timeout=60)
    assert cluster.returncode == 0


def joins(address: str, switches: dict[str, str]) -> bool:
    """Whether a process with these switches gets into the cluster within 40 s."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", JOIN, address],
            env=environment() | switches | {"RAY_gcs_rpc_server_reconnect_timeout_s": "5"},
            capture_output=True,
            text=True,
            timeout=40,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return "joined" in done.stdout


def test_files_that_are_missing_are_named() -> None:
    text = "import dataflow as tf; tf.Session('ray')"
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=ROOT,
        env=environment() | {"RAY_USE_TLS": "1", "RAY_TLS_SERVER_CERT": os.devnull},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode != 0
    assert "there is none for: key, authority" in done.stderr
