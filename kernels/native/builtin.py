"""Compiles text of LLVM's language, and makes one of Python's builtins of what comes of it."""

from __future__ import annotations

import ctypes
import functools
import logging
import platform
import sys
from collections.abc import Callable
from typing import Any, Final

NAME: Final = "run"
"""Of the function in the text: `ptr run(ptr self, ptr arguments, i64 count)`."""
HELD: Final = bytes.__basicsize__ - 1
"""Bytes from `self` to the numbers that the function holds."""
_FASTCALL: Final = 0x80
"""Arguments come as an array (`METH_FASTCALL`)."""

Builtin = Callable[..., Any]


class _Method(ctypes.Structure):
    """`PyMethodDef` of Python's C interface."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


class _Held(bytes):
    """The numbers that a function holds, and with them what must live as long as it is there."""

    code: Code


class Code:
    """Machine code of one function."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._method = _Method(NAME.encode(), engine.get_function_address(NAME), _FASTCALL, None)

    def function(self, numbers: bytes) -> Builtin:
        """A function that holds some numbers, eight bytes for each."""
        held = _Held(numbers)
        held.code = self
        found: Builtin = _new_function(ctypes.byref(self._method), held, None)
        return found


class Compiler:
    """Makes functions for this processor."""

    def __init__(self, llvm: Any) -> None:
        """Prepares LLVM.

        Args:
          llvm: `llvmlite.binding`.
        """
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        features = llvm.get_host_cpu_features()
        self._llvm = llvm
        self._machine_of: Final = functools.partial(
            llvm.Target.from_default_triple().create_target_machine,
            cpu=llvm.get_host_cpu_name(),
            features=features.flatten(),
            opt=2,
        )
        self.width: Final = 16 if features.get("avx512f") else 8
        """Numbers of four bytes in a vector."""
        is_arm = platform.machine().lower() in ("aarch64", "arm64")
        self.fuses: Final = is_arm or bool(features.get("fma"))
        """Whether there is an instruction that multiplies, adds and rounds once."""

    def compile(self, text: str) -> Code:
        """Makes code of text that has a function called `NAME`."""
        module = self._llvm.parse_assembly(text)
        # A machine of its own: what compiles a module keeps it.
        engine = self._llvm.create_mcjit_compiler(module, self._machine_of())
        engine.finalize_object()
        return Code(engine)


def _function_maker() -> Any:
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        ("PyCFunction_NewEx", ctypes.pythonapi)
    )
    return make


_new_function: Final = _function_maker()


@functools.cache
def compiler() -> Compiler | None:
    """The compiler; None where there is no LLVM, or another Python than CPython with its lock."""
    is_locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    if sys.implementation.name != "cpython" or not is_locked or sys.maxsize < 1 << 32:
        return None
    try:
        import llvmlite.binding as llvm

        return Compiler(llvm)
    except (ImportError, OSError, RuntimeError) as e:
        logging.getLogger(__name__).info("Small programs are not compiled: %s", e)
        return None
