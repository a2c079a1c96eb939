"""Public modules that a function asks for by name: they stand above its room, and load then."""

from __future__ import annotations

import importlib
from types import ModuleType


def public_module(name: str) -> ModuleType:
    """The public module of this name.

    Raises:
      ModuleNotFoundError: There is none.
    """
    package = __name__.partition(".")[0]
    return importlib.import_module(f"{package}.{name}")
