"""Times steps over two workers, here and in TensorFlow, in turns: python benchmarks/distributed.py.

TensorFlow runs its grpc runtime, a process for each worker; we run a `Server` on Ray.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import click
from clusters import one_machine, tensorflow_cluster, two_machines
from local import Rounds, Row, check_equal, machine, repeats_for, shown, summary, time_round
from programs.distributed import ONE_MACHINE, TWO_MACHINES
from programs.program import Program, Step
from rich.console import Console

SUITES = ((one_machine, ONE_MACHINE), (two_machines, TWO_MACHINES))


def measure(program: Program, ours: str, theirs: str, rounds: Rounds) -> Row:
    """Times a program in both libraries.

    Args:
      program: The program.
      ours: Our target.
      theirs: TensorFlow's.
      rounds: How it is timed.

    Raises:
      ValueError: The results of the first steps differ.
    """
    import tensorflow.compat.v1 as oracle

    import dataflow

    scope = re.sub(r"\W+", "_", program.name)
    sessions: list[Any] = []
    steps: list[Step] = []
    try:
        for library, target in ((dataflow, ours), (oracle, theirs)):
            # Sessions of one cluster share its variables by name.
            with library.Graph().as_default() as graph, library.name_scope(scope):
                sessions.append(library.Session(target, graph=graph))
                steps.append(program.build(library, sessions[-1]))
        check_equal(*[step() for step in steps])
        repeats = [repeats_for(step, rounds.seconds) for step in steps]
        gc.collect()
        samples: tuple[list[float], list[float]] = ([], [])
        for _ in range(rounds.count):
            for taken, step, count in zip(samples, steps, repeats, strict=True):
                taken.append(time_round(step, count))
    finally:
        for session in sessions:
            session.close()
    return summary(program.name, "us", *samples, program.limit)


def setting() -> dict[str, Any]:
    """What the figures depend on."""
    found = machine()
    found["versions"] |= {name: metadata.version(name) for name in ("ray", "msgpack")}
    return found


@click.command()
@click.option("--only", default="", help="Runs the programs whose name contains this.")
@click.option("--rounds", default=9, help="Rounds of each program.")
@click.option("--seconds", default=0.4, help="About how long a round takes, one step at least.")
@click.option("--output", type=Path, default=Path("benchmarks/results/distributed.json"))
def main(only: str, rounds: int, seconds: float, output: Path) -> None:
    """Prints a table of the ratios and writes them as JSON."""
    import tensorflow.compat.v1 as oracle

    oracle.disable_v2_behavior()
    oracle.logging.set_verbosity(oracle.logging.ERROR)
    rows: list[Row] = []
    failures: list[str] = []

    def run(programs: Sequence[Program], ours: str, theirs: str) -> None:
        for program in programs:
            try:
                rows.append(measure(program, ours, theirs, Rounds(rounds, seconds)))
                row = rows[-1]
                click.echo(
                    f"{row.name}: {row.ours:.0f} of {row.tensorflow:.0f} us, {row.ratio:.3f}",
                    err=True,
                )
            except Exception as error:  # The other rows are worth having.
                failures.append(f"{program.name}: {type(error).__name__}: {error}")
                click.echo(failures[-1], err=True)

    with tensorflow_cluster() as theirs:
        for cluster, programs in SUITES:
            chosen = [program for program in programs if only in program.name]
            if chosen:
                with cluster() as ours:
                    run(chosen, ours, theirs)
    content = {"machine": setting(), "rows": [asdict(r) for r in rows], "failures": failures}
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(content, indent=1) + "\n")
    Console(width=130).print(shown(rows))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
