"""Has numpy get the memory of arrays from where we want it."""

from __future__ import annotations

import contextvars
import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

_SET_HANDLER: Final = 304
_DEFAULT_HANDLER: Final = 306
"""Places of PyDataMem_SetHandler and PyDataMem_DefaultHandler in numpy's table of C functions."""
_CAPSULE: Final = b"mem_handler"
_VERSION: Final = 1
"""What a handler is called in its capsule, and the version of its layout."""


class Handler(ctypes.Structure):
    """PyDataMem_Handler: how numpy gets memory, and how it gives it back."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_size_t),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


class Memory:
    """A source of memory for arrays, which is never freed: they may outlive whoever made it."""

    __slots__ = ("_capsule", "_name", "_set_handler", "handler")

    def __init__(self, name: bytes, change: Callable[[Handler, Any], None]) -> None:
        """Makes a source out of numpy's own.

        Args:
          name: What numpy calls it.
          change: Is given the handler and C's library.

        Raises:
          OSError: There can be none on this system, or with this numpy.
        """
        tools = _tools()
        if tools is None:
            raise OSError("numpy takes memory from nowhere else here.")
        library, default, self._set_handler, new_capsule = tools
        self.handler: Final = Handler.from_buffer_copy(default)
        """What numpy asks. It takes note of a change at once."""
        self.handler.name = name
        change(self.handler, library)
        self._name = ctypes.create_string_buffer(_CAPSULE)
        self._capsule = new_capsule(
            ctypes.addressof(self.handler), ctypes.addressof(self._name), None
        )
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))

    def new_context(self) -> contextvars.Context:
        """A context in which arrays are made of it."""
        context = contextvars.Context()
        context.run(self._set_handler, self._capsule)
        return context


@functools.cache
def _tools() -> tuple[Any, ...] | None:
    """C's library, the bytes of numpy's handler, what sets one, and what makes a capsule of it."""
    if not sys.platform.startswith("linux") or sys.implementation.name != "cpython":
        return None
    try:
        library, python = ctypes.CDLL(None), ctypes.pythonapi
        library.gnu_get_libc_version  # noqa: B018  (others may not free what it gives)
        pointer_in = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
            ("PyCapsule_GetPointer", python)
        )
        new_capsule = ctypes.PYFUNCTYPE(
            ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
        )(("PyCapsule_New", python))
        functions = ctypes.cast(
            pointer_in(np._core._multiarray_umath._ARRAY_API, None),  # type: ignore[attr-defined]
            ctypes.POINTER(ctypes.c_void_p),
        )
        set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(functions[_SET_HANDLER])
        default = ctypes.cast(functions[_DEFAULT_HANDLER], ctypes.POINTER(ctypes.py_object))
        found = ctypes.string_at(
            pointer_in(default.contents.value, _CAPSULE), ctypes.sizeof(Handler)
        )
        if Handler.from_buffer_copy(found).version != _VERSION:
            return None
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return library, found, set_handler, new_capsule
