"""tensorflow.python.framework.ops: numbers and names."""

from __future__ import annotations

import itertools
import re
from typing import Final

_NUMBERS: Final = itertools.count(1)


class EagerTensor:
    """A tensor of eager execution; there is none here, so nothing is one."""

    def __init__(self) -> None:
        raise NotImplementedError("There is no eager execution here.")


def uid() -> int:
    """A number that no call before gave."""
    return next(_NUMBERS)


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """A node's name, or `^name` or `loc:@name`, in a scope."""
    if not import_scope:
        return name
    return re.sub(r"([\^]|loc:@|^)(.*)", rf"\1{import_scope.rstrip('/')}/\2", name, count=1)


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """A node's name, or `^name` or `loc:@name`, without a scope that it is in."""
    if not export_scope:
        return name
    scope = re.escape(export_scope.rstrip("/"))
    return re.sub(rf"([\^]|loc:@|^){scope}/+(.*)", r"\1\2", name, count=1)
