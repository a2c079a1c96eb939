"""Where in the user's program an operation was made: one look at a frame, no stack trace."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from types import CodeType, FrameType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclass(frozen=True, slots=True)
class CreationSite:
    """A place in a program; the line is looked up only when it is asked for."""

    code: CodeType
    instruction: int

    @property
    def filename(self) -> str:
        """The file's path."""
        return self.code.co_filename

    @property
    def line(self) -> int:
        """The line number, from 1."""
        for start, end, line in self.code.co_lines():
            if start <= self.instruction < end and line is not None:
                return line
        return self.code.co_firstlineno

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}"


def capture() -> CreationSite | None:
    """The innermost frame outside this package, or None where there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            return CreationSite(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None
