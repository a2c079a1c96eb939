"""Names of nodes with a name scope put in front of them, or taken off."""

from __future__ import annotations

import re


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """The name within a scope; marks of control inputs and of colocation stay in front."""
    if not import_scope:
        return name
    scope = import_scope.rstrip("/")
    return re.sub(r"([\^]|loc:@|^)(.*)", lambda m: f"{m[1]}{scope}/{m[2]}", name, count=1)


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """The name without a scope it is in; other names stay as they are."""
    if not export_scope:
        return name
    scope = re.escape(export_scope.rstrip("/"))
    return re.sub(rf"([\^]|loc:@|^){scope}/+(.*)", r"\g<1>\g<2>", name, count=1)


def name_from_scope_name(name: str) -> str:
    """The name of the operation that has a scope's name: without the slash at its end."""
    return name[:-1] if name.endswith("/") else name
