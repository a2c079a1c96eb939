"""The transport between devices of one process: the value itself is handed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dataflow.actors.step.rendezvous import RendezvousTable

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step


class LocalTransport:
    """Puts values into the rendezvous of another device of this process."""

    def __init__(self, peer: RendezvousTable) -> None:
        self._peer = peer

    @property
    def shares_memory(self) -> bool:
        """True: both ends are in this process."""
        return True

    def open(self) -> None:
        """Does nothing: the way is open."""

    def send(self, step_id: int, key: str, value: Any, dead: bool) -> None:
        """Puts the value; runs the receiver's callback if it waits already."""
        self._peer.put(step_id, key, value, dead)

    def send_in_loop(self, step: Step, edge: str, frame: str, value: Any, dead: bool) -> None:
        """As `send`; what a receiver has not taken is not copied."""
        self.send(step.step_id, f"{edge}{frame}", value, dead)
