"""Times steps in one process, here and in TensorFlow, in turns: python benchmarks/local.py."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import click
import tensorflow.compat.v1 as oracle
from rich.console import Console
from rich.table import Table

import dataflow

sys.path.insert(0, str(Path(__file__).parent))
from programs import STEPS, Program, Step

ROUNDS = 9
ROUND_SECONDS = 0.25


def repeats_for(step: Step) -> int:
    """How often a step fits into a round, once it is warm."""
    for _ in range(5):
        step()
    start = time.perf_counter()
    step()
    return max(1, int(ROUND_SECONDS / (time.perf_counter() - start)))


def time_round(step: Step, repeats: int) -> float:
    """Seconds that one step takes, on average over a round."""
    start = time.perf_counter()
    for _ in range(repeats):
        step()
    return (time.perf_counter() - start) / repeats


def measure(program: Program) -> dict[str, Any]:
    """Medians of both libraries and of the ratio, from rounds taken in turns."""
    opened = []
    for library in (dataflow, oracle):
        graph = library.Graph()
        with graph.as_default():
            session = library.Session(graph=graph)
            step = program.build(library, session)
        opened.append((session, step, repeats_for(step)))
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(time_round(*opened[0][1:]))
        theirs.append(time_round(*opened[1][1:]))
    for session, _, _ in opened:
        session.close()
    ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
    return {
        "program": program.name,
        "ours_us": statistics.median(ours) * 1e6,
        "tensorflow_us": statistics.median(theirs) * 1e6,
        "ratio": statistics.median(ratios),
        "ratio_low": ratios[0],
        "ratio_high": ratios[-1],
        "limit": program.limit,
    }


@click.command()
@click.option("--only", default="", help="Runs the programs whose name contains this.")
@click.option("--output", type=Path, default=Path("benchmarks/results/local.json"))
def main(only: str, output: Path) -> None:
    """Prints a table of the ratios and writes them as JSON."""
    oracle.disable_v2_behavior()
    oracle.logging.set_verbosity(oracle.logging.ERROR)
    results = [measure(program) for program in STEPS if only in program.name]
    table = Table("program", "ours us", "TensorFlow us", "ratio", "spread", "at most")
    for row in results:
        table.add_row(
            row["program"],
            f"{row['ours_us']:.0f}",
            f"{row['tensorflow_us']:.0f}",
            f"{row['ratio']:.3f}",
            f"{row['ratio_low']:.3f} to {row['ratio_high']:.3f}",
            f"{row['limit']:.2f}",
        )
    Console(width=120).print(table)
    machine = {"cores": os.cpu_count(), "processor": platform.processor() or platform.machine()}
    versions = {"tensorflow": oracle.VERSION, "python": platform.python_version()}
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({"machine": machine, **versions, "results": results}, indent=1))


if __name__ == "__main__":
    main()
