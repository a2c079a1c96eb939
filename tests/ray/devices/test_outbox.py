"""What leaves a device: together what is ready together, stored once what goes to many."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import ray

from dataflow import errors
from dataflow.actors.transfers.object_store import INLINE_BYTES, ObjectStoreTransport, Outbox
from dataflow.actors.wire.codec import decode
from dataflow.actors.wire.messages import SendTensor
from dataflow.errors import OpError, UnavailableError
from dataflow.kernels.contract.resources import Variable
from tests.ray.actors import eventually

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]


class Peers:
    """Takes what is pushed; holds the sending thread until the gate is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.pushed: list[tuple[str, Any, tuple[Any, ...]]] = []
        self.failed: list[tuple[int, str, OpError]] = []
        self.gone: set[str] = set()
        self.looked_up: list[str] = []
        self.outbox = Outbox(self.find, lambda *failure: self.failed.append(failure))

    def find(self, peer: str) -> Any:
        self.looked_up.append(peer)
        if peer in self.gone:
            raise UnavailableError(None, None, f"{peer} is gone")

        def push(data: bytes, *large: Any) -> None:
            self.gate.wait(60)
            self.pushed.append((peer, decode(data), large))

        return push

    def send(self, peer: str, key: str, value: Any, step: int = 1) -> None:
        ObjectStoreTransport(self.outbox, peer).send(step, key, value, False)


@pytest.fixture
def peers() -> Peers:
    return Peers()


def test_what_is_ready_for_a_peer_goes_together(peers: Peers) -> None:
    peers.send("a", "first", np.float32(0))
    assert eventually(lambda: peers.looked_up == ["a"])
    for number in range(3):
        peers.send("a", f"k{number}", np.float32(number))
        peers.send("b", f"k{number}", np.float32(number))
    peers.gate.set()
    assert eventually(lambda: len(peers.pushed) == 3)
    assert [(p, [t.key for t in m.tensors]) for p, m, _ in peers.pushed] == [
        ("a", ["first"]),
        ("a", ["k0", "k1", "k2"]),
        ("b", ["k0", "k1", "k2"]),
    ]
    assert peers.looked_up == ["a", "b"]


def test_a_large_value_is_stored_once_for_all(peers: Peers) -> None:
    value = np.arange(INLINE_BYTES, dtype=np.uint8).repeat(2)
    peers.send("a", "first", np.float32(0))
    assert eventually(lambda: peers.looked_up == ["a"])
    for peer in "abc":
        peers.send(peer, peer, value)
    peers.send("b", "small", np.float32(5))
    peers.gate.set()
    assert eventually(lambda: len(peers.pushed) == 4)
    references = [large for _, _, (*large,) in peers.pushed[1:]]
    assert references[0] == references[1] == references[2] and len(references[0]) == 1
    stored: Any = decode(ray.get(references[0][0]))
    np.testing.assert_array_equal(stored.value, value)
    _, message, _ = peers.pushed[2]
    assert message.large == (SendTensor(1, "b", None),)
    assert [t.key for t in message.tensors] == ["small"]


def test_a_value_that_cannot_be_sent_fails_alone(peers: Peers) -> None:
    peers.send("a", "first", np.float32(0))
    assert eventually(lambda: peers.looked_up == ["a"])
    peers.send("a", "good", np.float32(1), step=1)
    peers.send("a", "bad", Variable("v", None), step=2)
    peers.send("a", "also good", np.float32(1), step=3)
    peers.gate.set()
    assert eventually(lambda: len(peers.pushed) == 3 and peers.failed)
    assert [m.tensors[0].key for _, m, _ in peers.pushed] == ["first", "good", "also good"]
    ((step, peer, error),) = peers.failed
    assert (step, peer) == (2, "a")
    assert isinstance(error, errors.InvalidArgumentError) and "Variable" in error.message


def test_a_peer_that_is_gone_fails_the_step(peers: Peers) -> None:
    peers.gate.set()
    peers.gone.add("a")
    peers.send("a", "k", np.float32(1), step=4)
    peers.send("b", "k", np.float32(1), step=4)
    assert eventually(lambda: peers.failed and peers.pushed)
    assert peers.failed[0][:2] == (4, "a")
    assert isinstance(peers.failed[0][2], UnavailableError)
    assert peers.pushed[0][0] == "b"
