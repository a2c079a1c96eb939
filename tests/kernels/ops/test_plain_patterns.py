"""Patterns that `re` matches in RE2's place find and replace what RE2 itself does."""

from __future__ import annotations

import random
import re
import string

import pytest

from dataflow.kernels.ops.text import patterns
from dataflow.kernels.ops.text.plain_patterns import plain

PLAIN = (
    *(b"<br />", b"ab", b"a+", b"[^a-zA-Z ]", b"[a^]+", b"[^^]", b"[&&||~~]", b"x-y", b"[%-'.]"),
    *(rb"\s+", rb"\d+", rb"\W+", rb"\S", rb"[^\w\s]", rb"[\d.]+", rb"\+", rb"a\+", rb"\\+"),
    b"[" + re.escape(string.punctuation).encode() + b"]",
    rb"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^`{|}~\']",
)
OTHERS = (
    *(b"", b"a.c", b"(a)", b"a|b", b"^a", b"a$", b"a*", b"a?", b"a{2}", b"a+b", b"a+?"),
    *(b"[a-]", b"[]a]", b"[^]a]", b"[[:alpha:]]", b"(?i)a", rb"\bb", rb"\pL", "é".encode()),
)
REWRITES = (b"", b" ", rb"<\0>", rb"\\x", rb"a\1", rb"\q", b"\\")
CHARACTERS = "aab bc.,<>r/-_^&|~[]\\+\t\n\v\f09é'!%"


def texts() -> list[bytes]:
    draws = random.Random(1)
    made = ["".join(draws.choices(CHARACTERS, k=draws.randrange(30))) for _ in range(200)]
    return [text.encode() for text in (*made, "", "<br /><br />", "x-y ab")]


@pytest.mark.parametrize("pattern", PLAIN)
def test_what_is_replaced(pattern: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert plain(pattern) is not None
    expression = patterns._compiled(pattern)
    changed = 0
    for rewrite in REWRITES:
        for everywhere in (True, False):
            quick = patterns._replacer(expression, rewrite, everywhere)
            with monkeypatch.context() as patch:
                patch.setattr(patterns, "plain", lambda _: None)
                replace = patterns._replacer(expression, rewrite, everywhere)
            for text in texts():
                assert quick(text) == replace(text)
                changed += replace(text) != text
    assert changed


@pytest.mark.parametrize("pattern", OTHERS)
def test_what_is_left_to_re2(pattern: bytes) -> None:
    assert plain(pattern) is None
