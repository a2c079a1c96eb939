"""Peers that mean harm: strangers that do not know the secret of a lane, and some that do."""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import socket
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgpack
import numpy as np

from dataflow import errors
from dataflow.actors.transfers.lanes import frames
from dataflow.actors.transfers.lanes.door import connect
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.seals import Seal
from dataflow.actors.wire.codec import encode_frames
from dataflow.actors.wire.messages import AbortStep, LaneOffer, RunStep, SendTensor, StepDone
from dataflow.errors import ErrorReport

_HEAD = struct.Struct("<4sHHIQQ")


def dial(offer: LaneOffer) -> socket.socket:
    """A socket at the door, nothing said."""
    if offer.way == "near":
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(f"\0{offer.host}")
        return sock
    return socket.create_connection((offer.host, offer.port))


def strangers(offer: LaneOffer, device: str) -> None:
    """What can be tried without the secret, or for another device; raises if it opens a lane."""
    guesses = (b"", b"x" * 32, offer.secret[:-1], offer.secret + b"\0")
    tries = [(guess, device) for guess in guesses] + [(offer.secret, "the device"), (b"", "")]
    for guess, whom in tries:
        try:
            connect(replace(offer, secret=guess), "stranger", whom).sock.close()
        except errors.UnavailableError:
            continue
        raise AssertionError(f"{guess!r} opened a lane to {whom!r}")
    noises = [
        b"GET / HTTP/1.1\r\n\r\n",
        os.urandom(5000),
        b"\xff\xff\xff\xff" + b"\x7f" * 8,
        b"\0\0\1\0" + b"x" * 256,
        frame(b"\xc0"),
    ]
    for noise in noises:
        with dial(offer) as sock, contextlib.suppress(OSError):
            sock.sendall(noise)
            sock.shutdown(socket.SHUT_WR)
            drain(sock)
    # One sends the device's own proof back to it, one asks for it and goes away.
    with dial(offer) as sock:
        sock.sendall(b"dflane2\n" + bytes(32) + b"\1\0m")
        sock.sendall(sock.recv(64, socket.MSG_WAITALL)[32:])
        drain(sock)
    with dial(offer) as sock:
        sock.sendall(b"dflane2\n" + bytes(32) + b"\1\0m")
    crowd = []
    for _ in range(300):
        with contextlib.suppress(OSError):
            crowd.append(dial(offer))
    for sock in crowd:
        sock.close()


def insiders(offer: LaneOffer, device: str) -> dict[str, bool]:
    """What can be tried with the secret; by its name, whether the device has ended the lane."""
    return {
        name: attack(offer, device, send)
        for name, send in ATTACKS.items()
        if name not in LEFT_OUT[offer.way]
    }


def attack(offer: LaneOffer, device: str, send: Attack) -> bool:
    """Opens a lane and sends something; returns whether the device has ended the lane at once."""
    line = connect(offer, "insider", device)
    with line.sock as sock:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            send(line)
        sock.settimeout(10.0)
        return drain(sock)


Attack = Callable[[Line], None]
"""Sends something on a lane."""


def drain(sock: socket.socket) -> bool:
    """Reads on to the end; False if it does not come."""
    try:
        while sock.recv(1 << 16):
            continue
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


def frame(data: bytes, sequence: int = 1, **fields: Any) -> bytes:
    """A frame of one part, some fields of its head other than they should be."""
    head = {
        "magic": b"dfl1",
        "kind": 1,
        "parts": 1,
        "header": len(data),
        "sequence": sequence,
        "body": len(data),
    }
    return _HEAD.pack(*(head | fields).values()) + data


def _message(message: Any, sequence: int = 1) -> bytes:
    header = encode_frames(message)[0]
    return frame(bytes(header), sequence)


def _nested(levels: int) -> bytes:
    inner: bytes = msgpack.packb((5, 0))
    for _ in range(levels):
        inner = msgpack.packb((5, msgpack.ExtType(4, inner)))
    packed: bytes = msgpack.packb(msgpack.ExtType(4, inner))
    return packed


def _counts(levels: int) -> bytes:
    size = 1 << 20
    return (b"\xdd" + size.to_bytes(4, "big")) * levels + bytes(size)


