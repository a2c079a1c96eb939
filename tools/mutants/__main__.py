"""Draws mutants over all rooms and counts those that a test notices: python -m tools.mutants.

Works in a copy of the tree. First the tests run once with a mark at the place of each mutant, which
tells who reaches it; then each mutant is made alone, and tests that reach it run until one fails
twice. Those whose names share words with the mutated place come first, those that start Ray last.
Outcomes are written to OUT/outcomes.jsonl one by one; a run with the same options goes on where the
last one ended. The tests of a mutant are a choice: what survived may be known to tests that had no
turn.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from tools.mutants import reached
from tools.mutants.changes import Mutant, mutants_of, sample, sources

ROOT = Path(__file__).parents[2]
_IGNORED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "*.egg-info")
_OTHERS = ("benchmarks", "examples", "house", "tools")
"""Folders of tests of something else than the library, or of its sources as they stand."""
_HANGS = 90
"""Seconds after which a test is said to hang, on a busy machine."""
_EVERYWHERE = {"actor", "dataflow", "kernel", "op", "py", "test"}
"""Words that tell no file from another."""
_FAILED = re.compile(r"(FAILED|ERROR) tests/")


@dataclass(frozen=True)
class Test:
    """A test that reaches a mutant."""

    node: str
    seconds: float
    ray: bool

    @property
    def function(self) -> str:
        """Its file and function, without parameters."""
        return self.node.split("[")[0]


@click.command()
@click.option("--count", "number", default=100, show_default=True, help="How many mutants.")
@click.option("--seed", default=1, show_default=True, help="Another seed draws other mutants.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder of the results."
)
@click.option(
    "--without",
    multiple=True,
    default=("kernels/gpu/",),
    show_default=True,
    help="Files that are left as they are.",
)
@click.option("--tests", default="tests", show_default=True, help="What the tests are taken from.")
@click.option("--trace-seconds", default=5.0, show_default=True, help="For each test file.")
@click.option("--seconds", default=30.0, show_default=True, help="Tests of a mutant, if they pass.")
def main(
    number: int,
    seed: int,
    out: Path,
    without: tuple[str, ...],
    tests: str,
    trace_seconds: float,
    seconds: float,
) -> None:
    """Counts the mutants that the tests notice."""
    out.mkdir(parents=True, exist_ok=True)
    candidates = [m for source in sources(ROOT, without) for m in mutants_of(source)]
    mutants = sample(candidates, number, seed)
    print(f"{len(mutants)} of {len(candidates)} mutants", flush=True)
    if not (out / "reached.jsonl").exists():
        with _copied_tree() as tree:
            _trace(tree, mutants, tests, trace_seconds)
            shutil.copy(tree / reached.RESULTS, out / "reached.jsonl")
    tests_of = _tests_of(out / "reached.jsonl", mutants)
    outcomes = out / "outcomes.jsonl"
    outcomes.touch()
    known = {line["name"] for line in map(json.loads, outcomes.open())}
    with _copied_tree() as tree, outcomes.open("a") as results:
        for index, mutant in enumerate(mutants):
            if mutant.name in known:
                continue
            outcome = _try(tree, mutant, *tests_of[index], seconds)
            print(json.dumps(outcome), file=results, flush=True)
            print(f"{index + 1}/{len(mutants)} {outcome['outcome']}: {mutant.name}", flush=True)
    _report([json.loads(line) for line in outcomes.open()])


@contextmanager
def _copied_tree() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, symlinks=True, ignore=_IGNORED)
        yield tree


def _trace(tree: Path, mutants: list[Mutant], tests: str, seconds: float) -> None:
    reached.plant(tree, mutants)
    ignored = [f"--ignore=tests/{folder}" for folder in _OTHERS]
    options = [str(tree), str(seconds), tests, *ignored]
    _run(tree, ["-m", "tools.mutants.reached", *options], None)


def _tests_of(traced: Path, mutants: list[Mutant]) -> list[tuple[bool, list[Test]]]:
    """For each mutant whether tests were seen to reach it, and these, or else its namesakes."""
    found: list[list[Test]] = [[] for _ in mutants]
    tests = []
    for line in map(json.loads, traced.open()):
        tests.append(Test(line["test"], line["seconds"], line["ray"]))
        for mark in line["marks"]:
            found[mark].append(tests[-1])
    return [
        (bool(own), own or [t for t in tests if _words_of(mutant) & _words(t.function)])
        for mutant, own in zip(mutants, found, strict=True)
    ]


def chosen(mutant: Mutant, tests: list[Test], seconds: float) -> list[Test]:
    """Tests that take `seconds` together: namesakes first, then one of each file in turns."""
    words, module = _words_of(mutant), _words(Path(mutant.file).stem)
    turns: Counter[str] = Counter()
    order = []
    for test in sorted(tests, key=lambda t: (t.ray, t.seconds)):
        file = test.node.split("::")[0]
        namesakes = len(words & _words(test.function)) + 4 * bool(module and module <= _words(file))
        order.append(((test.ray, turns[file] // (1 + namesakes), -namesakes), test))
        turns[file] += 1
    taken: list[Test] = []
    for _, test in sorted(order, key=lambda pair: pair[0]):
        if taken and seconds < test.seconds:
            break
        taken.append(test)
        seconds -= test.seconds
    return taken


def _words_of(mutant: Mutant) -> set[str]:
    return _words(f"{mutant.file} {mutant.within}")


def _words(text: str) -> set[str]:
    words = re.findall(r"[a-z0-9]+", re.sub(r"([A-Z])", r" \1", text).lower())
    return {word.rstrip("s") for word in words} - _EVERYWHERE


_moments = count(int(time.time()) + 10**6)


def _try(
    tree: Path, mutant: Mutant, is_reached: bool, tests: list[Test], seconds: float
) -> dict[str, object]:
    """Makes a mutant, runs its tests, and takes it back."""
    path = tree / mutant.file
    source, before = path.read_bytes(), path.stat()
    run = chosen(mutant, tests, seconds)
    began = time.perf_counter()
    outcome, killer = "survived", ""
    if run:
        path.write_bytes(mutant.apply(source))
        # Bytecode is known by time and size, and neither need differ otherwise.
        moment = next(_moments)
        os.utime(path, (moment, moment))
        try:
            outcome, killer = _outcome(tree, run)
        finally:
            path.write_bytes(source)
            os.utime(path, (before.st_atime, before.st_mtime))
    if outcome == "survived" and not is_reached:
        outcome = "not reached"
    return {
        "name": mutant.name,
        "outcome": outcome,
        "killer": killer,
        "tests": len(run),
        "reached_by": is_reached * len(tests),
        "seconds": round(time.perf_counter() - began, 1),
        **asdict(mutant),
        "room": mutant.room,
    }


def _outcome(tree: Path, run: list[Test]) -> tuple[str, str]:
    code, failed = _run_tests(tree, run)
    while code and failed is not None:
        # A busy machine makes tests fail too, but hardly twice.
        if _run_tests(tree, [failed])[0] != 0:
            return "killed", failed.node
        run = run[run.index(failed) + 1 :]
        if not run:
            return "survived", ""
        code, failed = _run_tests(tree, run)
    if code is None:
        return "timeout", ""
    return ("killed" if code else "survived"), ""


def _run_tests(tree: Path, run: list[Test]) -> tuple[int | None, Test | None]:
    """Exit code, None if it took too long, and the first test that failed, if it is known."""
    limit = 10 * sum(test.seconds for test in run) + 2 * _HANGS
    (tree / ".tests").write_text("\n".join(test.node for test in run))
    options = ["-xq", "-p", "no:cacheprovider", "-o", f"timeout={_HANGS}"]
    code, said = _run(tree, ["-m", "pytest", *options, "@.tests"], limit)
    lines = [line.partition(" ")[2] for line in said.splitlines() if _FAILED.match(line)]
    failed = [
        t for t in run if any(line == t.node or line.startswith(f"{t.node} - ") for line in lines)
    ]
    return code, failed[0] if failed else None


def _run(tree: Path, arguments: list[str], limit: float | None) -> tuple[int | None, str]:
    """Exit code, None if it took too long, and output of Python in the tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "TF_CPP_MIN_LOG_LEVEL": "2"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with (tree / ".output").open("w") as output:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(limit)
        except BaseException as error:
            # All that it started, as Ray's processes, goes with it.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            code = None
    return code, (tree / ".output").read_text(errors="replace")


def _report(outcomes: list[dict[str, str]]) -> None:
    """Prints a row for each room, and what survived."""
    table = Table("room", "mutants", "killed", "survived", "not reached", "timeout")
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        for room in (outcome["room"], "all"):
            rooms[room][outcome["outcome"]] += 1
    for room in [*sorted(rooms.keys() - {"all"}), "all"]:
        seen = rooms[room]
        kinds = ("killed", "survived", "not reached", "timeout")
        table.add_row(room, str(seen.total()), *(str(seen[kind] or "") for kind in kinds))
    console = Console(width=140)
    console.print(table)
    for outcome in outcomes:
        if outcome["outcome"] in ("survived", "not reached"):
            change = f"{outcome['old']} -> {outcome['new']}"
            console.print(f"{outcome['outcome']}: {outcome['name']}: {change}", markup=False)


if __name__ == "__main__":
    main()
