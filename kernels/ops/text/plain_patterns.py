"""Patterns that Python's `re` matches as RE2 does: it replaces their matches ten times as fast.

They name one ASCII character after the other, each or one of a class, and only the last may come
more than once: so there is nothing to go back for, and no match is empty. Texts must be ASCII, too:
RE2 matches characters, and `re` bytes.
"""

from __future__ import annotations

import re
from typing import Final

_SPACE: Final = rb"\t\n\f\r "
"""RE2's, which has no vertical tab."""
_CLASSES: Final = {b"d": b"0-9", b"w": b"0-9A-Za-z_", b"s": _SPACE}
_ESCAPED: Final = rb"\\[!-/:-@\[-^`{-~]"
_MEMBER: Final = rb"(?:[ !-,./-Z^-~\t\n]|" + _ESCAPED + rb")"
_MEMBERS: Final = re.compile(
    rb"(?P<first>%s)(?:-(?P<last>%s))?|\\(?P<named>[dws])" % (_MEMBER, _MEMBER)
)
_ITEM: Final = re.compile(
    rb"(?P<one>[ !-#%%-',\-/0-9:->@A-Z_`a-z~\t\n]|%s)"
    rb"|\\(?P<named>[dwsDWS])"
    rb"|\[(?P<other>\^?)(?P<members>(?:%s(?:-%s)?|\\[dws])+)\]" % (_ESCAPED, _MEMBER, _MEMBER)
)


def plain(pattern: bytes) -> re.Pattern[bytes] | None:
    """The pattern for `re`; None if it is none of these."""
    made, at = [], 0
    while at < len(pattern):
        found = _ITEM.match(pattern, at)
        if found is None:
            break
        at = found.end()
        made.append(_translated(found))
    rest = pattern[at:]
    return re.compile(b"".join(made) + rest) if made and rest in (b"", b"+") else None


def _translated(item: re.Match[bytes]) -> bytes:
    if item["one"]:
        return re.escape(item["one"][-1:])
    if item["named"]:
        name = item["named"]
        return b"[%s%s]" % (b"^" * name.isupper(), _CLASSES[name.lower()])
    members = b""
    for found in _MEMBERS.finditer(item["members"]):
        if found["named"]:
            members += _CLASSES[found["named"]]
            continue
        members += re.escape(found["first"][-1:])
        if found["last"]:
            members += b"-" + re.escape(found["last"][-1:])
    return b"[%s%s]" % (item["other"], members)
