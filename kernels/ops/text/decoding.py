"""Strings of any encoding as text, in which a mark stands for bytes that are no character."""

from __future__ import annotations

import codecs
import threading
from typing import Any, Final

from dataflow.kernels.contract.invalid import invalid

MARK: Final = "\udfff"
"""Stands for bytes that stand for no character; no decoder makes it of bytes."""
MARKED_CONTROLS: Final = dict.fromkeys(range(0x20), MARK)
"""A table for `str.translate`: the first characters are none."""

_HANDLER: Final = "dataflow.mark"
_COUNTER: Final = "dataflow.count"
_LAST: Final = 0x10FFFF
_UNSEEN: Final = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7")
"""Encodings of Python's that are none of text, or that may give what stands for errors here."""
_BY_MARK: Final = {
    "utf-16": ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"", "utf-16-be")),
    "utf-32": (
        (b"\xff\xfe\0\0", "utf-32-le"),
        (b"\0\0\xfe\xff", "utf-32-be"),
        (b"", "utf-32-be"),
    ),
}
"""Encodings whose order of bytes the first ones say."""

_local = threading.local()


def _count(error: Any) -> tuple[str, int]:
    _local.sizes.append(error.end - error.start)
    return MARK, error.end


codecs.register_error(_HANDLER, lambda error: (MARK, error.end))  # type: ignore[attr-defined]
codecs.register_error(_COUNTER, _count)


class Decoder:
    """Decodes strings of an encoding."""

    def __init__(self, encoding: str) -> None:
        """Finds the encoding.

        Raises:
          InvalidArgumentError: There is none of this name.
        """
        try:
            name = codecs.lookup(encoding).name
            b"".decode(name, _HANDLER)
        except (LookupError, UnicodeError, ValueError):
            name = ""
        if not name or name in _UNSEEN:
            raise invalid(f"Could not create converter for input encoding: {encoding}")
        self._name = name

    def text(self, data: bytes) -> str:
        """The text, with marks."""
        start, name = self._begin(data)
        return data[start:].decode(name, _HANDLER)

    def measured(self, data: bytes) -> tuple[str, list[int]]:
        """The text, with marks, and at which byte each of its characters begins."""
        place, name = self._begin(data)
        _local.sizes = []
        text = data[place:].decode(name, _COUNTER)
        errors = iter(_local.sizes)
        starts = []
        for character in text:
            starts.append(place)
            place += next(errors) if character == MARK else len(character.encode(name))
        return text, starts

    def _begin(self, data: bytes) -> tuple[int, str]:
        """Where the text begins, and Python's name of its encoding."""
        for mark, name in _BY_MARK.get(self._name, ()):
            if data.startswith(mark):
                return len(mark), name
        return 0, self._name


def replacement(code: int) -> str:
    """The character that stands in for bytes that are none.

    Raises:
      InvalidArgumentError: There is no such code point.
    """
    if not 0 <= code <= _LAST:
        raise invalid("replacement_char out of unicode codepoint range")
    # Halves of pairs are no characters.
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
