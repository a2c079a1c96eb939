"""The start of a program, with its flags read from the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from dataflow.library import flags


def run(
    main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None
) -> NoReturn:
    """Reads the flags and calls `main` with the other arguments; ends the process.

    Args:
      main: The program; by default the function `main` of the script that was started.
      argv: The program's name and its arguments; by default those of the process.

    Raises:
      SystemExit: Always, with what `main` returns.
    """
    start = sys.modules["__main__"].main if main is None else main
    arguments = list(sys.argv if argv is None else argv)
    try:
        rest = flags.FLAGS(arguments, known_only=True)
    except flags.Error as error:
        sys.exit(f"FATAL Flags parsing error: {error}")
    if "--help" in rest[1:]:
        sys.stdout.write(flags.FLAGS.describe())
        sys.exit(1)
    sys.exit(start(rest))
