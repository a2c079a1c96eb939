"""Two sockets that are connected as those of two machines are."""

from __future__ import annotations

import socket


def far_pair() -> tuple[socket.socket, socket.socket]:
    """A connection over the loopback network."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
    return client, server
