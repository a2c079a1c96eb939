"""Names of operations and the scopes they are in."""

from __future__ import annotations

from collections.abc import Iterable


def add_scopes(scopes: set[str], names: Iterable[str]) -> None:
    """Adds the scopes that names are in: "a" and "a/b" for "a/b/c"."""
    for name in names:
        end = name.rfind("/")
        while end > 0 and name[:end] not in scopes:
            scopes.add(name[:end])
            end = name.rfind("/", 0, end)
