"""What the open scopes of a graph are about, and where in the program they were opened."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, NamedTuple

from dataflow.graph.creation_site import CreationSite


@dataclass(eq=False)
class TraceableObject:
    """Something, and the line of the program that it is from; None where that is not known."""

    obj: Any
    filename: str | None = None
    lineno: int | None = None

    def copy_metadata(self) -> TraceableObject:
        """The same line, of nothing."""
        return TraceableObject(None, self.filename, self.lineno)


class OpenScope(NamedTuple):
    """A scope: what it was opened with, and where."""

    what: Any
    site: CreationSite | None = None

    def traceable(self, shown: Any) -> TraceableObject:
        """What is shown of the scope, with its line."""
        if self.site is None:
            return TraceableObject(shown)
        return TraceableObject(shown, self.site.filename, self.site.line)


def shown_device(device: Any) -> str:
    """A device as a text; of a function its name, its file and the line that it begins at."""
    if not callable(device):
        return str(device)
    named = inspect.unwrap(device)
    named = getattr(named, "__func__", named)
    code = getattr(named, "__code__", None)
    name = getattr(named, "__name__", None) or type(device).__name__
    if code is None:
        return f"{name}<unknown, -1>"
    return f"{name}<{code.co_filename}, {code.co_firstlineno}>"
