"""How this thread runs operations on values: settings that programs make and read."""

from __future__ import annotations

import threading
from typing import Final

_POLICIES: Final = ("silent", "silent_for_int32", "warn", "explicit")


class _Modes(threading.local):
    """Of one thread. Values are where Python is, and each operation ends before it returns, so
    that no setting changes an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = "silent"
        self.synchronous = True


_modes = _Modes()


def get_device_policy() -> str:
    """What is done on this thread with inputs that are on another device."""
    return _modes.policy


def set_device_policy(device_policy: str | None) -> None:
    """Sets what is done on this thread with inputs that are on another device.

    Args:
      device_policy: "silent" or None copies them, "warn" says so, "explicit" refuses them,
        "silent_for_int32" refuses all but int32.

    Raises:
      ValueError: It is something else.
    """
    policy = "silent" if device_policy is None else device_policy
    if policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy "
            "for valid `device_policy` arguments."
        )
    _modes.policy = policy


def get_synchronous_execution() -> bool:
    """Whether operations on this thread end before they return."""
    return _modes.synchronous


def set_synchronous_execution(enable: bool | None) -> None:
    """Has operations on this thread end before they return, or lets them take longer.

    Args:
      enable: Whether they end before; None for what suits: that they do.
    """
    _modes.synchronous = enable is None or bool(enable)
