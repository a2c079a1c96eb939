"""The process at which the programs of a cluster meet: it holds their Ray until the last has left.

python -m dataflow.actors.ray.cluster.meeting_place HOST:PORT CLUSTER
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from typing import Final

import ray

from dataflow.actors.ray.cluster.joining import start_own
from dataflow.actors.ray.cluster.meeting import meeting_of, send_sealed, split_address
from dataflow.actors.transfers.lanes.handshake import HandshakeError, meet_client

_EMPTY_SECONDS: Final = 10.0
"""How long the place stays without a program: one that was killed may be about to come back."""
_GREETING_SECONDS: Final = 5.0
_MOST: Final = 1024
"""Connections at a time; those that prove nothing are closed after seconds."""


class MeetingPlace:
    """Tells each program of a cluster where its Ray is, and counts those that are there."""

    def __init__(self, door: socket.socket, cluster: str, ray_address: str) -> None:
        """Does not begin to listen.

        Args:
          door: A socket that listens.
          cluster: What the programs have in common.
          ray_address: Where their Ray is.
        """
        self._door, self._cluster, self._address = door, cluster, ray_address
        self._lock = threading.Lock()
        self._present = 0
        self._left = time.monotonic()
        self._places = threading.BoundedSemaphore(_MOST)

    def serve(self) -> None:
        """Serves until nobody has been there for a while."""
        self._door.settimeout(1.0)
        while not self._is_deserted():
            try:
                connection, _ = self._door.accept()
            except TimeoutError:
                continue
            if not self._places.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._receive, args=(connection,), daemon=True).start()

    def _is_deserted(self) -> bool:
        with self._lock:
            return not self._present and time.monotonic() - self._left > _EMPTY_SECONDS

    def _receive(self, connection: socket.socket) -> None:
        try:
            with connection:
                _, keys = meet_client(connection, meeting_of(self._cluster), _GREETING_SECONDS)
                self._count(1)
                try:
                    send_sealed(connection, keys, self._address)
                    connection.settimeout(None)
                    # Nothing more is said: the end of the connection is that of the program.
                    connection.recv(1)
                finally:
                    self._count(-1)
        except (HandshakeError, OSError):
            return
        finally:
            self._places.release()

    def _count(self, change: int) -> None:
        with self._lock:
            self._present += change
            self._left = time.monotonic()


def main() -> None:
    """Opens the place, unless another process has it already."""
    address, cluster = sys.argv[1:]
    host, port = split_address(address)
    family, kind, _, _, found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind(found)
        except OSError:
            return
        door.listen(_MOST)
        start_own()
        try:
            MeetingPlace(door, cluster, ray.get_runtime_context().gcs_address).serve()
        finally:
            ray.shutdown()


if __name__ == "__main__":
    main()
