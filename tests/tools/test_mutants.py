"""Mutants: which faults are made, and which of them a run finds to be noticed by tests."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.mutants.changes import Mutant, Source, mutants_of, sample

ROOT = Path(__file__).parents[2]


def _mutants(folder: Path, text: str, file: str = "dataflow/one.py") -> list[Mutant]:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text)
    return mutants_of(Source(folder, file))


def _changes(folder: Path, statement: str) -> set[str]:
    """What becomes of a statement, in a function of which it is the first."""
    text = f"def f(a, b):\n    {statement}\n"
    changed = {mutant.apply(text.encode()).decode() for mutant in _mutants(folder, text)}
    for each in changed:
        compile(each, "one.py", "exec")
    return {each.removeprefix("def f(a, b):\n    ").removesuffix("\n") for each in changed}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("return", {"pass"}),
        ("return a", {"return None"}),
        ("raise ValueError(a)", {"pass"}),
        ("f(a)", {"pass"}),
        ("a = b < 1", {"a = (b >= 1)", "a = (b <= 1)", "a = b < (2)"}),
        ("a = a is b", {"a = (a is not b)"}),
        ("a = a == b != f", {"a = (a != b != f)", "a = (a == b == f)"}),
        ("a = a and b", {"a = (a or b)"}),
        ("a = not b", {"a = (b)"}),
        ("a = True", {"a = False"}),
        ("a = b - b", {"a = (b + b)"}),
        ("a = 'x' + b", set()),
        ("a = a if b else f", {"a = (a)", "a = (f)"}),
        ("if a: b = f", {"if False: b = f", "if True: b = f"}),
        ("a: f[1] = b", set()),
        ("assert a == 1", set()),
        ("a.warning(b + 1)", set()),
        ("'Doubles 1.'", set()),
        ("a = f'{a + 1}'", set()),
        ("a = f(b, doc=1, strict=True)", set()),
        ("import a", set()),
    ],
)
def test_changes(tmp_path: Path, statement: str, expected: set[str]) -> None:
    assert _changes(tmp_path, statement) == expected


def test_what_only_declares_has_no_mutants(tmp_path: Path) -> None:
    text = '''
"""Holds 1 thing."""

from typing import TYPE_CHECKING, Protocol, overload

__all__ = ["one"]

if TYPE_CHECKING:
    LIMIT = 1


class Shape(Protocol):
    def rank(self) -> int:
        return 1


@overload
def one(a: int) -> int:
    return 1
'''
    assert _mutants(tmp_path, text) == []


def test_a_default_and_a_constant_show_where_functions_begin(tmp_path: Path) -> None:
    text = 'LIMIT = 7\n\n\ndef one(a=False):\n    """One."""\n    a.b = a\n'
    constant, default = _mutants(tmp_path, text)
    assert (constant.old, constant.new, constant.within) == ("7", "(8)", "")
    assert (default.old, default.new, default.within) == ("False", "True", "one")
    assert constant.shown == default.shown == (text.index("a.b"),)


def test_every_room_has_one_and_none_overlap(tmp_path: Path) -> None:
    text = "def f(a, b):\n" + "    a = not (a < b + 1 and b)\n" * 20
    rooms = ["dataflow", "dataflow/ops/math", "actors/run", "kernels/onednn"]
    candidates = [m for room in rooms for m in _mutants(tmp_path, text, f"{room}/one.py")]
    for seed in range(20):
        few, many = sample(candidates, 4, seed), sample(candidates, 12, seed)
        assert sorted(m.room for m in few) == sorted(rooms)
        assert len(many) == 12
        assert many == sample(candidates, 12, seed)
        for a in many:
            assert [
                b for b in many if b.file == a.file and b.start < a.end and a.start < b.end
            ] == [a]
    assert sample(candidates, 12, 1) != sample(candidates, 12, 2)


_LIBRARY = """
from __future__ import annotations

LIMIT = 10


def limited(a, loud=False):
    if loud:
        a = a + 1
    return min(a, LIMIT)


def elsewhere(a):
    return a - 1


def forgotten():
    return 3
"""

_TESTS = """
import subprocess
import sys

from dataflow.sums import limited


def test_limited():
    assert limited(3) == 3 and limited(30) == 10


def test_in_another_process():
    program = "from dataflow.sums import elsewhere; assert elsewhere(3) == 2"
    subprocess.run([sys.executable, "-c", program], check=True)
"""

_EXPECTED = {
    ("", "10", "(11)"): "killed",
    ("limited", "False", "True"): "killed",
    ("limited", "loud", "False"): "survived",
    ("limited", "loud", "True"): "killed",
    ("limited", "a + 1", "(a - 1)"): "not reached",
    ("limited", "1", "(2)"): "not reached",
    ("limited", "min(a, LIMIT)", "None"): "killed",
    ("elsewhere", "a - 1", "None"): "killed",
    ("elsewhere", "a - 1", "(a + 1)"): "killed",
    ("elsewhere", "1", "(2)"): "killed",
    ("forgotten", "3", "None"): "not reached",
    ("forgotten", "3", "(4)"): "not reached",
}


@pytest.mark.long
@pytest.mark.slow
def test_a_run_finds_what_tests_notice(tmp_path: Path) -> None:
    """A library and its tests in a tree of their own."""
    shutil.copytree(ROOT / "tools" / "mutants", tmp_path / "tools" / "mutants")
    (tmp_path / "dataflow").mkdir()
    (tmp_path / "dataflow" / "__init__.py").write_text("from __future__ import annotations\n")
    (tmp_path / "dataflow" / "sums.py").write_text(_LIBRARY)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_sums.py").write_text(_TESTS)
    command = [sys.executable, "-m", "tools.mutants", "--count=99", "--out=out"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    lines = (tmp_path / "out" / "outcomes.jsonl").read_text().splitlines()
    found = {(o["within"], o["old"], o["new"]): o["outcome"] for o in map(json.loads, lines)}
    assert len(found) > 4
    assert found == {change: _EXPECTED[change] for change in found}
    assert f"{len(found)} of {len(_EXPECTED)} mutants" in said
    assert (tmp_path / "dataflow" / "sums.py").read_text() == _LIBRARY
    # A second run has nothing left to do.
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "killed: " in said and "killed: " not in again
