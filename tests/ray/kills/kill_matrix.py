"""Kills processes and cuts connections at random moments; prints what came of it, as a table.

Run as `python -m tests.ray.kills.kill_matrix --count 100 --seed 1`.
"""

from __future__ import annotations

import itertools
import json
import statistics
import time
from collections import Counter
from collections.abc import Sequence

import click
import ray

from tests.ray.actors import all_living
from tests.ray.kills.kill_trials import BOTH, VICTIMS, Outcome, Range
from tests.ray.kills.kill_world import MOMENTS
from tests.ray.processes import run_module


def table(outcomes: Sequence[Outcome]) -> str:
    """One line for each victim and moment, in Markdown."""
    lines = [
        "| killed | while | kills | error seen | after: median | max | then | works again: max |",
        "|---|---|---|---|---|---|---|---|",
    ]
    cells: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        cells.setdefault((outcome.victim, outcome.moment), []).append(outcome)
    for (victim, moment), found in cells.items():
        seen = _counts(outcome.error for outcome in found)
        states = _counts(outcome.state for outcome in found)
        told = [outcome.seconds for outcome in found if outcome.error != "none"]
        spans = told or [outcome.seconds for outcome in found]
        lines.append(
            f"| {victim} | {moment} | {len(found)} | {seen} | {statistics.median(spans):.2f} s "
            f"| {max(spans):.2f} s | {states} | {max(o.back for o in found):.1f} s |"
        )
    return "\n".join(lines)


def _counts(values: object) -> str:
    counted = Counter(values)  # type: ignore[call-overload]
    if len(counted) == 1:
        return str(next(iter(counted)))
    return ", ".join(f"{value} ({count})" for value, count in counted.most_common())


def run_program(module: str, *arguments: str, timeout: float) -> list[Outcome]:
    """The outcomes that a program prints, which needs a Ray of its own.

    Args:
      module: Of this folder.
      *arguments: Of its command line.
      timeout: Seconds that it may take.
    """
    lines = run_module(f"kills.{module}", *arguments, timeout=timeout)
    return [Outcome(**json.loads(line)) for line in lines if line.startswith("{")]


@click.command()
@click.option("--count", default=72, help="Kills of processes and cuts of connections.")
@click.option("--seed", default=1, help="Of the random moments.")
@click.option("--victim", multiple=True, help="Only these; by default all.")
@click.option("--machines", default=0, help="Machines to lose.")
@click.option(
    "--given-up", default="", help='Machines given up that live on: "all", or "WAY:MOMENT".'
)
@click.option("--thaw", default=30.0, help="Seconds after which those thaw that were frozen.")
@click.option("--pressure/--no-pressure", default=False, help="Run out of memory and of store.")
def main(
    count: int,
    seed: int,
    victim: Sequence[str],
    machines: int,
    given_up: str,
    thaw: float,
    pressure: bool,
) -> None:
    """Kills processes on a Ray of its own."""
    outcomes = []
    if pressure:
        outcomes += run_program("kill_pressure", timeout=300)
    if machines:
        timeout = 120.0 * machines
        outcomes += run_program("kill_nodes", str(machines), str(seed), timeout=timeout)
    if given_up:
        outcomes += run_program("split_brain", str(seed), str(thaw), given_up, timeout=7200.0)
    victims = list(victim or (*VICTIMS, BOTH, "connection", "client"))
    cells = itertools.islice(itertools.cycle(itertools.product(victims, MOMENTS)), count)
    outcomes = kill_processes(list(cells), seed) + outcomes
    print(table(outcomes))


def kill_processes(cells: Sequence[tuple[str, str]], seed: int) -> list[Outcome]:
    """Kills one process for each pair of a victim and a moment."""
    ray.init(
        address="local",
        num_cpus=2,
        object_store_memory=200 * 2**20,
        include_dashboard=False,
        log_to_driver=False,
        _system_config={"worker_niceness": 0, "memory_monitor_refresh_ms": 0},
    )
    outcomes = []
    started = time.monotonic()
    shooting = Range(seed)
    for number, (kind, moment) in enumerate(cells, 1):
        outcomes.append(shooting.kill(kind, moment))
        print(f"{number:4} {time.monotonic() - started:7.1f} s  {outcomes[-1]}", flush=True)
    shooting.close()
    print(f"actors left: {sorted(all_living()) or 'none'}")
    ray.shutdown()
    return outcomes


if __name__ == "__main__":
    main()
