"""Where in the user's program an operation was made."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from traceback import FrameSummary
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

_PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MOST: Final = 64
"""How many frames are kept; of a program that recurses more deeply, the innermost ones."""


@dataclass(frozen=True, slots=True)
class CreationSite:
    """A place in a program; lines are looked up only when they are asked for."""

    places: tuple[Any, ...]
    """The codes of the program's frames and what each is at, in turns, from the innermost out."""

    @property
    def code(self) -> CodeType:
        """The innermost frame's code."""
        code: CodeType = self.places[0]
        return code

    @property
    def filename(self) -> str:
        """The file's path."""
        return self.code.co_filename

    @property
    def line(self) -> int:
        """The line number, from 1."""
        return _line(self.code, self.places[1])

    @property
    def frames(self) -> list[FrameSummary]:
        """The program's frames, from the outermost in."""
        codes, instructions = self.places[::2], self.places[1::2]
        return [
            FrameSummary(code.co_filename, _line(code, instruction), code.co_name)
            for code, instruction in zip(reversed(codes), reversed(instructions), strict=True)
        ]

    @property
    def start_lines(self) -> list[int]:
        """The lines that the frames' functions begin at, from the outermost in."""
        return [code.co_firstlineno for code in reversed(self.places[::2])]

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Files, names and lines: code cannot be pickled."""
        return CreationSite, (_places(self.frames),)


class StackFrame(NamedTuple):
    """A frame as TensorFlow keeps it of what made an operation."""

    filename: str
    lineno: int
    name: str
    globals: dict[str, Any] | None
    func_start_lineno: int

    @property
    def line(self) -> str | None:
        """The text of the line, or None where the file cannot be read."""
        return linecache.getline(self.filename, self.lineno, self.globals).strip() or None


def site_of_frames(frames: Iterable[Any]) -> CreationSite | None:
    """The place that frames with `filename`, `lineno` and `name` lead to, the outermost first."""
    places = _places(list(frames))
    return CreationSite(places) if places else None


def _places(frames: Sequence[Any]) -> tuple[Any, ...]:
    codes = (_PickledCode(each.filename, each.name, each.lineno or 0) for each in reversed(frames))
    return tuple(part for code in codes for part in (code, 0))


class _PickledCode(NamedTuple):
    """What is asked of a frame's code, of one that was at a line."""

    co_filename: str
    co_name: str
    co_firstlineno: int

    def co_lines(self) -> Iterator[tuple[int, int, int | None]]:
        return iter(())


def _line(code: CodeType | _PickledCode, instruction: int) -> int:
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            return line
    return code.co_firstlineno


def is_ours(code: CodeType) -> bool:
    """Whether code is none of the program's."""
    return code.co_filename.startswith(_NOT_SHOWN)


def capture(most: int = _MOST) -> CreationSite | None:
    """The innermost frames outside this package, or None where there is none."""
    frame: FrameType | None = sys._getframe(1)
    places: list[Any] = []
    add = places.append
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_NOT_SHOWN):
            add(code)
            add(frame.f_lasti)
            if len(places) == 2 * most:
                break
        frame = frame.f_back
    return CreationSite(tuple(places)) if places else None


_NOT_SHOWN: Final = (_PACKAGE, "<frozen ")
"""How the names begin of files that are not the program's: ours, and what starts modules."""