def _sends(*data: bytes, ends: bool = False, cut: int | None = None) -> Attack:
    """Sends frames, sealed where they have to be, but for the first or last bytes."""

    def send(line: Line) -> None:
        seal = Seal(line.keys.sends) if line.keys else None
        frames = [each if seal is None else seal.sealed(each) for each in data]
        line.sock.sendall(b"".join(frames)[:cut])
        if ends:
            line.sock.shutdown(socket.SHUT_WR)

    return send


def _sends_unsealed(data: bytes) -> Attack:
    return lambda line: line.sock.sendall(data)


def _segment(size: int, seals: int, device: bool = False) -> Attack:
    """Sends a tensor in memory that is hollow, may shrink, or is none."""

    def send(line: Line) -> None:
        if device:
            descriptor = os.open("/dev/zero", os.O_RDWR)
        else:
            descriptor = os.memfd_create("hostile", os.MFD_ALLOW_SEALING)
            os.ftruncate(descriptor, size)
            if seals:
                fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
        body = struct.pack("<QQ", 7, size) + bytes(4)
        _with_descriptors(line.sock, frame(body, parts=2, header=4), [descriptor])
        os.close(descriptor)

    return send


def _flood(line: Line) -> None:
    with open("/dev/null") as null:
        for piece in frame(bytes(20)):
            _with_descriptors(line.sock, bytes([piece]), [null.fileno()] * 200)


def _with_descriptors(sock: socket.socket, data: bytes, descriptors: list[int]) -> None:
    rights = array.array("i", descriptors)
    sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])


def _reflects(line: Line) -> None:
    assert line.keys is not None
    line.sock.sendall(Seal(line.keys.receives).sealed(_message(_TENSOR)))


_TENSOR = SendTensor(1, "k", np.float32(1))
LEFT_OUT = {
    "near": {"not sealed", "sealed by the device's own key"},
    "far": {"hollow terabyte", "unsealed memory", "a file for memory", "descriptors without end"},
}
"""What goes between machines only, or within one."""
ATTACKS: dict[str, Attack] = {
    "not sealed": _sends_unsealed(_message(_TENSOR)),
    "sealed by the device's own key": _reflects,
    "noise": _sends(os.urandom(10_000)),
    "a request of the web": _sends(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 4),
    "truncated head": _sends(_message(_TENSOR), ends=True, cut=20),
    "truncated body": _sends(_message(_TENSOR), ends=True, cut=-3),
    "64 GiB that never come": _sends(frame(bytes(100), body=1 << 36), ends=True),
    "a body above all bounds": _sends(frame(bytes(100), body=frames.MAX_BODY + 1)),
    "a header above all bounds": _sends(frame(b"", header=frames.MAX_HEADER + 1, body=1 << 35)),
    "parts above all bounds": _sends(frame(bytes(100), parts=60_000)),
    "parts that are not there": _sends(frame(struct.pack("<QQ", 0, 1 << 30) + b"1234", parts=2)),
    "replayed": _sends(_message(_TENSOR), _message(_TENSOR)),
    "out of order": _sends(_message(_TENSOR, 2)),
    "values inside of each other": _sends(frame(_nested(3000))),
    "counts without elements": _sends(frame(_counts(900))),
    "names that are no text": _sends(frame(b"\xa4\xff\xfe\xff\xfe")),
    "an unknown extension": _sends(frame(msgpack.packb(msgpack.ExtType(99, b"x")))),
    "a message for others": _sends(_message(StepDone(1, ()))),
    "given back, never lent": _sends(frame(struct.pack("<Q", 3), kind=2)),
    "dropped, never made": _sends(frame(struct.pack("<Q", 3), kind=3)),
    "a plan that is not there": _sends(
        _message(RunStep(77, 1 << 60, (np.float32(1),)), 1),
        _message(AbortStep(1 << 60, ErrorReport(10, "nothing")), 2),
        ends=True,
    ),
    "hollow terabyte": _segment(1 << 40, fcntl.F_SEAL_SHRINK),
    "unsealed memory": _segment(4096, 0),
    "a file for memory": _segment(4096, 0, device=True),
    "descriptors without end": _flood,
}
