"""How the programs of a cluster find one Ray: at the address of the cluster's first task.

What answers there is a process of its own (`meeting_place.py`), which any program of the cluster
starts that runs on that machine and finds nobody. It holds the Ray, so that each program may be
killed and started again, and ends when the last one has left. Programs on other machines wait.
"""

from __future__ import annotations

import hmac
import logging
import os
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import ray
from ray._raylet import AuthenticationTokenLoader  # type: ignore[attr-defined]

from dataflow.actors.ray.cluster.joining import names_a_ray
from dataflow.actors.ray.cluster.waiting import awaited
from dataflow.actors.transfers.lanes.handshake import HandshakeError, Keys, Meeting, meet_server
from dataflow.errors import InvalidArgumentError, UnavailableError

_LOGGER = logging.getLogger("dataflow")

MEETING_SECONDS: Final = 600.0
"""How long a program waits for the others of its cluster, unless its options say."""
HANDSHAKE_SECONDS: Final = 90.0
"""Whoever has opened the place may still be starting Ray."""
_WAY: Final = "the meeting place of a cluster"
_CONNECT_SECONDS: Final = 5.0
_AGAIN_SECONDS: Final = 0.3
_OPEN_AGAIN_SECONDS: Final = 15.0
_LENGTH: Final = struct.Struct("<I")
_MOST: Final = 1 << 16
_SEAL: Final = 32
_PLACE: Final = "dataflow.actors.ray.cluster.meeting_place"


class Attendance:
    """A program's place at the meeting; the Ray runs on as long as one program has one."""

    def __init__(self, connection: socket.socket, ray_address: str) -> None:
        self._connection = connection
        self.ray_address = ray_address
        """Where the cluster's Ray is."""

    def end(self) -> None:
        """Leaves."""
        self._connection.close()


def is_needed(address: str) -> bool:
    """True if a program has to look for the Ray of its cluster: it has none, and none is named.

    Args:
      address: That of the first task; "" or one with port 0 is no place to meet.
    """
    _, _, port = address.rpartition(":")
    return port not in ("", "0") and not ray.is_initialized() and not names_a_ray()


def meeting_of(cluster: str) -> Meeting:
    """What the programs of a cluster know before they meet: its spec, and Ray's token if any."""
    loader = AuthenticationTokenLoader.instance()
    token = loader.get_raw_token() if loader.has_token(ignore_auth_mode=True) else ""
    return Meeting(token.encode(), cluster, _WAY)


def split_address(address: str) -> tuple[str, int]:
    """Host and port.

    Raises:
      InvalidArgumentError: It is no "host:port".
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 0xFFFF:
        raise InvalidArgumentError(
            None, None, f"The address of a cluster's task is host:port, not '{address}'."
        )
    return host.strip("[]"), int(port)


def attend(address: str, cluster: str, who: str, seconds: float) -> Attendance:
    """Finds the cluster's Ray, and waits for it.

    Args:
      address: That of the cluster's first task.
      cluster: What the programs of the cluster have in common.
      who: The task of this program.
      seconds: How long to wait.

    Raises:
      UnavailableError: It is not there in time, or something else is.
    """
    host, port = split_address(address)
    deadline, opened = time.monotonic() + seconds, -_OPEN_AGAIN_SECONDS
    is_here = _is_here(host)
    waiting = f"the programs of the cluster to meet at {address}, the address of its first task"
    with awaited(waiting, seconds):
        while True:
            try:
                return _met(host, port, cluster, who)
            except HandshakeError as error:
                raise UnavailableError(
                    None,
                    None,
                    f"{who} cannot meet its cluster at {address}: {error}. Another program "
                    "listens there, or one whose ClusterSpec or Ray token (~/.ray/auth_token) is "
                    "another.",
                ) from error
            except OSError as error:
                reason = error
            now = time.monotonic()
            if now >= deadline:
                raise UnavailableError(
                    None,
                    None,
                    f"{who} has waited {seconds:.0f} s for the programs of its cluster to meet at "
                    f"{address}, the address of its first task: {reason}.",
                )
            if is_here and now - opened >= _OPEN_AGAIN_SECONDS:
                opened = now
                _open(address, cluster)
            time.sleep(_AGAIN_SECONDS)


def _met(host: str, port: int, cluster: str, who: str) -> Attendance:
    connection = socket.create_connection((host, port), _CONNECT_SECONDS)
    try:
        keys = meet_server(connection, meeting_of(cluster), who, HANDSHAKE_SECONDS)
        return Attendance(connection, receive_sealed(connection, keys))
    except BaseException:
        connection.close()
        raise


def _is_here(host: str) -> bool:
    """True if the address is this machine's."""
    try:
        family, kind, _, _, found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as tried:
            tried.bind(found)
    except OSError:
        return False
    return True


def _open(address: str, cluster: str) -> None:
    """Starts the process that holds the place; it ends at once if another one has it."""
    root = str(Path(sys.modules["dataflow"].__path__[0]).parent)
    paths = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    _LOGGER.info("Opening the meeting place of the cluster at %s.", address)
    # Neither a Ctrl-C nor the end of this program is to end it.
    subprocess.Popen(
        [sys.executable, "-m", _PLACE, address, cluster],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


def send_sealed(connection: socket.socket, keys: Keys, text: str) -> None:
    """Sends a text that nobody on the way can change."""
    data = text.encode()
    connection.sendall(_LENGTH.pack(len(data)) + data + hmac.digest(keys.sends, data, "sha256"))


def receive_sealed(connection: socket.socket, keys: Keys) -> str:
    """What the other end has sent so.

    Raises:
      HandshakeError: It was changed on the way.
      OSError: The connection broke.
    """
    connection.settimeout(_CONNECT_SECONDS)
    (size,) = _LENGTH.unpack(_received(connection, _LENGTH.size))
    if size > _MOST:
        raise HandshakeError(f"it sends {size} bytes, which is no address")
    data, seal = _received(connection, size), _received(connection, _SEAL)
    if not hmac.compare_digest(seal, hmac.digest(keys.receives, data, "sha256")):
        raise HandshakeError("what it sends was changed on the way")
    return data.decode()


def _received(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise ConnectionResetError("the other end has left")
        parts += part
    return bytes(parts)
