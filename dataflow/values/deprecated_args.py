"""Arguments that go by two names: the one TensorFlow 1 has now, and the one it had before."""

from __future__ import annotations

from typing import Any


def renamed(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument, by whichever of its two names it was passed.

    Raises:
      ValueError: It was passed by both.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old_value
