"""Chooses which of numbered folders or files stay: filters take paths and give some, sorted."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dataflow.library.compatibility import as_str_any
from dataflow.library.files.gfile import list_directory


class Path(NamedTuple):
    """A path, and the number that a parser has found in it."""

    path: str
    export_version: int | None


Filter = Callable[[Sequence[Path]], list[Path]]


def largest_export_versions(n: int) -> Filter:
    """Keeps the n paths with the largest numbers."""

    def keep(paths: Sequence[Path]) -> list[Path]:
        numbered = [
            (path.export_version, place)
            for place, path in enumerate(paths)
            if path.export_version is not None
        ]
        return sorted(paths[place] for _, place in sorted(numbered, reverse=True)[: max(n, 0)])

    return keep


def one_of_every_n_export_versions(n: int) -> Filter:
    """Keeps the largest number of each interval [0, n], [n + 1, 2n], [2n + 1, 3n] ..."""

    def keep(paths: Sequence[Path]) -> list[Path]:
        largest: dict[int, Path] = {}
        for path in paths:
            version = path.export_version
            if version is None:
                continue
            interval = max(version - 1, 0) // n
            before = largest.get(interval)
            if before is None or (before.export_version or 0) < version:
                largest[interval] = path
        return sorted(largest.values())

    return keep


def mod_export_version(n: int) -> Filter:
    """Keeps the numbers that n divides.

    Raises:
      TypeError: When it is called: a path has no number.
    """

    def keep(paths: Sequence[Path]) -> list[Path]:
        versions: Any = [path.export_version for path in paths]
        return sorted(
            path for path, version in zip(paths, versions, strict=True) if version % n == 0
        )

    return keep


def union(lf: Filter, rf: Filter) -> Filter:
    """Keeps what one of two filters keeps."""
    return lambda paths: sorted({*lf(paths), *rf(paths)})


def negation(f: Filter) -> Filter:
    """Keeps what a filter does not."""
    return lambda paths: sorted(set(paths) - set(f(paths)))


def get_paths(base_dir: Any, parser: Callable[[Path], Path | None]) -> list[Path]:
    """What lies in a folder, sorted.

    Args:
      base_dir: The folder.
      parser: Gives a path its number, or None for what does not count.

    Raises:
      NotFoundError: There is no such folder.
    """
    base = as_str_any(base_dir)
    found = (
        parser(Path(os.path.join(base, as_str_any(name)), None)) for name in list_directory(base)
    )
    return sorted(path for path in found if path)
