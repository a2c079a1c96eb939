"""Switches of how devices calculate, which programs turn; none changes an answer here."""

from __future__ import annotations

from typing import Any


class _Switches:
    """Of this process. float32 is calculated as float32 on all devices, and no graph is rewritten
    on its way to an XLA compiler."""

    def __init__(self) -> None:
        self.tensor_float_32 = True


_switches = _Switches()


def enable_tensor_float_32_execution(enabled: Any) -> None:
    """Says whether products on GPUs may be of TensorFloat-32; here, none is.

    Args:
      enabled: Whether; anything that is true or false of itself, as a number is.

    Raises:
      TypeError: It is neither.
    """
    if enabled is not None and not hasattr(type(enabled), "__bool__"):
        raise TypeError(f"enabled must be True or False, got {enabled!r}")
    _switches.tensor_float_32 = bool(enabled)


def tensor_float_32_execution_enabled() -> bool:
    """What `enable_tensor_float_32_execution` has said last; True at first."""
    return _switches.tensor_float_32


def enable_mlir_bridge() -> None:
    """Would have XLA's graphs go through MLIR; there are none."""


def disable_mlir_bridge() -> None:
    """Would keep XLA's graphs away from MLIR; there are none."""
