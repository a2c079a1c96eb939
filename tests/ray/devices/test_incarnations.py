"""Who is replaced loses its lanes and takes on nothing more; in one process, without Ray."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.ray.actors.incarnations import KnownIncarnations
from dataflow.actors.ray.actors.lease import Lease
from dataflow.actors.ray.links.head import HeadState
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.peers import LanePeers
from dataflow.actors.transfers.lanes.service import LaneService
from dataflow.actors.wire.messages import Message, SendTensor
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values.device_info import DeviceInfo
from tests.ray.actors import eventually

PEER, OTHER = "/job:ps/replica:0/task:0/device:CPU:0", "/job:ps/replica:0/task:1/device:CPU:0"


class Receiver:
    """One incarnation of a device, and what it has been sent."""

    def __init__(self, incarnation: int) -> None:
        self.incarnation = incarnation
        self.values: list[tuple[int, Any]] = []
        self.lost = 0
        self.service = LaneService(self._take, self._closed)

    def _take(self, lane: Lane, message: Message) -> Any:
        assert isinstance(message, SendTensor)
        self.values.append((message.step, message.value))
        return deque()

    def _closed(self, lane: Lane) -> None:
        self.lost += 1


class Sender:
    """A device that sends to others."""

    def __init__(self) -> None:
        self.now: dict[str, Receiver] = {}
        """Who has a name now."""
        self.opened = 0
        self.failed: list[tuple[int, str]] = []
        self.peers = LanePeers(
            self._open, lambda _: pytest.fail("it has a lane"), lambda s, p, _: self._fail(s, p)
        )
        self.service = LaneService(lambda lane, message: deque(), self.peers.lost)

    def _open(self, name: str) -> tuple[Lane | None, int]:
        self.opened += 1
        receiver = self.now.get(name)
        if receiver is None:
            raise errors.DeadlineExceededError(None, None, f"{name} is silent")
        here, there = socket.socketpair()
        receiver.service.accept(Line(there), "sender")
        return self.service.add(Line(here), name), receiver.incarnation

    def _fail(self, step: int, peer: str) -> None:
        self.failed.append((step, peer))

    def send(self, step: int, peer: str = PEER) -> None:
        self.peers.transport(peer).send(step, "key", np.float32(step), False)


@pytest.fixture
def sender() -> Iterator[Sender]:
    made = Sender()
    made.now = {PEER: Receiver(1), OTHER: Receiver(7)}
    receivers = list(made.now.values())
    yield made
    for each in (made, *receivers, *made.now.values()):
        each.service.close()


def test_a_lane_ends_with_the_incarnation_that_it_leads_to(sender: Sender) -> None:
    old, other = sender.now[PEER], sender.now[OTHER]
    sender.send(1)
    sender.send(1, OTHER)
    assert eventually(lambda: old.values and other.values)
    # The old one is counted as dead, but lives, and so does the lane to it.
    new = sender.now[PEER] = Receiver(2)
    sender.peers.meet([(PEER, 2), (OTHER, 7)])
    assert eventually(lambda: old.lost == 1)
    assert eventually(lambda: sender.failed == [(1, PEER)])
    sender.send(2)
    sender.send(2, OTHER)
    assert eventually(lambda: new.values == [(2, 2.0)] and len(other.values) == 2)
    assert old.values == [(1, 1.0)] and other.lost == 0
    # Who is told the same again keeps the lane.
    sender.peers.meet([(PEER, 2), (OTHER, 7)])
    sender.send(3)
    assert eventually(lambda: len(new.values) == 2)
    assert (new.lost, sender.opened) == (0, 3)


def test_a_peer_that_cannot_be_reached_is_tried_once_for_all_that_wait(sender: Sender) -> None:
    silent = sender.now.pop(PEER)
    for step in (1, 2, 3):
        with pytest.raises(errors.UnavailableError, match="is silent"):
            sender.send(step)
    assert sender.opened == 1
    # It was started again: that is reason to try anew.
    sender.now[PEER] = silent
    sender.peers.meet([(PEER, 1)])
    sender.send(4)
    assert eventually(lambda: silent.values == [(4, 4.0)])


def test_who_sends_is_told_of_those_that_it_sends_to() -> None:
    known = KnownIncarnations()
    known.note([DeviceInfo(PEER, "CPU", 50, incarnation=4), DeviceInfo(OTHER, "CPU", 50)])
    known.note([DeviceInfo(PEER, "CPU", 50, incarnation=5)])
    graph = GraphDef()
    here = "/job:worker/replica:0/task:0/device:CPU:0"
    constant = graph.node.add(name="c", op="NoOp", device=here)
    assert known.of_receivers(import_graph(graph, partition=True)) == ()
    constant.op = "Const"
    constant.attr["dtype"].type = 1
    constant.attr["value"].tensor.dtype = 1
    constant.attr["value"].tensor.float_val.append(1.0)
    for name, peer in (("s", PEER), ("t", "/job:ps/replica:0/task:2/device:CPU:0")):
        send = graph.node.add(name=name, op="_Send", device=here, input=["c"])
        send.attr["T"].type = 1
        send.attr["tensor_name"].s = b"edge"
        send.attr["send_device"].s = here.encode()
        send.attr["send_device_incarnation"].i = 1
        send.attr["recv_device"].s = peer.encode()
    assert known.of_receivers(import_graph(graph, partition=True)) == ((PEER, 5),)


class Asked:
    """A head that answers as it is told, and a clock that goes on while it is asked."""

    def __init__(self) -> None:
        self.state = HeadState.COUNTS_US
        self.now = 100.0
        self.takes = 0.0
        self.ended = 0
        self.lease = Lease(self.look, 10.0, self.end, lambda: self.now)

    def look(self) -> HeadState:
        self.now += self.takes
        return self.state

    def end(self) -> None:
        self.ended += 1

    @property
    def holds(self) -> bool:
        try:
            self.lease.check("device 1")
        except errors.UnavailableError as error:
            assert error.message.startswith("device 1 takes on no steps: Ray's head has not answer")
            return False
        return True


def test_an_answer_is_good_for_a_while_from_when_it_was_asked_for() -> None:
    asked = Asked()
    asked.takes = 4.0
    asked.lease.renew()
    asked.now = 109.9
    assert asked.holds
    asked.now = 110.0
    assert not asked.holds
    asked.lease.renew()
    assert asked.holds and not asked.ended


def test_without_an_answer_nothing_is_taken_on_till_there_is_one() -> None:
    asked = Asked()
    asked.state = HeadState.IS_SILENT
    for _ in range(3):
        asked.lease.renew()
        asked.now += 3.0
    assert asked.holds
    asked.now += 1.0
    asked.lease.renew()
    assert not asked.holds and not asked.ended
    asked.state = HeadState.COUNTS_US
    asked.lease.renew()
    assert asked.holds


def test_a_head_that_is_down_replaces_nobody() -> None:
    asked = Asked()
    asked.state, asked.takes = HeadState.IS_DOWN, 9.0
    for _ in range(5):
        asked.lease.renew()
        assert asked.holds
    assert not asked.ended


@pytest.mark.parametrize("state", [HeadState.GAVE_US_UP, HeadState.IS_ANOTHER])
def test_who_is_given_up_ends(state: HeadState) -> None:
    asked = Asked()
    asked.state = state
    asked.lease.renew()
    assert asked.ended == 1
