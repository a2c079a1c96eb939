"""Kernels of regular expressions, which RE2 matches."""

from __future__ import annotations

import itertools
import operator
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import re2

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.text.each import each
from dataflow.kernels.ops.text.plain_patterns import SEPARATOR, plain

_REWRITE: Final = re.compile(rb"\\(.?)|[^\\]+", re.DOTALL)
_GROUP: Final = re.compile(rb"\\([0-9])")


@kernel("RegexReplace", host_inputs=("input", "pattern", "rewrite"), host_outputs=("output",))
def regex_replace(node: KernelNode, xp: Any) -> Callable[..., Any]:
    everywhere = node.attr("replace_global")

    def run(value: Any, pattern: Any, rewrite: Any) -> Any:
        expression = _compiled(_scalar("Pattern", pattern))
        return _replaced(_replacer(expression, _scalar("Rewrite", rewrite), everywhere), value)

    return run


@kernel("StaticRegexReplace", host_inputs=("input",), host_outputs=("output",))
def static_regex_replace(node: KernelNode, xp: Any) -> Callable[..., Any]:
    expression = _compiled(node.attr("pattern"))
    replace = _replacer(expression, node.attr("rewrite"), node.attr("replace_global"))
    return lambda value: _replaced(replace, value)


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


class _Replacer(NamedTuple):
    """How matches in texts are replaced."""

    one: Callable[[bytes], bytes]
    """In a text."""
    plain: Callable[[bytes], bytes] | None = None
    """The same by `re`, for texts that are ASCII and have no match across `SEPARATOR`;"""
    longest: int = 0
    """for those of at most so many bytes."""


def _replaced(replacer: _Replacer, value: Any) -> Any:
    """All of a tensor's texts; those for `re` are joined, so that they take one call."""
    plain = replacer.plain
    if plain is None:
        return each(replacer.one, value)
    array = np.asarray(value, object)
    items = array.ravel().tolist()
    if items and all(map(bytes.isascii, items)) and max(map(len, items)) <= replacer.longest:
        joined = plain(SEPARATOR.join(items))
        return np.fromiter(joined.split(SEPARATOR), object, array.size).reshape(array.shape)
    are_plain = [item.isascii() and len(item) <= replacer.longest for item in items]
    made = np.empty(array.size, object)
    if any(are_plain):
        joined = plain(SEPARATOR.join(itertools.compress(items, are_plain)))
        made[are_plain] = joined.split(SEPARATOR)
    for place in itertools.compress(itertools.count(), map(operator.not_, are_plain)):
        made[place] = replacer.one(items[place])
    return made.reshape(array.shape)


def _replacer(expression: Any, rewrite: bytes, everywhere: bool) -> _Replacer:
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
        return _Replacer(lambda item: item)

    quick = plain(bytes(expression.pattern))

    def replace(item: bytes) -> bytes:
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

    if quick is None or not everywhere or SEPARATOR in rewrite:
        return _Replacer(replace)
    longest = sys.maxsize if quick.longest is None else quick.longest
    return _Replacer(replace, _plain_replacer(quick.expression, parts), longest)


def _plain_replacer(
    expression: re.Pattern[bytes], parts: Sequence[bytes | int]
) -> Callable[[bytes], bytes]:
    """Replaces matches, none of which is empty, by texts and groups."""
    if all(isinstance(part, bytes) for part in parts):
        text = b"".join(part for part in parts if isinstance(part, bytes)).replace(b"\\", rb"\\")
        return lambda item: expression.sub(text, item)
    # Each match leaves the text before it and its groups, the whole match among them if wanted.
    has_whole = 0 in parts
    cut = (re.compile(b"(%s)" % expression.pattern) if has_whole else expression).split
    stride, width = expression.groups + 1 + has_whole, len(parts) + 1

    def replace(item: bytes) -> bytes:
        pieces = cut(item)
        count = len(pieces) // stride
        made = [b""] * (count * width + 1)
        made[::width] = pieces[::stride]
        for place, part in enumerate(parts, 1):
            taken = (
                [part] * count if isinstance(part, bytes) else pieces[part + has_whole :: stride]
            )
            made[place::width] = taken
        return b"".join(made)

    return replace
