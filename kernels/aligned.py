"""New arrays that begin at a cache line.

numpy's begin anywhere at 16 bytes. A vector of 64 bytes is then in two cache lines wherever it is
loaded: products take 2 to 8 % longer, updates of variables 8 to 15 %.
"""

from __future__ import annotations

import contextvars
import ctypes
import functools
import math
import sys
import threading
from typing import Any, Final

import numpy as np

_LINE: Final = 64
"""Bytes."""
_LEAST: Final = 1 << 14
_MOST: Final = 1 << 22
"""Bytes of an array between which it pays: from there on numpy asks the system for large pages,
and memory is what work waits for."""

_SET_HANDLER: Final = 304
_DEFAULT_HANDLER: Final = 306
"""Places of PyDataMem_SetHandler and PyDataMem_DefaultHandler in numpy's table of C functions."""
_CAPSULE: Final = b"mem_handler"
_VERSION: Final = 1
"""What a handler is called in its capsule, and the version of its layout."""


class _Handler(ctypes.Structure):
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


class _Contexts(threading.local):
    """For each thread the context in which arrays are aligned; None if there is none."""

    def __init__(self) -> None:
        self.own = _new_context()


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """A host array of undefined content that owns its memory.

    Args:
      shape: Its shape.
      dtype: Its element type.
    """
    if _LEAST <= math.prod(shape) * dtype.itemsize < _MOST and _contexts.own is not None:
        try:
            return _contexts.own.run(np.empty, shape, dtype)
        except RuntimeError:
            # The thread is in this context already: what runs is somebody's destructor.
            return np.empty(shape, dtype)
    return np.empty(shape, dtype)


def is_settled(array: Any) -> bool:
    """Whether a copy of a host array would begin no better than the array does."""
    if not _LEAST <= array.nbytes < _MOST or _contexts.own is None:
        return True
    return not array.ctypes.data % _LINE


def copy(array: Any) -> Any:
    """A copy of a host array, in C order."""
    made = empty(array.shape, array.dtype)
    made[...] = array
    return made


def _new_context() -> contextvars.Context | None:
    """A context in which numpy gets memory as we want it."""
    handler = _handler()
    if handler is None:
        return None
    set_handler, capsule = handler[:2]
    context = contextvars.Context()
    context.run(set_handler, capsule)
    return context


@functools.cache
def _handler() -> tuple[Any, ...] | None:
    """What sets the handler, the handler in its capsule, and what these need; None if it fails.

    C's `aligned_alloc` takes the alignment where a function of a handler takes its context. What it
    gives is freed as the rest is.
    """
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
        handler = _Handler.from_buffer_copy(
            ctypes.string_at(pointer_in(default.contents.value, _CAPSULE), ctypes.sizeof(_Handler))
        )
        if handler.version != _VERSION:
            return None
        handler.name = b"aligned"
        handler.context = _LINE
        handler.malloc = ctypes.cast(library.aligned_alloc, ctypes.c_void_p).value
        name = ctypes.create_string_buffer(_CAPSULE)
        capsule = new_capsule(ctypes.addressof(handler), ctypes.addressof(name), None)
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return set_handler, capsule, handler, name


_contexts = _Contexts()
