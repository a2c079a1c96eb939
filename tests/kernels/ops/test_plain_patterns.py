"""Patterns that `re` matches in RE2's place find and replace what RE2 itself does."""

from __future__ import annotations

import random
import re
import string

import numpy as np
import pytest

from dataflow.kernels.ops.text import patterns
from dataflow.kernels.ops.text.plain_patterns import plain

PLAIN = (
    *(b"<br />", b"ab", b"a+", b"[^a-zA-Z ]", b"[a^]+", b"[^^]", b"[&&||~~]", b"x-y", b"[%-'.]"),
    *(rb"\s+", rb"\d+", rb"\W+", rb"\S", rb"[^\w\s]", rb"[\d.]+", rb"\+", rb"a\+", rb"\\+"),
    b"[" + re.escape(string.punctuation).encode() + b"]",
    *(
        b"(a)",
        b"a+b",
        b"(a+)b",
        b"([a-z]+),",
        b"(a)(b+)",
        b"((a)b)",
        b"a(b*)",
        b"ab?",
        b"a*b",
        b"()a",
    ),
    *(rb"(\w+)-(\w)", b"x(-?)y", b"(.)".replace(b".", b"[^a]"), b"(a|b)".replace(b"|", b"")),
    rb"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^`{|}~\']",
)
OTHERS = (
    *(b"", b"a.c", b"(.)", b"a|b", b"^a", b"a$", b"a*", b"a?", b"a{2}", b"a+b+c", b"a+?", b"a+b*c"),
    *(b"(a)+", b"(a*)", b"(?:a)", b"(?P<n>a)", b"(a)?", b"a*b*", b"a?(b?)"),
    *(b"[a-]", b"[]a]", b"[^]a]", b"[[:alpha:]]", b"(?i)a", rb"\bb", rb"\pL", "é".encode()),
)
REWRITES = (b"", b" ", rb"<\0>", rb"\\x", rb"a\1", rb"\q", b"\\", rb"[\1|\0|\1]", b"\xff")
CHARACTERS = "aab bc.,<>r/-_^&|~[]\\+\t\n\v\f09é'!%"


def texts() -> list[bytes]:
    draws = random.Random(1)
    made = ["".join(draws.choices(CHARACTERS, k=draws.randrange(30))) for _ in range(200)]
    return [text.encode() for text in (*made, "", "<br /><br />", "x-y ab")]


@pytest.mark.parametrize("pattern", PLAIN)
def test_what_is_replaced(pattern: bytes) -> None:
    assert plain(pattern) is not None
    expression = patterns._compiled(pattern)
    changed = 0
    given = np.array(texts(), object).reshape(-1, 1)
    for rewrite in REWRITES:
        for everywhere in (True, False):
            replacer = patterns._replacer(expression, rewrite, everywhere)
            found = patterns._replaced(replacer, given)
            assert found.shape == given.shape
            wanted = [replacer.one(text) for text in texts()]
            assert found.ravel().tolist() == wanted
            changed += wanted != texts()
    assert changed


def test_long_texts_are_left_to_re2_where_there_is_a_way_back() -> None:
    found = plain(b"a+b")
    assert found is not None and found.longest == 512
    replacer = patterns._replacer(patterns._compiled(b"a(a*)b"), rb"<\1>", True)
    assert replacer.longest == 512
    for length in (511, 512, 513, 50_000):
        given = [b"a" * length, b"a" * (length - 1) + b"b"]
        found = patterns._replaced(replacer, np.array(given, object))
        assert found.tolist() == [given[0], b"<" + b"a" * (length - 2) + b">"]
    last = plain(b"(a+)")
    assert last is not None and last.longest is None


@pytest.mark.parametrize("pattern", OTHERS)
def test_what_is_left_to_re2(pattern: bytes) -> None:
    assert plain(pattern) is None


@pytest.mark.parametrize("given", [[], [b""], [b"", b""], ["é".encode()], [b"a", b"\xff", b"aa"]])
def test_texts_of_odd_kinds(given: list[bytes]) -> None:
    """None, empty ones, and those that `re` is not for."""
    replacer = patterns._replacer(patterns._compiled(b"[^b]"), b"c", True)
    assert replacer.plain is not None
    found = patterns._replaced(replacer, np.array(given, object))
    assert found.dtype == object
    assert found.tolist() == [replacer.one(item) for item in given]


def test_a_text_alone_has_no_axis() -> None:
    replacer = patterns._replacer(patterns._compiled(b"a"), b"c", True)
    found = patterns._replaced(replacer, np.array(b"ab", object))
    assert found.shape == () and found[()] == b"cb"
