"""What the tests see of actors: which live, in which processes, and what their devices hold."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import ray
from ray._private import state

from dataflow.actors.ray.links.calls import NAMESPACE
from dataflow.actors.wire.codec import decode, encode
from dataflow.actors.wire.messages import AskUsage, DeviceUsage
from dataflow.session.session import Session

TASK = "/job:worker/replica:0/task:0"


def cluster_of(session: Session) -> str:
    """The first part of the names of a session's actors."""
    runtime: Any = session._link.runtime
    return str(runtime._sessions[session._link.handle].connection._cluster)


def living(cluster: str) -> dict[str, int]:
    """The actors of a cluster that are not dead: the rest of the name, and the process."""
    return {
        actor["Name"].removeprefix(cluster): actor["Pid"]
        for actor in state.actors().values()
        if actor["Name"].startswith(cluster) and actor["State"] != "DEAD"
    }


def process_of(cluster: str, name: str) -> int:
    """The process of an actor of a cluster, by the rest of its name, once it has one."""
    assert eventually(lambda: living(cluster).get(name, 0) > 0, 60.0), f"{name} does not start"
    return living(cluster)[name]


def all_living() -> set[str]:
    """Names of all actors of this library that are not dead."""
    found = state.actors().values()
    return {a["Name"] for a in found if "/job:" in a["Name"] and a["State"] != "DEAD"}


def usage(session: Session) -> dict[str, DeviceUsage]:
    """What the devices of a session hold."""
    cluster = cluster_of(session)
    names = [device.name for device in session.list_devices()]
    return {name: usage_of(ray.get_actor(cluster + name, namespace=NAMESPACE)) for name in names}


def usage_of(device: Any) -> DeviceUsage:
    """What a device holds."""
    found = decode(ray.get(device.answer.remote(encode(AskUsage()))))
    assert isinstance(found, DeviceUsage)
    return found


def eventually(condition: Callable[[], Any], seconds: float = 60.0) -> bool:
    """Whether a condition comes true in time; for what another process does on its own."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return _state(Path(f"/proc/{pid}")) != "Z"
    except OSError:
        return False


def _state(status: Path) -> str:
    """The letter that Linux has for what a process or a thread does."""
    return status.joinpath("stat").read_text().rpartition(")")[2].split()[0]


def _states(pid: int) -> set[str]:
    """What the threads of a process do."""
    found = set()
    for thread in Path(f"/proc/{pid}/task").iterdir():
        # One that has just ended does nothing.
        with suppress(OSError):
            found.add(_state(thread))
    return found


def stop(pid: int) -> None:
    """Stops a process: its threads still run for a moment after the signal, which is waited for."""
    os.kill(pid, signal.SIGSTOP)
    assert eventually(lambda: _states(pid) == {"T"})


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """Stops a process for a while: it neither answers nor dies."""
    stop(pid)
    try:
        yield
    finally:
        if is_running(pid):
            os.kill(pid, signal.SIGCONT)
