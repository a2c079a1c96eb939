"""tensorflow.python.util.tf_stack: where a program is."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any, Final

from dataflow.graph.creation_site import StackFrame as StackFrame

TB_FILENAME: Final = 0
TB_LINENO: Final = 1
TB_FUNCNAME: Final = 2
TB_CODEDICT: Final = 3
"""What stands where in a frame."""


def extract_stack(limit: int | None = -1) -> traceback.StackSummary:
    """The frames of the program, the outermost first, without this one.

    Args:
      limit: How many of the innermost; -1 or None for all.
    """
    found = traceback.extract_stack()[:-1]
    kept = found if limit in (-1, None) else found[len(found) - int(limit or 0) :]
    return traceback.StackSummary.from_list(kept)


def convert_stack(
    stack: traceback.StackSummary, include_func_start_lineno: bool = False
) -> tuple[tuple[object, ...], ...]:
    """Each frame as (file, line, function, text), and where its function starts if asked for.

    Of a frame that does not know where, the line stands once more.
    """
    frames = ((each.filename, each.lineno, each.name, each.line) for each in stack)
    if not include_func_start_lineno:
        return tuple(frames)
    starts = (getattr(each, "func_start_lineno", each.lineno) for each in stack)
    return tuple((*each, start) for each, start in zip(frames, starts, strict=True))


def _skip_common_stack_elements(
    stacktrace: Sequence[Any], base_case: Sequence[Any]
) -> Sequence[Any]:
    """A stack without what it has in common with another one, but the last frame at least."""
    for place, (frame, other) in enumerate(zip(stacktrace, base_case, strict=False)):
        if frame != other:
            return stacktrace[place:]
    return stacktrace[-1:]
