"""The Transport protocol: how a value gets from the device that sends it to the one that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step


class Transport(Protocol):
    """A way to one other device. Chosen for each edge when a plan is built."""

    @property
    def shares_memory(self) -> bool:
        """True if both ends are in one process, so that device arrays can be handed over."""

    def open(self) -> None:
        """Begins to open the way, because something will be sent; does not wait for it."""

    def send(self, step_id: int, key: str, value: Any, dead: bool) -> None:
        """Hands a value to the peer's rendezvous, without waiting for anyone to receive it.

        Args:
          step_id: The step.
          key: The edge, a `rendezvous_key`.
          value: A host array, or a device array where memory is shared; None if dead.
          dead: The tensor is dead: it was on a branch that was not taken.

        Raises:
          UnavailableError: The peer is gone.
        """

    def send_in_loop(self, step: Step, edge: str, frame: str, value: Any, dead: bool) -> None:
        """As `send`, on an edge in a loop; may wait while the receiver is many iterations behind.

        Args:
          step: The step.
          edge: The key without its end.
          frame: The end, "<frame id>:<iteration>".
          value: See `send`.
          dead: See `send`.

        Raises:
          UnavailableError: The peer is gone.
        """
