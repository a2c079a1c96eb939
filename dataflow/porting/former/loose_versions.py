"""`distutils.version`, which Python has no more: versions compare by their numbers and words."""

from __future__ import annotations

import functools
import re
from typing import Any, Final

_PART: Final = re.compile(r"\d+|[a-z]+", re.IGNORECASE)
_STRICT: Final = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?")


@functools.total_ordering
class Version:
    """A version, which compares with others and with texts."""

    version: Any
    """What it is compared by."""

    def __init__(self, vstring: str | None = None) -> None:
        """Reads a version if one is given."""
        if vstring:
            self.parse(vstring)

    def parse(self, vstring: str) -> None:
        """Reads a version."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__} ('{self}')"

    def _other(self, other: Any) -> Any:
        return type(self)(other) if isinstance(other, str) else other

    def __eq__(self, other: object) -> bool:
        made = self._other(other)
        return isinstance(made, Version) and bool(self.version == made.version)

    def __lt__(self, other: Any) -> bool:
        return bool(self.version < self._other(other).version)

    __hash__ = None  # type: ignore[assignment]


class LooseVersion(Version):
    """Any text: numbers compare as numbers, words as words, and a longer version is a later one."""

    def parse(self, vstring: str) -> None:
        """Takes numbers and words apart."""
        self.vstring = vstring
        self.version = [int(p) if p.isdecimal() else p for p in _PART.findall(vstring)]

    def __str__(self) -> str:
        return self.vstring


class StrictVersion(Version):
    """Two or three numbers, and a pre-release as `a1` or `b2`, which comes before the version."""

    def parse(self, vstring: str) -> None:
        """Reads the numbers.

        Raises:
          ValueError: It is no such version.
        """
        found = _STRICT.fullmatch(vstring)
        if found is None:
            raise ValueError(f"invalid version number '{vstring}'")
        major, minor, patch, letter, number = found.groups()
        self._numbers = (int(major), int(minor), int(patch or 0))
        self.prerelease = (letter, int(number)) if letter else None
        self.version = (self._numbers, self.prerelease or ("final", 0))

    def __str__(self) -> str:
        shown = self._numbers if self._numbers[2] else self._numbers[:2]
        text = ".".join(map(str, shown))
        return text + "".join(map(str, self.prerelease)) if self.prerelease else text
