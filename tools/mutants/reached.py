"""Which tests reach which mutants: marks where they lie, and a plugin of pytest that reads them.

A mark that is passed makes a file, whichever process passes it, so that Ray's processes count too.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tools.mutants.changes import Mutant

FOLDER = ".mutants"
"""Below the copied tree: one file for each mark that was passed since the last test ended."""
RESULTS = ".reached.jsonl"
"""Below the copied tree: one line for each test."""

_EACH = 0.01
"""Seconds that a file has for each of its tests at least."""

_PRELUDE = """
import builtins as _builtins
import os as _os


def _passed(mark):
    path = f"{folder}/{{mark}}"
    if not _os.path.exists(path):
        open(path, "w").close()


_builtins._passed = _passed
"""


def plant(tree: Path, mutants: list[Mutant]) -> None:
    """Puts a mark for each mutant, named by its index, into the sources of `tree`."""
    insertions: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for index, mutant in enumerate(mutants):
        for entry in mutant.shown:
            insertions[mutant.file].append((entry, 0, f"_passed({index})\n"))
        if mutant.shown:
            continue
        if mutant.statement:
            insertions[mutant.file].append((mutant.start, 0, f"_passed({index}); "))
        else:
            insertions[mutant.file].append((mutant.start, 1, f"(_passed({index}) or ("))
            insertions[mutant.file].append((mutant.end, -1, "))"))
    for file, texts in insertions.items():
        source = (tree / file).read_bytes()
        for offset, _, text in sorted(texts, reverse=True):
            if text.endswith("\n"):
                text += " " * (offset - source.rfind(b"\n", 0, offset) - 1)
            source = source[:offset] + text.encode() + source[offset:]
        (tree / file).write_bytes(source)
    (tree / FOLDER).mkdir()
    # Every process that uses the library imports this first.
    first = tree / "dataflow" / "__init__.py"
    future = "from __future__ import annotations\n"
    prelude = future + _PRELUDE.format(folder=tree / FOLDER)
    text = first.read_text()
    first.write_text(text.replace(future, prelude, 1))


class Recorder:
    """Notes after each test which marks it passed, and leaves a file that takes too long.

    A file's tests run in random order and have `seconds` together, or more if they are many.
    """

    def __init__(self, tree: Path, seconds: float) -> None:
        self._tree = tree
        self._seconds = seconds
        self._random = random.Random(1)
        self._spent: dict[str, float] = defaultdict(float)
        self._limits: dict[str, float] = {}
        self._results = (tree / RESULTS).open("w")
        self._took = 0.0
        self._passed = True

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Shuffles the tests of each file."""
        files: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            files[_file(item.nodeid)].append(item)
        for file, own in files.items():
            self._random.shuffle(own)
            self._limits[file] = max(self._seconds, _EACH * len(own))
        items[:] = [item for own in files.values() for item in own]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Leaves out what is left of a file whose time is over."""
        file = _file(item.nodeid)
        return self._spent[file] > self._limits[file] or None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Writes what a test took and which marks it passed, if all of it went well."""
        if report.when == "setup":
            self._took, self._passed = 0.0, True
        self._took += report.duration
        self._passed &= report.passed
        if report.when != "teardown":
            return
        self._spent[_file(report.nodeid)] += self._took
        marks = self._passed_marks()
        if self._passed:
            line = {
                "test": report.nodeid,
                "seconds": round(self._took, 3),
                "ray": "ray" in report.keywords,
                "marks": sorted(marks),
            }
            print(json.dumps(line), file=self._results, flush=True)

    def pytest_collection_finish(self) -> None:
        """Forgets the marks that importing all tests has passed."""
        self._passed_marks()

    def _passed_marks(self) -> list[int]:
        paths = list((self._tree / FOLDER).iterdir())
        for path in paths:
            path.unlink()
        return [int(path.name) for path in paths]


def _file(node: str) -> str:
    return node.split("::")[0]


def main(tree: str, seconds: str, *arguments: str) -> None:
    """Runs the tests of a tree in which marks were planted."""
    recorder = Recorder(Path(tree), float(seconds))
    pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[recorder])


if __name__ == "__main__":
    main(*sys.argv[1:])
