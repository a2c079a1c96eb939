"""Keras-style layers: each has variables of its own, named by the open name scopes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_is_set = False


@contextlib.contextmanager
def keras_style_scope() -> Iterator[None]:
    """Has layers and RNN cells that are made within manage their variables as Keras does.

    Each makes its own, whatever the open variable scope and its reuse; they are in its `weights`,
    and their names begin with the name scopes that are open when they are made. A scope or a reuse
    cannot be given to such a layer.
    """
    global _is_set
    before, _is_set = _is_set, True
    try:
        yield
    finally:
        _is_set = before


def set_keras_style() -> None:
    """As if the rest of the program were in `keras_style_scope`."""
    global _is_set
    _is_set = True


def is_keras_style() -> bool:
    """Whether a layer that is made now is to be a Keras-style one."""
    return _is_set


def refuse(argument: str, value: object) -> None:
    """Raises an error if a Keras-style layer was given what none takes.

    Raises:
      ValueError: The value is not None.
    """
    if value is not None:
        raise ValueError(
            f"{argument} argument not allowed when keras style layers are enabled, but saw: {value}"
        )
