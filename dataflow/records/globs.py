"""The paths that a pattern names, by the rules of TensorFlow's file systems.

Unlike Python's `glob`, wildcards match names that begin with a dot, `[^...]` is the complement of a
set as `[!...]` is, and a backslash takes the next character as it is.
"""

from __future__ import annotations

import os
import re
from typing import Final

_WILD: Final = re.compile(r"[*?\[\\]")
_IN_SET: Final = re.compile(r"\\(.)|[][^&~|\\]", re.DOTALL)
_NOTHING: Final = re.compile(r"(?!)")


def matching_paths(pattern: str) -> list[str]:
    """The paths of files and folders that match a pattern, sorted.

    Args:
      pattern: A path, or one with `*`, `?`, `[...]` and `\\`; none of them matches a slash.
    """
    if _WILD.search(pattern) is None:
        return [pattern] if os.path.lexists(pattern) else []
    found = [""]
    for place, part in enumerate(pattern.split("/")):
        slash = "/" if place else ""
        if _WILD.search(part) is None:
            found = [path + slash + part for path in found]
            continue
        expression = _expression(part)
        found = [
            path + slash + name
            for path in found
            for name in _names(path + slash)
            if expression.fullmatch(name)
        ]
    return sorted(path for path in found if os.path.lexists(path))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder or ".")
    except OSError:
        return []


def _expression(part: str) -> re.Pattern[str]:
    """What matches a name, as fnmatch(3) reads the part of a pattern between slashes."""
    made, place = "", 0
    while place < len(part):
        sign, place = part[place], place + 1
        if sign == "*":
            made += ".*"
        elif sign == "?":
            made += "."
        elif sign == "[" and (end := _end_of_set(part, place)) >= 0:
            made += _set(part[place:end])
            place = end + 1
        elif sign == "\\" and place < len(part):
            made += re.escape(part[place])
            place += 1
        else:
            made += re.escape(sign)
    try:
        return re.compile(made, re.DOTALL)
    except re.error:  # A range whose end is before its begin.
        return _NOTHING


def _end_of_set(part: str, place: int) -> int:
    """Where the bracket is that closes a set, or -1: a bracket in front of all others is in it."""
    place += part[place : place + 1] in ("!", "^")
    return part.find("]", place + 1)


def _set(inside: str) -> str:
    is_complement = inside[0] in "!^"
    members = inside[is_complement:]
    # Signs that mean something to Python in a set, but a hyphen, which means the same to both.
    return f"[{'^' if is_complement else ''}{_IN_SET.sub(_escaped, members)}]"


def _escaped(found: re.Match[str]) -> str:
    return re.escape(found[1] or found[0])
