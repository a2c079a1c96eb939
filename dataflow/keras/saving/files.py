"""Names of files that models and weights are written to."""

from __future__ import annotations

import os
import sys
from typing import Final

HDF5_EXTENSIONS: Final = (".h5", ".hdf5", ".keras")
"""What names of files of HDF5 end in."""


def may_write(path: str, overwrite: bool, found: str | None = None) -> bool:
    """Whether a file may be written; makes its folder.

    Args:
      path: The file.
      overwrite: Whether a file that is there is replaced; if not, who runs the program is asked.
      found: The file that is looked for, if it is another one.
    """
    found = found or path
    if not overwrite and os.path.exists(found) and not ask_to_proceed_with_overwrite(found):
        return False
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    return True


def ask_to_proceed_with_overwrite(filepath: str) -> bool:
    """Asks on the terminal whether a file may be replaced.

    Raises:
      EOFError: Nobody is there to answer.
    """
    answer = input(f"[WARNING] {filepath} already exists - overwrite? [y/n]").strip().lower()
    while answer not in ("y", "n"):
        answer = input('Enter "y" (overwrite) or "n" (cancel).').strip().lower()
    if answer == "y":
        sys.stdout.write("[TIP] Next time specify overwrite=True!\n")
    return answer == "y"
