"""Times steps in one process, here and in TensorFlow, in turns: python benchmarks/local.py.

`--profile` shows where the time of our steps goes instead.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import click
import numpy as np
import processes
from profile_steps import profile
from programs.program import Program, Step
from programs.table import PROGRAMS
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Rounds:
    """How a program is timed."""

    count: int
    seconds: float
    clock: Callable[[], float] = time.perf_counter


@dataclass(frozen=True, slots=True)
class Row:
    """Medians of both libraries, and of the ratio, with its least and its largest value."""

    name: str
    unit: str
    ours: float
    tensorflow: float
    ratio: float
    ratio_low: float
    ratio_high: float
    limit: float | None

    @property
    def missed(self) -> bool:
        """Whether the row has a target that it misses."""
        return self.limit is not None and self.ratio > self.limit


def summary(
    name: str, unit: str, ours: list[float], theirs: list[float], limit: float | None
) -> Row:
    """The row of samples that were taken in turns."""
    ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
    return Row(
        name,
        unit,
        statistics.median(ours),
        statistics.median(theirs),
        statistics.median(ratios),
        ratios[0],
        ratios[-1],
        limit,
    )


def repeats_for(step: Step, seconds: float) -> int:
    """How often a step fits into a round, once it is warm."""
    for _ in range(5):
        step()
    start = time.perf_counter()
    step()
    return max(1, int(seconds / (time.perf_counter() - start)))


def time_round(step: Step, repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Microseconds that one step takes, on average over a round."""
    start = clock()
    for _ in range(repeats):
        step()
    return (clock() - start) / repeats * 1e6


def check_equal(ours: Any, theirs: Any) -> None:
    """Refuses steps that do different work.

    Raises:
      ValueError: The results of the first steps differ.
    """
    if isinstance(theirs, dict):
        ours, theirs = list(ours.values()), list(theirs.values())
    if isinstance(theirs, (list, tuple)):
        for one, other in zip(ours, theirs, strict=True):
            check_equal(one, other)
    elif (ours is None) is not (theirs is None):
        raise ValueError("One library returns a value and the other one none.")
    elif theirs is not None and not np.allclose(ours, theirs, rtol=1e-3, atol=1e-4):
        raise ValueError("The libraries' results differ.")


def measure(
    program: Program, rounds: Rounds, check: Callable[[Any, Any], None] = check_equal
) -> Row:
    """Times a program in both libraries, whose first results are checked against each other."""
    import tensorflow.compat.v1 as oracle

    import dataflow

    sessions: list[Any] = []
    steps: list[Step] = []
    for library in (dataflow, oracle):
        with library.Graph().as_default() as graph:
            library.set_random_seed(1)
            sessions.append(library.Session(graph=graph))
            steps.append(program.build(library, sessions[-1]))
    check(*[step() for step in steps])
    repeats = [repeats_for(step, rounds.seconds) for step in steps]
    gc.collect()
    samples: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds.count):
        for taken, step, count in zip(samples, steps, repeats, strict=True):
            taken.append(time_round(step, count, rounds.clock))
    for session in sessions:
        session.close()
    return summary(program.name, "us", *samples, program.limit)


def measure_processes(task: str, rounds: int) -> list[Row]:
    """Measures what fresh processes of both libraries report about a task."""
    samples = [
        [processes.sample(task, library) for library in ("dataflow", "tensorflow")]
        for _ in range(rounds)
    ]
    return [
        summary(
            quantity.name,
            quantity.unit,
            [ours[quantity.key] for ours, _ in samples],
            [theirs[quantity.key] for _, theirs in samples],
            quantity.limit,
        )
        for quantity in processes.TASKS[task]
    ]


def shown(rows: list[Row]) -> Table:
    """The table of the rows; targets that are missed are marked."""
    table = Table("program", "ours", "TensorFlow", "", "ratio", "spread", "at most", "")
    for row in rows:
        digits = 2 if row.unit == "s" else 0
        table.add_row(
            row.name,
            f"{row.ours:,.{digits}f}",
            f"{row.tensorflow:,.{digits}f}",
            row.unit,
            f"{row.ratio:.3f}",
            f"{row.ratio_low:.3f} to {row.ratio_high:.3f}",
            "" if row.limit is None else f"{row.limit:.2f}",
            "missed" if row.missed else "",
        )
    return table


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    names = ("numpy", "scipy", "protobuf", "tensorflow-cpu")
    variables = {
        key: value
        for key, value in sorted(os.environ.items())
        if key.startswith(("OPENBLAS", "OMP_", "MKL_", "TF_ENABLE"))
    }
    return {
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in names},
        "environment": variables,
    }


def _version(name: str) -> str:
    """A package's version, or "absent": not every benchmark needs TensorFlow."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"


PROCESSOR = click.option(
    "--processor",
    "clock",
    is_flag=True,
    # A clock as the default would be called: click takes it for a function that gives one.
    callback=lambda context, option, chosen: time.process_time if chosen else time.perf_counter,
    help="Counts the processor's time of all threads, not the clock's: for a machine in use.",
)


@click.command()
@click.option("--only", default="", help="Runs the programs whose name contains this.")
@click.option("--rounds", default=9, type=click.IntRange(1), help="Rounds of each program.")
@click.option("--seconds", default=0.2, help="About how long a round takes.")
@click.option(
    "--process-rounds",
    default=3,
    type=click.IntRange(1),
    help="Fresh processes for each library and quantity.",
)
@PROCESSOR
@click.option("--profile", "profiled", is_flag=True, help="Shows where our steps' time goes.")
@click.option("--output", type=Path, default=Path("benchmarks/results/local.json"))
def main(
    only: str,
    rounds: int,
    seconds: float,
    process_rounds: int,
    clock: Callable[[], float],
    profiled: bool,
    output: Path,
) -> None:
    """Prints a table of the ratios and writes them as JSON."""
    console = Console(width=130)
    chosen = [program for program in PROGRAMS if only in program.name]
    if profiled:
        for program in chosen:
            console.print(profile(program))
        return
    rows: list[Row] = []
    failures: list[str] = []

    def add(more: Sequence[Row]) -> None:
        rows.extend(more)
        for row in more:
            click.echo(f"{row.name}: {row.ratio:.3f}", err=True)
        content = {"machine": machine(), "rows": [asdict(r) for r in rows], "failures": failures}
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(content, indent=1) + "\n")

    if chosen:
        import tensorflow.compat.v1 as oracle

        oracle.disable_v2_behavior()
        oracle.logging.set_verbosity(oracle.logging.ERROR)
    for program in chosen:
        try:
            add([measure(program, Rounds(rounds, seconds, clock))])
        except Exception as error:  # The other rows are worth having.
            failures.append(f"{program.name}: {type(error).__name__}: {error}")
            click.echo(failures[-1], err=True)
    for task, quantities in processes.TASKS.items():
        if any(only in quantity.name for quantity in quantities):
            add(measure_processes(task, process_rounds))
    add([])
    console.print(shown(rows))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
