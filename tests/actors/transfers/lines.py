"""Two ends of a connection, as two processes of one machine have them, or two machines."""

from __future__ import annotations

import os
import socket
import threading

from dataflow.actors.transfers.lanes.handshake import Keys
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.tls import Encryption


def far_sockets() -> tuple[socket.socket, socket.socket]:
    """A connection over the loopback network."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
    for sock in (client, server):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client, server


def near_lines() -> tuple[Line, Line]:
    """Within one machine."""
    first, second = socket.socketpair()
    return Line(first), Line(second)


def far_lines() -> tuple[Line, Line]:
    """Between machines."""
    there, back = os.urandom(32), os.urandom(32)
    first, second = far_sockets()
    return Line(first, Keys(there, back)), Line(second, Keys(back, there))


def tls_lines(encryption: Encryption) -> tuple[Line, Line]:
    """Between machines, encrypted."""
    first, second = far_sockets()
    ends = encryption.wrap(first, is_server=False), encryption.wrap(second, is_server=True)
    other = threading.Thread(target=encryption.meet, args=(ends[1], 30))
    other.start()
    encryption.meet(ends[0], 30)
    other.join()
    return Line(ends[0].begin()), Line(ends[1].begin())
