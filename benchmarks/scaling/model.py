"""What a null step of many workers would take, from terms that one machine shows; see scale.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """Microseconds."""

    one_device_us: float
    """Null step on one device: command, run, answer."""
    client_us: float
    """Processor time of the client for each further device: commands leave one after another."""
    hop_us: float
    """A value from device to device that waits for it."""
    peer_us: float
    """Processor time of a worker's device for each server: its value in, the update out."""
    server_us: float
    """Processor time of a parameter server for one worker's step: a read and an update."""


def latency(terms: Terms, workers: int, servers: int, network_us: float = 0.0) -> float:
    """Microseconds of a null step in which each worker reads and updates each parameter server.

    All workers start at once. Each has a client and a device of its own; the servers serve one
    request after the other, so that the last worker waits for what all others ask of them.

    Args:
      terms: What was measured.
      workers: Their number.
      servers: Number of parameter servers.
      network_us: What a network adds to each message that the step waits for.
    """
    messages = 4  # The command, the value read, the update, the answer.
    return (
        terms.one_device_us
        + servers * terms.client_us
        + 2 * terms.hop_us
        + (servers - 1) * terms.peer_us
        + (workers - 1) * terms.server_us
        + messages * network_us
    )
