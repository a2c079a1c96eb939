"""Kernel of strings from one encoding to another."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.text.each import each

_MARK: Final = "\udfff"
"""Stands for bytes that stand for no character; no decoder makes it of bytes."""
_HANDLER: Final = "dataflow.mark"
codecs.register_error(_HANDLER, lambda error: (_MARK, error.end))  # type: ignore[attr-defined]

_MARKED_CONTROLS: Final = dict.fromkeys(range(0x20), _MARK)
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
_LAST: Final = 0x10FFFF


@kernel("UnicodeTranscode", host_inputs=("input",), host_outputs=("output",))
def unicode_transcode(node: KernelNode, xp: Any) -> Callable[..., Any]:
    decode = _decoder(node.attr("input_encoding").decode(errors="backslashreplace"))
    target = node.attr("output_encoding").decode().lower()
    errors = node.attr("errors")
    marks_controls = node.attr("replace_control_characters")
    instead = _replacement(node.attr("replacement_char"))

    def convert(data: bytes) -> bytes:
        text = decode(data)
        if errors == b"strict" and _MARK in text:
            raise invalid("Invalid formatting on input string")
        if marks_controls:
            text = text.translate(_MARKED_CONTROLS)
        return text.replace(_MARK, "" if errors == b"ignore" else instead).encode(target)

    return lambda value: each(convert, value)


def _replacement(code: int) -> str:
    if not 0 <= code <= _LAST:
        raise invalid("replacement_char out of unicode codepoint range")
    # Halves of pairs are no characters.
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)


def _decoder(encoding: str) -> Callable[[bytes], str]:
    try:
        name = codecs.lookup(encoding).name
        b"".decode(name, _HANDLER)
    except (LookupError, UnicodeError, ValueError):
        name = ""
    if not name or name in _UNSEEN:
        raise invalid(f"Could not create converter for input encoding: {encoding}")
    if name not in _BY_MARK:
        return lambda data: data.decode(name, _HANDLER)

    def decode(data: bytes) -> str:
        for mark, order in _BY_MARK[name]:
            if data.startswith(mark):
                return data[len(mark) :].decode(order, _HANDLER)
        raise AssertionError("Every string begins with nothing.")

    return decode
