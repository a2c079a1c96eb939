"""Has Ray fork its workers off a process that has loaded all they need: 0.1 s of a core, not 1.5.

Ray runs this file in the place of its own `setup_worker.py`. The first one becomes the process that
is forked for each worker of its node, and ends with the node.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

NAME: Final = "forks-workers"
"""What the system calls the process that is forked, from its start."""
RAYLET: Final = "RAY_RAYLET_PID"
"""The variable in which Ray tells its workers their node's process."""
_PROGRAM: Final = "default_worker.py"
_OF_SETUP: Final = ("--language=", "--serialized-runtime-env-context=")
"""Arguments that only Ray's own program for this reads."""
_WAITING: Final = 256
_COMM: Final = Path("/proc/self/comm")


@contextlib.contextmanager
def forked_workers() -> Iterator[None]:
    """Nodes that this process starts meanwhile fork their workers."""
    from ray._private.parameter import RayParams

    plain = RayParams.update_if_absent

    def update_if_absent(self: RayParams, **values: object) -> None:
        plain(self, setup_worker_path=__file__)
        plain(self, **values)

    RayParams.update_if_absent = update_if_absent  # type: ignore[method-assign]
    try:
        yield
    finally:
        RayParams.update_if_absent = plain  # type: ignore[method-assign]


def _ask() -> None:
    """Asks for a worker; makes first the process that is asked if there is none."""
    address = f"\0forked-workers-{os.environ[RAYLET]}"
    with socket.socket(socket.AF_UNIX) as door, contextlib.suppress(OSError):
        door.bind(address)
        door.listen(_WAITING)
        if os.fork() == 0:
            _serve(door)
    words = sys.argv[1:]
    begin = next(place for place, word in enumerate(words) if word.endswith(_PROGRAM))
    words = [word for word in words[begin:] if not word.startswith(_OF_SETUP)]
    message = json.dumps([words, dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        socket.send_fds(line, [len(message).to_bytes(4, "little")], [0, 1, 2])
        line.sendall(message)
        line.recv(1)


def _serve(door: socket.socket) -> NoReturn:
    """Forks for whoever asks, until the node has ended."""
    _COMM.write_text(NAME)
    os.setsid()
    # Nobody waits for those that end.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    sys.path.insert(0, str(Path(__file__).parents[2]))
    import dataflow.actors.direct
    import dataflow.actors.ray.actors.device
    import dataflow.actors.ray.actors.master
    import dataflow.actors.ray.actors.worker  # noqa: F401
    from dataflow.actors.devices.registry import find_device_type

    find_device_type("CPU")
    sys.path.pop(0)
    # Workers look for garbage as often as others do, though what is loaded is never looked at.
    gc.freeze()
    gc.collect()
    while os.path.exists(f"/proc/{os.environ[RAYLET]}"):
        if select.select([door], [], [], 1.0)[0]:
            line, _ = door.accept()
            with line:
                _fork(door, line)
    os._exit(0)


def _fork(door: socket.socket, line: socket.socket) -> None:
    """Forks for one who asks."""
    head, files, _, _ = socket.recv_fds(line, 4, 3)
    with line.makefile("rb") as stream:
        words, variables = json.loads(stream.read(int.from_bytes(head, "little")))
    if os.fork() == 0:
        try:
            _COMM.write_text("python")
            door.close()
            line.close()
            for place, file in enumerate(files):
                os.dup2(file, place)
                os.close(file)
            os.setsid()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.environ.clear()
            os.environ.update(variables)
            sys.argv[:] = words
            runpy.run_path(words[0], run_name="__main__")
        finally:
            os._exit(1)
    for file in files:
        os.close(file)
    line.sendall(b".")


if __name__ == "__main__":
    _ask()
