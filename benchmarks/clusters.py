"""Clusters of two workers: TensorFlow's, ours on this machine, ours on two simulated ones."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

WORKERS: Final = 2
_SERVER: Final = Path(__file__).parent / "oracle_server.py"
_STORE: Final = 2**30
"""Bytes of the object store of a simulated machine."""


@contextmanager
def tensorflow_cluster() -> Iterator[str]:
    """TensorFlow's grpc runtime: a process for each worker; gives the target of the first.

    Raises:
      RuntimeError: A server does not start.
    """
    addresses = [f"localhost:{port}" for port in _free_ports(WORKERS)]
    with ExitStack() as stack:
        servers = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, str(_SERVER), str(task), *addresses],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
            )
            for task in range(WORKERS)
        ]
        try:
            for task, server in enumerate(servers):
                assert server.stdout is not None
                if server.stdout.readline() != "ready\n":
                    raise RuntimeError(f"TensorFlow's server {task} at {addresses[task]} failed.")
            yield f"grpc://{addresses[0]}"
        finally:
            for server in servers:
                assert server.stdin is not None
                server.stdin.close()
            for server in servers:
                server.wait(20)


@contextmanager
def own_ray(**options: Any) -> Iterator[None]:
    """A Ray of this process alone, whatever else runs here.

    Args:
      **options: Further arguments of `ray.init`.
    """
    import ray

    ray.init(
        address="local",
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _system_config={"worker_niceness": 0, "memory_monitor_refresh_ms": 0},
        **options,
    )
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def one_machine() -> Iterator[str]:
    """Our workers on this machine; gives the target."""
    import dataflow

    with own_ray():
        server = dataflow.train.Server({"worker": [f"localhost:{i}" for i in range(WORKERS)]})
        try:
            yield server.target
        finally:
            server.stop()


@contextmanager
def two_machines() -> Iterator[str]:
    """Our workers on two simulated machines, each with a Ray node of its own; gives the target."""
    import ray
    from ray.cluster_utils import Cluster

    import dataflow

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": _STORE}
    head = node | {"include_dashboard": False, "_system_config": {"worker_niceness": 0}}
    # A cluster that is running already is none of this one's.
    kept = os.environ.pop("RAY_ADDRESS", None)
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(WORKERS - 1):
            cluster.add_node(**node)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        server = dataflow.train.Server(dataflow.train.ClusterSpec({"worker": WORKERS}))
        try:
            yield server.target
        finally:
            server.stop()
    finally:
        ray.shutdown()
        cluster.shutdown()
        if kept is not None:
            os.environ["RAY_ADDRESS"] = kept


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("localhost", 0))
        return [each.getsockname()[1] for each in sockets]
