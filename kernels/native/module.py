"""The text of a module that has one builtin: what it may call, and its function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dataflow.kernels.native.builtin import NAME
from dataflow.kernels.native.lock import DECLARED

_DECLARED: Final = (
    *DECLARED,
    "declare void @Py_IncRef(ptr)",
    "declare i64 @PyLong_AsSsize_t(ptr)",
    "declare i64 @PyLong_AsUnsignedLongLongMask(ptr)",
    "declare ptr @PyLong_FromSsize_t(i64)",
)
_BEGIN: Final = f"define ptr @{NAME}(ptr %self, ptr %arguments, i64 %given) {{"


def module_text(lines: Sequence[str], declared: Iterable[str] = ()) -> str:
    """A module whose function takes `%arguments`, pointers to `%given` objects of Python's.

    Args:
      lines: Those of the function.
      declared: Declares what they use that not each such function does.
    """
    return "\n".join([*_DECLARED, *declared, _BEGIN, *lines, "}", ""])
