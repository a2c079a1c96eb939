"""tensorflow.python.framework.traceable_stack: objects with the lines that put them on a stack."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, ClassVar

from dataflow.graph.parts import places

__all__ = ["TraceableObject", "TraceableStack"]


class TraceableObject(places.TraceableObject):
    """Something, and the line of the program that it is from."""

    SUCCESS: ClassVar[int] = 0
    HEURISTIC_USED: ClassVar[int] = 1
    FAILURE: ClassVar[int] = 2

    def set_filename_and_line_from_caller(self, offset: int = 0) -> int:
        """Takes the line of the caller, or of one that many calls below it.

        Returns:
          SUCCESS; HEURISTIC_USED if there are not as many calls and the first line was taken.
        """
        frame = sys._getframe(1)
        for _ in range(offset):
            if frame.f_back is None:
                self.filename, self.lineno = frame.f_code.co_filename, frame.f_lineno
                return self.HEURISTIC_USED
            frame = frame.f_back
        self.filename, self.lineno = frame.f_code.co_filename, frame.f_lineno
        return self.SUCCESS

    def copy_metadata(self) -> TraceableObject:
        """The same line, of nothing."""
        return TraceableObject(None, self.filename, self.lineno)


class TraceableStack:
    """A stack of such objects."""

    def __init__(self, existing_stack: list[TraceableObject] | None = None) -> None:
        """Takes what is on it, the top last."""
        self._stack = list(existing_stack or ())

    def push_obj(self, obj: Any, offset: int = 0) -> int:
        """Puts an object on top, with the caller's line, or one that many calls below it."""
        made = TraceableObject(obj)
        self._stack.append(made)
        return made.set_filename_and_line_from_caller(offset + 1)

    def pop_obj(self) -> Any:
        """Takes the top object off."""
        return self._stack.pop().obj

    def peek_top_obj(self) -> Any:
        """The top object."""
        return self._stack[-1].obj

    def peek_objs(self) -> Iterator[Any]:
        """The objects, the top first."""
        return (each.obj for each in reversed(self._stack))

    def peek_traceable_objs(self) -> Iterator[TraceableObject]:
        """The objects with their lines, the top first."""
        return reversed(self._stack)

    def __len__(self) -> int:
        return len(self._stack)

    def copy(self) -> TraceableStack:
        """Another stack of the same objects."""
        return TraceableStack(self._stack)
