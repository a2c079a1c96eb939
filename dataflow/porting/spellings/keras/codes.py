"""tensorflow.python.keras.utils.generic_utils: functions as texts, in one direction."""

from __future__ import annotations

import base64
import marshal
from typing import Any


def func_dump(func: Any) -> tuple[str, Any, tuple[Any, ...] | None]:
    """A function's code, the defaults of its arguments, and what it holds of outer ones."""
    code = base64.encodebytes(marshal.dumps(func.__code__)).decode("ascii")
    held = tuple(each.cell_contents for each in func.__closure__ or ())
    return code, func.__defaults__, held or None


def func_load(code: Any, defaults: Any = None, closure: Any = None, globs: Any = None) -> Any:
    """Refuses to make a function of its code.

    Raises:
      ValueError: Always.
    """
    raise ValueError(
        "A function is not made again of its code: nothing that is loaded may run code. Give the "
        "function a name, and it in `custom_objects`."
    )
