"""The lanes of the sessions of this process to the devices of one cluster."""

from __future__ import annotations

import logging
import os
import socket
import threading
import weakref
from collections.abc import Callable, Sequence

from dataflow.actors.ray.links.calls import RemoteActor
from dataflow.actors.ray.links.device_lane import DeviceLane
from dataflow.actors.ray.links.lanes import open_lane
from dataflow.actors.transfers.lanes.callers import LaneCallers
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.tls import Encryption
from dataflow.actors.transfers.weak_methods import weakly
from dataflow.actors.wire.messages import Message
from dataflow.errors import FailedPreconditionError, OpError

_LOGGER = logging.getLogger("dataflow")


class SessionLanes:
    """Lanes, opened when they are first needed, and again if they were cut."""

    def __init__(self, find: Callable[[str], RemoteActor], encryption: Encryption | None) -> None:
        """Makes an empty set.

        Args:
          find: Finds the actor of a device, by full name.
          encryption: Of lanes to other machines, if they are to be encrypted.
        """
        self._encryption = encryption
        self.callers = LaneCallers(weakly(self._take), weakly(self._closed), weakly(self._look))
        self._find = find
        self._own_name = f"session process {os.getpid()} on {socket.gethostname()}"
        self._devices: dict[str, DeviceLane] = {}
        self._of_calls: weakref.WeakSet[DeviceLane] = weakref.WeakSet()
        self._by_lane: dict[Lane, DeviceLane] = {}
        self._opening: dict[str, threading.Lock] = {}
        """For each device, so that one that hangs holds up no other."""

    def to(self, devices: Sequence[str], calls: bool) -> list[DeviceLane]:
        """Lanes to these devices, by full name.

        Args:
          devices: The devices.
          calls: Whether all lanes are to be made of calls.
        """
        return [self._call(name) if calls else self._open(name) for name in devices]

    def forget(self, name: str) -> None:
        """Cuts the lane to a device that is given up, though it may live: another one has taken,
        or will take, its place."""
        known = self._devices.pop(name, None)
        if known is None:
            return
        if isinstance(known.lane, Lane):
            self.callers.end((known.lane,))
        else:
            known.lane.shut()

    def close(self) -> None:
        """Closes all lanes; a second call does nothing."""
        self.callers.close()

    def _open(self, name: str) -> DeviceLane:
        known = self._devices.get(name)
        if known is not None and known.is_open:
            return known
        with self._opening.setdefault(name, threading.Lock()):
            known = self._devices.get(name)
            if known is not None and known.is_open:
                return known
            actor = self._find(name)
            if known is not None:
                # Another one may have taken its place.
                actor.forget()
            try:
                lane, _ = open_lane(actor, self._own_name, self.callers.add, self._encryption)
            except FailedPreconditionError:
                raise
            except OpError as error:
                # Calling it will tell what is the matter.
                _LOGGER.debug("No lane to %s is opened now: %s", name, error.message)
                return self._call(name, lasts=False)
            device = self._call(name) if lane is None else DeviceLane(lane)
            self._devices[name] = device
            if lane is not None:
                self._by_lane[lane] = device
            return device

    def _call(self, name: str, lasts: bool = True) -> DeviceLane:
        device = DeviceLane.of_calls(self._find(name), self.callers.submit, lasts)
        self._of_calls.add(device)
        return device

    def _take(self, lane: Lane, message: Message) -> None:
        device = self._by_lane.get(lane)
        if device is not None:
            device.take(message)

    def _look(self) -> None:
        """Ends the waits for calls when Ray was shut down here, of which nobody tells."""
        for device in list(self._of_calls):
            if not device.is_open:
                device.closed()

    def _closed(self, lane: Lane) -> None:
        device = self._by_lane.pop(lane, None)
        if device is not None:
            device.closed()
