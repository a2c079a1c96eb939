"""A connection whose ends have proved who they are: what a lane is made of."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from dataflow.actors.transfers.lanes.handshake import Keys


@dataclass(frozen=True, slots=True)
class Line:
    """A connected socket."""

    sock: socket.socket
    keys: Keys | None = None
    """By which frames are sealed; None where the kernel or TLS sees to it that none is changed."""
