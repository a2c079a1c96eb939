"""Whose processes are let in on one machine, by what the kernel says of them."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import threading

import pytest

from dataflow import errors
from dataflow.actors.transfers.lanes.door import Door, connect
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.users import check_user, user_of_peer
from dataflow.actors.wire.messages import LaneOffer
from tests.ray.actors import eventually

OTHER = 65534
"""The user that owns nothing."""


def test_the_kernel_says_who_is_there() -> None:
    first, second = socket.socketpair()
    with first, second:
        assert user_of_peer(first) == user_of_peer(second) == os.geteuid()
        check_user(first, os.geteuid())
        with pytest.raises(PermissionError, match=rf"user {os.geteuid()}, not of user 77 as this"):
            check_user(first, 77)


def test_an_end_that_is_another_users_is_refused_by_either(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What each end takes for its own user is not the other end's: the kernel's word is real."""
    came: list[Line] = []
    door = Door("d", "node", "127.0.0.1", lambda line, _: came.append(line))
    offer = door.offer("node")
    real, mine = os.geteuid(), threading.get_ident()
    with caplog.at_level(logging.WARNING, "dataflow"), monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: real if threading.get_ident() == mine else real + 1)
        with pytest.raises(errors.UnavailableError, match="No connection to d can be opened"):
            connect(offer, "guest", "d")
        assert eventually(lambda: f"not of user {real + 1} as this one" in caplog.text)
        patch.setattr(os, "geteuid", lambda: real + (threading.get_ident() == mine))
        with pytest.raises(errors.UnavailableError, match=f"not of user {real + 1} as this one"):
            connect(offer, "guest", "d")
    assert came == []
    connect(offer, "guest", "d").sock.close()
    assert eventually(lambda: len(came) == 1)
    door.close()
    came[0].sock.close()


KNOCK = """
import os, socket, sys
os.setuid(int(sys.argv[2]))
with socket.socket(socket.AF_UNIX) as sock:
    sock.connect("\\0" + sys.argv[1])
    try:
        sock.sendall(b"dflane2\\n" + bytes(32) + b"\\5\\0guest")
        print(len(sock.recv(100)))
    except ConnectionError:
        print(0)
"""


def test_a_process_of_another_user_is_not_even_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Where this one may start such processes; others see that their own are answered."""
    door = Door("d", "node", "127.0.0.1", lambda line, _: line.sock.close())
    answers = {os.geteuid(): 64} | ({OTHER: 0} if os.geteuid() == 0 else {})
    caplog.set_level(logging.WARNING, "dataflow")
    for user, answered in answers.items():
        assert knocked(door.offer("node"), user) == answered
        refused = f"it is a process of user {user}, not of user {os.geteuid()}"
        assert eventually(lambda: "A connection is refused" in caplog.text)
        assert (refused in caplog.text) == (user != os.geteuid())
        caplog.clear()
        # One line a second is logged of who is refused.
        door._quiet_until = 0.0
    door.close()


def knocked(offer: LaneOffer, user: int) -> int:
    """Bytes that a process of some user is answered."""
    command = [sys.executable, "-I", "-c", KNOCK, offer.host, str(user)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return int(found.stdout)
