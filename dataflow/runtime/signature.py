"""What a step is asked for: the key under which both ends of the seam know a plan."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepSignature:
    """What a step is asked for; plans are cached under it."""

    feeds: tuple[str, ...] = ()
    """Fed tensors, "x:0"."""
    fetches: tuple[str, ...] = ()
    """Fetched tensors, "y:0"; no tensor is both fed and fetched."""
    targets: tuple[str, ...] = ()
    """Operations to run without fetching."""
    feeds_fit: bool = False
    """Every value of a feed has been checked against the tensor's static shape."""
    connections: tuple[tuple[str, str], ...] = ()
    """Pairs of tensors, the first in place of the second, which is neither fed nor fetched."""
    watches: tuple[tuple[str, str], ...] = ()
    """Tensors to be dumped ("x:0", "*:-1" for all), each with the folder that takes it."""
