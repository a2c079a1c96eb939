"""The folder for the files of a process's tests."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import tempfile


@functools.cache
def get_temp_dir() -> str:
    """A folder for temporary files, one for the whole process; it goes with the process.

    Its path begins with what `TEST_TMPDIR` in the environment says, or with the script's name in
    the system's folder for such files.
    """
    script = os.path.basename(sys.argv[0]).removesuffix(".py")
    begin = os.environ.get("TEST_TMPDIR") or os.path.join(tempfile.gettempdir(), script)
    folder = tempfile.mkdtemp(prefix=begin)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
