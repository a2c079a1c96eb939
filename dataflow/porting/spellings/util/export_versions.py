"""tensorflow.python.estimator.gc: which of a folder's exports are kept, and which go."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["Path"]


class Path(NamedTuple):
    """A path, and the number of the export that lies there."""

    path: Any
    export_version: Any


_Filter = Callable[[Sequence[Path]], list[Path]]


def _largest_export_versions(n: int) -> _Filter:
    """Keeps the n exports with the largest numbers."""

    def keep(paths: Sequence[Path]) -> list[Path]:
        numbered = [path for path in paths if path.export_version is not None]
        ordered = sorted(numbered, key=lambda path: path.export_version, reverse=True)
        return sorted(ordered[:n])

    return keep


def _one_of_every_n_export_versions(n: int) -> _Filter:
    """Keeps the largest of each interval of n numbers: 0 to n, n + 1 to 2n, and so on."""

    def keep(paths: Sequence[Path]) -> list[Path]:
        kept: dict[int, Path] = {}
        for path in paths:
            number = path.export_version
            if number is None:
                continue
            interval = (number - 1) // n if number else 0
            if interval not in kept or kept[interval].export_version < number:
                kept[interval] = path
        return sorted(kept.values())

    return keep


def _mod_export_version(n: int) -> _Filter:
    """Keeps exports whose number n divides."""
    return lambda paths: sorted(path for path in paths if path.export_version % n == 0)


def _union(lf: _Filter, rf: _Filter) -> _Filter:
    """Keeps what either of two filters keeps."""
    return lambda paths: sorted({*lf(paths), *rf(paths)})


def _negation(f: _Filter) -> _Filter:
    """Keeps what a filter does not."""
    return lambda paths: sorted({*paths} - {*f(paths)})


def _get_paths(base_dir: Any, parser: Callable[[Path], Path | None]) -> list[Path]:
    """What lies in a folder, with the number that `parser` gives it; without what it drops."""
    base = os.fsdecode(base_dir)
    found = (parser(Path(os.path.join(base, name), None)) for name in os.listdir(base))
    return sorted(path for path in found if path)
