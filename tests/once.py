"""What tests need of another process is made once, whichever of the run's processes asks first."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Callable
from pathlib import Path


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder of this name for all processes of the run, filled by the first; others wait.

    Where `make` fails, the next one tries again.
    """
    folder = Path(tempfile.gettempdir()) / f"once-{name}"
    folder.mkdir(exist_ok=True)
    with (folder.parent / f"{folder.name}.made").open("a+") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        mark.seek(0)
        if not mark.read():
            make(folder)
            mark.write("made")
            mark.flush()
    return folder
