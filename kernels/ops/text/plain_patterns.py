"""Patterns that Python's `re` matches as RE2 does: it replaces their matches ten times as fast.

They name one ASCII character after the other, each or one of a class, in groups or not; the last
may come more than once or never, and one before it: so there is little to go back for, and no match
is empty. Texts must be ASCII, too: RE2 matches characters, and `re` bytes. None of the patterns
matches `SEPARATOR`, so that many texts can stand in a row.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

SEPARATOR: Final = b"\xff"
_SPACE: Final = rb"\t\n\f\r "
"""RE2's, which has no vertical tab."""
_CLASSES: Final = {b"d": b"0-9", b"w": b"0-9A-Za-z_", b"s": _SPACE}
_ESCAPED: Final = rb"\\[!-/:-@\[-^`{-~]"
_MEMBER: Final = rb"(?:[ !-,./-Z^-~\t\n]|" + _ESCAPED + rb")"
_GROUPS: Final = (b"(", b")")
_REPEATS: Final = (b"+", b"*", b"?")
_LONGEST: Final = 512
"""Where something comes before what may be repeated there is a way back for each byte of a text, at
most, from each of its bytes: `re` takes 0.1 ms for so many."""
_MEMBERS: Final = re.compile(
    rb"(?P<first>%s)(?:-(?P<last>%s))?|\\(?P<named>[dws])" % (_MEMBER, _MEMBER)
)
_ITEM: Final = re.compile(
    rb"(?P<one>[ !-#%%-',\-/0-9:->@A-Z_`a-z~\t\n]|%s)"
    rb"|\\(?P<named>[dwsDWS])"
    rb"|\[(?P<other>\^?)(?P<members>(?:%s(?:-%s)?|\\[dws])+)\]" % (_ESCAPED, _MEMBER, _MEMBER)
)


class PlainPattern(NamedTuple):
    """A pattern for `re`."""

    expression: re.Pattern[bytes]
    longest: int | None
    """Bytes of the texts that it is for, if there is a limit."""


def plain(pattern: bytes) -> PlainPattern | None:
    """The pattern for `re`; None if it is none of these."""
    made: list[bytes] = []
    is_free = has_one = False
    repeated: list[int] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at : at + 1]
        if sign in _GROUPS:
            is_free = False
        elif sign in _REPEATS:
            if not is_free:
                return None
            is_free = False
            has_one = has_one or sign == b"+"
            repeated.append(len(made))
        else:
            found = _ITEM.match(pattern, at)
            if found is None:
                return None
            has_one = has_one or pattern[found.end() : found.end() + 1] not in (b"*", b"?")
            is_free = True
            sign = _translated(found)
            at = found.end() - 1
        made.append(sign)
        at += 1
    inner = [place for place in repeated if any(one not in _GROUPS for one in made[place + 1 :])]
    if not has_one or len(inner) > 1:
        return None
    return PlainPattern(re.compile(b"".join(made)), _LONGEST if inner else None)


def _translated(item: re.Match[bytes]) -> bytes:
    if item["one"]:
        return re.escape(item["one"][-1:])
    if item["named"]:
        name = item["named"]
        return _class(_CLASSES[name.lower()], is_other=name.isupper())
    members = b""
    for found in _MEMBERS.finditer(item["members"]):
        if found["named"]:
            members += _CLASSES[found["named"]]
            continue
        members += re.escape(found["first"][-1:])
        if found["last"]:
            members += b"-" + re.escape(found["last"][-1:])
    return _class(members, is_other=bool(item["other"]))


def _class(members: bytes, is_other: bool) -> bytes:
    return b"[^%s%s]" % (members, SEPARATOR) if is_other else b"[%s]" % members
