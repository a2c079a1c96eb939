"""The command lines of TensorFlow's tools."""

from __future__ import annotations

import argparse
from typing import Any


class Arguments(argparse.ArgumentParser):
    """A parser whose flags are `--name=value`; text unless something else is said."""

    def __init__(self, tool: str) -> None:
        super().__init__(prog=f"python -m dataflow run -m tensorflow.python.tools.{tool}")

    def texts(self, **defaults: str) -> None:
        """Flags of text, each with its default."""
        for name, default in defaults.items():
            self.add_argument(f"--{name}", default=default)

    def truths(self, **defaults: bool) -> None:
        """Flags that are true when they stand alone; any text but "true" is false."""
        for name, default in defaults.items():
            self.add_argument(f"--{name}", nargs="?", const=True, default=default, type=_is_true)

    def number(self, name: str, default: int) -> Any:
        """A flag that is a number."""
        return self.add_argument(f"--{name}", type=int, default=default)


def _is_true(text: str) -> bool:
    return text.lower() == "true"
