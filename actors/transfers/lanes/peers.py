"""The ways from one device to others: a lane where one can be opened, else Ray's object store."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors.transfers.lanes.backlog import Backlog
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.transport import Transport
from dataflow.actors.wire.messages import SendTensor
from dataflow.errors import OpError, UnavailableError

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step

_LOGGER = logging.getLogger("dataflow")

OpenLane = Callable[[str], "tuple[Lane | None, int]"]
"""Opens a lane to a device, by full name; None if there can be none. Gives its incarnation, too.

Raises OpError if the device is gone.
"""
Failed = Callable[[int, str, OpError], None]
"""Takes a step, a peer, and why what was sent for the step may be lost."""
_REMEMBERED: Final = 256
"""Steps of which it is known that values were sent for them."""
_TRY_AGAIN: Final = 1.0
"""Seconds after a lane could not be opened; what is sent before then fails at once."""


class LanePeers:
    """The devices that this one sends to."""

    def __init__(
        self, open_lane: OpenLane, fallback: Callable[[str], Transport], failed: Failed
    ) -> None:
        """Makes a set without peers.

        Args:
          open_lane: Opens a lane.
          fallback: Gives the way to a device that no lane leads to.
          failed: Told of the steps that may have lost a value when a lane has broken.
        """
        self._open_lane = open_lane
        self._fallback = fallback
        self._failed = failed
        self._peers: dict[str, LaneTransport] = {}
        self._lock = threading.Lock()

    def transport(self, peer: str) -> LaneTransport:
        """The way to a device."""
        with self._lock:
            found = self._peers.get(peer)
            if found is None:
                found = LaneTransport(peer, self._open_lane, self._fallback)
                self._peers[peer] = found
        return found

    def meet(self, peers: Sequence[tuple[str, int]]) -> None:
        """Leaves those devices that are known by another incarnation than they have now.

        A device that is counted as dead may live on, and take what is sent to it for good.
        """
        for name, incarnation in peers:
            found = self._peers.get(name)
            if found is not None:
                found.leave_unless(incarnation)

    def taken(self, lane: object, marks: Sequence[int]) -> None:
        """Takes note that a peer has taken marked values."""
        for peer in list(self._peers.values()):
            peer.taken(lane, marks)

    def lost(self, lane: Lane) -> None:
        """Stops the steps that a lane that has broken carried values for."""
        for peer in list(self._peers.values()):
            for step in peer.lost(lane):
                self._failed(step, peer.name, lane.gone())


class LaneTransport:
    """The way to one device in another process."""

    def __init__(
        self, name: str, open_lane: OpenLane, fallback: Callable[[str], Transport]
    ) -> None:
        self.name = name
        self._open_lane = open_lane
        self._fallback = fallback
        self._lane: Lane | None = None
        self._incarnation = 0
        """Of the device that the lane leads to."""
        self._other: Transport | None = None
        self._lock = threading.Lock()
        self._failure: tuple[float, str] | None = None
        """Why no lane could be opened, and until when none is tried."""
        self._steps: OrderedDict[int, None] = OrderedDict()
        self._backlog = Backlog()

    @property
    def shares_memory(self) -> bool:
        """False: the peer is another process."""
        return False

    def open(self) -> None:
        """Opens the way, on a thread of its own."""
        if self._lane is None and self._other is None and not self._lock.locked():
            threading.Thread(target=self._try_open, name="dataflow-open", daemon=True).start()

    def send(self, step_id: int, key: str, value: Any, dead: bool) -> None:
        """Sends the value; returns when it is on its way or stands in the lane's queue."""
        lane = self._way(step_id)
        if lane is not None:
            lane.send(SendTensor(step_id, key, value, dead))
        else:
            assert self._other is not None
            self._other.send(step_id, key, value, dead)

    def send_in_loop(self, step: Step, edge: str, frame: str, value: Any, dead: bool) -> None:
        """Sends the value, after waiting while the receiver is too far behind."""
        lane = self._way(step.step_id)
        if lane is not None:
            loop, _, _ = frame.partition(":")
            mark = self._backlog.enter(step, f"{edge}{loop}", getattr(value, "nbytes", 0))
            lane.send(SendTensor(step.step_id, f"{edge}{frame}", value, dead, mark))
        else:
            assert self._other is not None
            self._other.send_in_loop(step, edge, frame, value, dead)

    def taken(self, lane: object, marks: Sequence[int]) -> None:
        """Takes note of marked values that were taken, if the lane is the one to this peer."""
        if lane is self._lane:
            self._backlog.taken(marks)

    def _way(self, step_id: int) -> Lane | None:
        """The lane, open, now carrying something of a step; None if there is another way."""
        lane = self._lane
        if lane is None or not lane.is_open:
            lane = self._open()
        steps = self._steps
        if lane is not None and step_id not in steps:
            steps[step_id] = None
            if len(steps) > _REMEMBERED:
                steps.popitem(last=False)
        return lane

    def lost(self, lane: Lane) -> list[int]:
        """The steps that a lane has carried values for lately, if it is the one to this peer."""
        if lane is not self._lane:
            return []
        steps, self._steps = self._steps, OrderedDict()
        return list(steps)

    def leave_unless(self, incarnation: int) -> None:
        """Cuts the lane if it leads to another incarnation; the next value opens one by name."""
        with self._lock:
            lane, is_other = self._lane, self._incarnation != incarnation
            self._failure = None
        if lane is not None and is_other:
            lane.shut()

    def _try_open(self) -> None:
        try:
            self._open()
        except OpError as error:
            # Whoever sends will be told.
            _LOGGER.debug("The way to %s is not open yet: %s", self.name, error)

    def _open(self) -> Lane | None:
        """The lane, open; None if the values go another way."""
        with self._lock:
            if self._other is not None or (self._lane is not None and self._lane.is_open):
                return self._lane
            if self._failure is not None and time.monotonic() < self._failure[0]:
                # Those that have waited for the same attempt shall not each make their own.
                raise UnavailableError(None, None, self._failure[1])
            try:
                self._lane, self._incarnation = self._open_lane(self.name)
            except OpError as error:
                self._failure = time.monotonic() + _TRY_AGAIN, error.message
                raise UnavailableError(None, None, error.message) from error
            self._failure = None
            if self._lane is None:
                self._other = self._fallback(self.name)
            return self._lane
