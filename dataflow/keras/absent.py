"""Parts of tf.keras that are not here: programs may import them, and are told when they use one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn


def absent(module: str, what: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module that is not here.

    Args:
      module: Its name.
      what: What it would have.
    """
    path = module.replace("dataflow.", "tf.", 1)

    def get_attribute(name: str) -> NoReturn:
        text = f"module {module!r} has no attribute {name!r}"
        if not name.startswith("__"):
            text = f"{path}.{name} is not in dataflow, which has no {what}."
        raise AttributeError(text, name="")

    return get_attribute
