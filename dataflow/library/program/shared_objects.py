"""Libraries of ops that were compiled for TensorFlow: they are looked for, and refused."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from dataflow.errors import NotFoundError


def load_op_library(library_filename: str) -> NoReturn:
    """Refuses a library of ops, as programs expect it that have something else for this case.

    Args:
      library_filename: A shared object's path.

    Raises:
      NotFoundError: Always: it does not exist, or it calls TensorFlow's C++ runtime.
    """
    if not os.path.exists(library_filename):
        raise NotFoundError(
            None,
            None,
            f"{library_filename}: cannot open shared object file: No such file or directory",
        )
    raise NotFoundError(
        None,
        None,
        f"{library_filename}: its ops are compiled for TensorFlow's C++ runtime, which is not "
        "here. CONTRIBUTING.md shows how an op and its kernel are written in Python; tf.py_func "
        "calls what has a binding.",
    )


def load_library(library_location: str) -> None:
    """Refuses libraries of kernels.

    Args:
      library_location: A shared object's path, or a folder's. A folder may have none.

    Raises:
      OSError: It does not exist.
      NotFoundError: There is a library.
    """
    if not os.path.exists(library_location):
        raise OSError(
            errno.ENOENT,
            "The file or folder to load kernel libraries from does not exist.",
            library_location,
        )
    if not os.path.isdir(library_location):
        load_op_library(library_location)
    for name in sorted(os.listdir(library_location)):
        if name.endswith(".so"):
            load_op_library(os.path.join(library_location, name))


def load_file_system_library(library_filename: str) -> NoReturn:
    """Refuses a library of a file system; see `load_op_library`."""
    load_op_library(library_filename)
