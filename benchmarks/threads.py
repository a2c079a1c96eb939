"""Times programs with more and more threads: python benchmarks/threads.py [--threads 1,2,4,8,16].

Sessions of one process take turns. More threads than the machine has cores show what a session
costs that is told of cores which others use.
"""

from __future__ import annotations

import gc
import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from local import machine, repeats_for, time_round
from programs.program import Program, Step
from programs.table import PROGRAMS
from rich.console import Console
from rich.table import Table

import dataflow as tf


@dataclass(frozen=True, slots=True)
class Row:
    """Median microseconds of a step by the number of threads, in the order of the numbers.

    Attributes:
        program: Its name.
        threads: The numbers.
        medians: One for each.
        slowdowns: For each number the median, over the rounds, of its time over the least that
            fewer threads took in the same round; 0 for the first.
    """

    program: str
    threads: tuple[int, ...]
    medians: tuple[float, ...]
    slowdowns: tuple[float, ...]

    @property
    def worst(self) -> float:
        """The largest of `slowdowns`: above 1 more threads cost time."""
        return max(self.slowdowns)


def row_of(program: str, threads: Sequence[int], rounds: Sequence[Sequence[float]]) -> Row:
    """The row of rounds, in each of which all numbers of threads were timed."""
    slowdowns = [0.0] + [
        statistics.median(taken[place] / min(taken[:place]) for taken in rounds)
        for place in range(1, len(threads))
    ]
    medians = [statistics.median(times) for times in zip(*rounds, strict=True)]
    return Row(program, tuple(threads), tuple(medians), tuple(slowdowns))


def measure(program: Program, threads: Sequence[int], rounds: int, seconds: float) -> Row:
    """Times a program with each number of threads, in turns."""
    sessions: list[tf.Session] = []
    steps: list[Step] = []
    for number in threads:
        config = tf.ConfigProto(
            intra_op_parallelism_threads=number, inter_op_parallelism_threads=number
        )
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(1)
            sessions.append(tf.Session(graph=graph, config=config))
            steps.append(program.build(tf, sessions[-1]))
    repeats = [repeats_for(step, seconds) for step in steps]
    gc.collect()
    taken = [
        [time_round(step, count) for step, count in zip(steps, repeats, strict=True)]
        for _ in range(rounds)
    ]
    for session in sessions:
        session.close()
    return row_of(program.name, threads, taken)


def shown(rows: Sequence[Row]) -> Table:
    """The table of the rows."""
    table = Table("program", *(f"{number}" for number in rows[0].threads), "slowest step up")
    for row in rows:
        times = (f"{median:,.0f}" for median in row.medians)
        table.add_row(row.program, *times, f"{row.worst:.2f}")
    return table


def _numbers(_context: click.Context, _option: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise click.BadParameter("give numbers with commas between them") from None
    if len(found) < 2 or found[0] < 1:
        raise click.BadParameter("give two or more numbers from 1 on")
    return found


@click.command()
@click.option("--only", default="", help="Runs the programs whose name contains this.")
@click.option("--threads", default="1,2,4,8,16", callback=_numbers, help="Numbers of threads.")
@click.option("--rounds", default=9, type=click.IntRange(1), help="Rounds of each program.")
@click.option("--seconds", default=0.1, help="About how long a round takes.")
@click.option("--output", type=Path, default=Path("benchmarks/results/threads.json"))
def main(only: str, threads: tuple[int, ...], rounds: int, seconds: float, output: Path) -> None:
    """Prints a table of the times and writes them as JSON."""
    rows: list[Row] = []
    for program in PROGRAMS:
        if only in program.name:
            rows.append(measure(program, threads, rounds, seconds))
            click.echo(f"{program.name}: {rows[-1].worst:.2f}", err=True)
            content = {"machine": machine(), "rows": [asdict(row) for row in rows]}
            output.parent.mkdir(parents=True, exist_ok=True)
            output.write_text(json.dumps(content, indent=1) + "\n")
    if not rows:
        raise click.BadParameter(f"no program's name contains '{only}'", param_hint="--only")
    Console(width=110).print(shown(rows))


if __name__ == "__main__":
    main()
