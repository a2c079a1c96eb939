"""The transport between devices of one process: the value itself is handed over."""

from __future__ import annotations

from typing import Any

from dataflow.actors.rendezvous import RendezvousTable


class LocalTransport:
    """Puts values into the rendezvous of another device of this process."""

    def __init__(self, peer: RendezvousTable) -> None:
        self._peer = peer

    @property
    def shares_memory(self) -> bool:
        """True: both ends are in this process."""
        return True

    def send(self, step_id: int, key: str, value: Any, dead: bool) -> None:
        """Puts the value; runs the receiver's callback if it waits already."""
        self._peer.put(step_id, key, value, dead)
