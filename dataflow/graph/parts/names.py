"""Names in a graph: which are taken, and the scopes they are in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataflow.graph.operation import Operation


class GraphNames:
    """The names that operations and scopes of a graph have; the graph's lock guards it."""

    def __init__(self) -> None:
        self.in_use: dict[str, int] = {}
        self._scopes: set[str] = set()
        self._num_in_scopes = 0

    def reserve(self, key: str) -> None:
        """Takes a name, in lower case, if nothing has it yet."""
        self.in_use.setdefault(key, 1)

    def unique(self, name: str, mark_as_used: bool) -> str:
        """The name, or with a number behind it if it is taken, whatever its case."""
        used = self.in_use
        key = name.lower()
        count = used.get(key, 0)
        if mark_as_used:
            used[key] = count + 1
        if count == 0:
            return name
        base = key
        while key in used:
            key = f"{base}_{count}"
            count += 1
        if mark_as_used:
            used[key] = 1
        return f"{name}_{count - 1}"

    def scopes_of(self, operations: Sequence[Operation]) -> set[str]:
        """The scopes that a graph's operations are in; each operation is looked at once."""
        added = operations[self._num_in_scopes :]
        add_scopes(self._scopes, (op.name for op in added))
        self._num_in_scopes = len(operations)
        return self._scopes


def add_scopes(scopes: set[str], names: Iterable[str]) -> None:
    """Adds the scopes that names are in: "a" and "a/b" for "a/b/c"."""
    for name in names:
        end = name.rfind("/")
        while end > 0 and name[:end] not in scopes:
            scopes.add(name[:end])
            end = name.rfind("/", 0, end)
