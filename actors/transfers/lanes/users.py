"""Whose process is at the other end of a socket of this machine."""

from __future__ import annotations

import socket
import struct
from typing import Final

_CREDENTIALS: Final = struct.Struct("@iII")
"""Process, user and group, as the kernel had them when the sockets were connected."""


def user_of_peer(sock: socket.socket) -> int:
    """The user of the process that has connected a Unix socket, or listens at it.

    Raises:
      OSError: The kernel does not tell.
    """
    found = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(found)
    return int(user)


def check_user(sock: socket.socket, own: int) -> None:
    """Refuses the processes of other users; an administrator's count as others, too.

    Args:
      sock: A connected Unix socket.
      own: The user whose processes are accepted.

    Raises:
      PermissionError: The other end is another user's.
      OSError: The kernel does not tell.
    """
    user = user_of_peer(sock)
    if user != own:
        raise PermissionError(f"it is a process of user {user}, not of user {own} as this one")
