"""Kernels of regular expressions, which RE2 matches."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import re2

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.text.each import each
from dataflow.kernels.ops.text.plain_patterns import plain

_REWRITE: Final = re.compile(rb"\\(.?)|[^\\]+", re.DOTALL)
_GROUP: Final = re.compile(rb"\\([0-9])")


@kernel("RegexReplace", host_inputs=("input", "pattern", "rewrite"), host_outputs=("output",))
def regex_replace(node: KernelNode, xp: Any) -> Callable[..., Any]:
    everywhere = node.attr("replace_global")

    def run(value: Any, pattern: Any, rewrite: Any) -> Any:
        expression = _compiled(_scalar("Pattern", pattern))
        return each(_replacer(expression, _scalar("Rewrite", rewrite), everywhere), value)

    return run


@kernel("StaticRegexReplace", host_inputs=("input",), host_outputs=("output",))
def static_regex_replace(node: KernelNode, xp: Any) -> Callable[..., Any]:
    expression = _compiled(node.attr("pattern"))
    replace = _replacer(expression, node.attr("rewrite"), node.attr("replace_global"))
    return lambda value: each(replace, value)


@kernel("RegexFullMatch", host_inputs=("input", "pattern"), host_outputs=("output",))
def regex_full_match(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, pattern: Any) -> Any:
        return _matches(_compiled(_scalar("Pattern", pattern)), value)

    return run


@kernel("StaticRegexFullMatch", host_inputs=("input",), host_outputs=("output",))
def static_regex_full_match(node: KernelNode, xp: Any) -> Callable[..., Any]:
    expression = _compiled(node.attr("pattern"))
    return lambda value: _matches(expression, value)


def _scalar(name: str, value: Any) -> bytes:
    if np.ndim(value):
        raise invalid(f"{name} must be scalar, but received {shape_text(np.shape(value))}")
    return bytes(np.asarray(value, object).item())


def _compiled(pattern: bytes) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        shown = pattern.decode(errors="backslashreplace")
        why = error.args[0]
        why = why.decode(errors="backslashreplace") if isinstance(why, bytes) else why
        raise invalid(f"Invalid pattern: {shown}, error: {why}") from None


def _matches(expression: Any, value: Any) -> Any:
    return each(lambda item: expression.fullmatch(item) is not None, value, bool)


def _replacer(expression: Any, rewrite: bytes, everywhere: bool) -> Callable[[bytes], bytes]:
    """Replaces matches by a text with groups in it.

    RE2 leaves a string as it is if the text names a group that the pattern lacks. A backslash in
    front of anything else ends the text, and one replacement of that kind is not made.
    """
    is_whole = True
    parts: list[bytes | int] = []
    for found in _REWRITE.finditer(rewrite):
        escaped = found[1]
        if escaped is None or escaped == b"\\":
            parts.append(found[0] if escaped is None else escaped)
        elif escaped.isdigit():
            parts.append(int(escaped))
        else:
            is_whole = False
            break
    most = max((int(group) for group in _GROUP.findall(rewrite)), default=0)
    if most > expression.groups or not (is_whole or everywhere):
        return lambda item: item

    quick = plain(bytes(expression.pattern))
    template = b"".join(
        p.replace(b"\\", rb"\\") if isinstance(p, bytes) else rb"\g<%d>" % p for p in parts
    )

    def replace(item: bytes) -> bytes:
        if quick is not None and item.isascii():
            return quick.sub(template, item, 0 if everywhere else 1)
        made, end = [], -1
        for match in expression.finditer(item):
            begin, after = match.span()
            # RE2 replaces nothing right behind a match, and nothing inside of a character.
            is_inside = begin < len(item) and item[begin] & 0xC0 == 0x80
            if begin == after and (begin == end or is_inside):
                continue
            made.append(item[max(end, 0) : begin])
            made += [match[p] or b"" if isinstance(p, int) else p for p in parts]
            end = after
            if not everywhere:
                break
        return b"".join([*made, item[max(end, 0) :]])

    return replace
