"""The start of a program, with its flags read from the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from absl import app, flags

from dataflow.library.program.flags import FLAGS


def _parse(argv: Sequence[str]) -> list[str]:
    try:
        return FLAGS(argv, known_only=True)
    except flags.Error as error:
        sys.exit(f"FATAL Flags parsing error: {error}\nPass --help to see help on flags.")


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Reads the flags and calls `main` with the other arguments; ends the process.

    Unknown flags are among the arguments.

    Args:
      main: The program; by default the function `main` of the script that was started.
      argv: The program's name and its arguments; by default those of the process.

    Raises:
      SystemExit: Always, with what `main` returns.
    """
    start = sys.modules["__main__"].main if main is None else main
    app.run(main=start, argv=None if argv is None else list(argv), flags_parser=_parse)
