"""Ray's head as a process sees it: does it answer, does it still count this machine as alive?"""

from __future__ import annotations

import enum
import logging
import socket
from typing import Any, Final

import ray
from ray import NodeID, exceptions
from ray._private.worker import global_worker

_LOGGER = logging.getLogger("dataflow")

_PATIENCE: Final = 2.0
"""Seconds that an answer may take."""


class HeadState(enum.Enum):
    """What the head says."""

    COUNTS_US = enum.auto()
    """This machine is alive."""
    GAVE_US_UP = enum.auto()
    """This machine is dead."""
    IS_ANOTHER = enum.auto()
    """It was started again, without what it knew: the Ray of this process is no more."""
    IS_DOWN = enum.auto()
    """Nobody listens at its port, though its machine can be reached."""
    IS_SILENT = enum.auto()
    """Nothing: it, or this machine, may be cut off."""


class Head:
    """The head of the Ray that this process is of."""

    def __init__(self) -> None:
        # Ray's client has none: what it is connected to has.
        self._client: Any = getattr(global_worker, "gcs_client", None)
        self._node = bytes.fromhex(ray.get_runtime_context().get_node_id())

    @property
    def address(self) -> str:
        """Host and port."""
        return str(self._client.address)

    def state(self) -> HeadState:
        """Asks; returns after a few seconds."""
        if self._client is None:
            return HeadState.COUNTS_US
        try:
            return HeadState.COUNTS_US if self._counts_us() else HeadState.GAVE_US_UP
        except exceptions.AuthenticationError as error:
            # Also said to those whose cluster had another number.
            _LOGGER.debug("Ray's head refuses this process: %s", error)
            return HeadState.IS_ANOTHER
        except Exception as error:
            _LOGGER.debug("Ray's head does not answer: %s", error)
        return HeadState.IS_DOWN if self._refuses() else HeadState.IS_SILENT

    def _counts_us(self) -> bool:
        try:
            (alive,) = self._client.check_alive([NodeID(self._node)], timeout=_PATIENCE)
        except TypeError:
            # Ray 2.50 wants the bytes, with which a later one crashes.
            (alive,) = self._client.check_alive([self._node], timeout=_PATIENCE)
        return bool(alive)

    def _refuses(self) -> bool:
        host, _, port = self.address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
        return False
