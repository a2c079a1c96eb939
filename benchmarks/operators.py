"""Times single operators, and small groups of them, here and in TensorFlow, in turns.

`python benchmarks/operators.py` prints those that take more of TensorFlow's time than `--above`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from local import PROCESSOR, Rounds, Row, machine, measure, shown
from programs.program import Program
from rich.console import Console
from survey.arrays import ARRAYS
from survey.data import DATA
from survey.groups import GROUPS
from survey.math import MATH
from survey.nets import NETS
from survey.numerics import NUMERICS
from survey.program import programs_of

OPERATORS: list[Program] = programs_of((*MATH, *ARRAYS, *NETS, *GROUPS, *DATA, *NUMERICS))


def check_close(ours: Any, theirs: Any) -> None:
    """Refuses values that are apart by more than float32 rounds sums of numbers of their size.

    Raises:
      ValueError: They are.
    """
    for one, other in zip(ours, theirs, strict=True):
        if other is not None:
            scale = max(1.0, float(np.abs(other).max(initial=0)))
            if not np.allclose(one, other, rtol=1e-3, atol=2e-5 * scale):
                raise ValueError("The libraries' results differ.")


@click.command()
@click.option("--only", default="", help="Runs the operators whose name contains this.")
@click.option("--rounds", default=5, type=click.IntRange(1), help="Rounds of each operator.")
@click.option("--seconds", default=0.03, help="About how long a round takes.")
@click.option("--above", default=1.0, help="The least ratio of a row that is printed.")
@PROCESSOR
@click.option("--output", type=Path, default=Path("benchmarks/results/operators.json"))
def main(
    only: str,
    rounds: int,
    seconds: float,
    above: float,
    clock: Callable[[], float],
    output: Path,
) -> None:
    """Prints the operators with the largest ratios first, and writes all of them as JSON."""
    import tensorflow.compat.v1 as oracle

    oracle.disable_v2_behavior()
    oracle.logging.set_verbosity(oracle.logging.ERROR)
    rows: list[Row] = []
    failures: list[str] = []
    for program in OPERATORS:
        if only not in program.name:
            continue
        try:
            rows.append(measure(program, Rounds(rounds, seconds, clock), check_close))
        except Exception as error:  # The other rows are worth having.
            failures.append(f"{program.name}: {type(error).__name__}: {error}")
            click.echo(failures[-1], err=True)
    rows.sort(key=lambda row: -row.ratio)
    content = {"machine": machine(), "rows": [asdict(row) for row in rows], "failures": failures}
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(content, indent=1) + "\n")
    Console(width=130).print(shown([row for row in rows if row.ratio > above]))
    click.echo(f"{len(rows)} operators, {sum(row.ratio > 1 for row in rows)} of them above 1")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
