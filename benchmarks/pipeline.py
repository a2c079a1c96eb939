"""Times a model cut over 2 and 4 devices, a step after the other and several steps in flight.

python benchmarks/pipeline.py

The slowest stage bounds the throughput of a pipeline, and so do the cores of the machine for stages
that compute.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from local import machine
from rich.console import Console
from rich.table import Table
from stages import multiplied, multiplying, ray_with_stages, waiting

import dataflow as tf

SIZE = 512
"""Columns of the matrices that the stages multiply."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model, one stage a device."""

    name: str
    rows: int
    """Of the matrix that is fed."""
    stages: tuple[Callable[[Any, Any], Any], ...]
    expected: Callable[[np.ndarray], np.ndarray]
    known_bound: float | None = None
    """Milliseconds a step that the slowest stage allows, if it needs no core of the machine."""


@dataclass(frozen=True, slots=True)
class Row:
    """Milliseconds a step: medians."""

    model: str
    target: str
    stages: int
    one_by_one: float
    """Each step after the one before."""
    in_flight: float
    """With `run_async`."""
    bound: float
    """What the slowest stage takes, or the sum over the cores if that is more."""

    @property
    def reached(self) -> float:
        """The throughput, of what the bound allows."""
        return self.bound / self.in_flight


def waiting_model(*milliseconds: float) -> Model:
    """Stages that wait so long."""
    name = "waits of " + ", ".join(f"{each:g}" for each in milliseconds) + " ms"
    stages = tuple(waiting(each / 1000) for each in milliseconds)
    return Model(name, 1, stages, lambda value: value, max(milliseconds))


def computing_model(*products: int) -> Model:
    """Stages that multiply so often."""
    name = "products: " + ", ".join(map(str, products))
    stages = tuple(multiplying(SIZE, count) for count in products)
    return Model(name, SIZE, stages, lambda v: multiplied(v, sum(products)))


MODELS = (
    waiting_model(10, 10),
    waiting_model(40, 40),
    waiting_model(5, 20),
    waiting_model(10, 10, 10, 10),
    waiting_model(5, 10, 20, 5),
    computing_model(4, 4),
    computing_model(2, 2, 2, 2),
)


@contextmanager
def opened(target: str, stages: Sequence[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """A session on one device a stage, the placeholder and the end of the pipeline."""
    config = tf.ConfigProto(device_count={"CPU": len(stages)}, intra_op_parallelism_threads=1)
    with tf.Graph().as_default(), tf.Session(target, config=config) as session:
        with tf.device("/cpu:0"):
            x = y = tf.placeholder(tf.float32, [None, SIZE])
        for number, stage in enumerate(stages):
            with tf.device(f"/cpu:{number}"):
                y = stage(tf, y)
        yield session, x, y


def one_by_one(session: Any, x: Any, y: Any, value: np.ndarray, steps: int) -> float:
    """Milliseconds a step of `run`."""
    start = time.perf_counter()
    for _ in range(steps):
        session.run(y, {x: value})
    return (time.perf_counter() - start) / steps * 1e3


def in_flight(session: Any, x: Any, y: Any, value: np.ndarray, steps: int) -> tuple[float, Any]:
    """Milliseconds a step of `run_async` once the pipeline is full, and the last result."""
    ends: list[float] = []
    running = []
    for _ in range(steps):
        running.append(session.run_async(y, {x: value}))
        running[-1].add_done_callback(lambda _: ends.append(time.perf_counter()))
    results = [future.result() for future in running]
    first = session.max_steps_in_flight
    return (ends[-1] - ends[first]) / (steps - 1 - first) * 1e3, results[-1]


def bound_of(model: Model, value: np.ndarray, rounds: int) -> float:
    """Milliseconds a step that the slowest stage allows; stages that compute are timed alone."""
    if model.known_bound is not None:
        return model.known_bound
    alone = []
    for stage in model.stages:
        with opened("", [stage]) as (session, x, y):
            one_by_one(session, x, y, value, 5)
            alone.append(
                statistics.median(one_by_one(session, x, y, value, 5) for _ in range(rounds))
            )
    return max(*alone, sum(alone) / min(len(alone), os.cpu_count() or 1))


def measure(model: Model, target: str, steps: int, rounds: int) -> Row:
    """Times a model on a target.

    Raises:
      ValueError: It computes something else than it should.
    """
    value = np.random.default_rng(0).random((model.rows, SIZE), np.float32)
    value.flags.writeable = False
    bounds: list[float] = []
    single: list[float] = []
    several: list[float] = []
    with opened(target, model.stages) as (session, x, y):
        session.max_steps_in_flight = 2 * len(model.stages)
        in_flight(session, x, y, value, 3 * session.max_steps_in_flight)
        for _ in range(rounds):
            bounds.append(bound_of(model, value, 1))
            single.append(one_by_one(session, x, y, value, steps))
            taken, result = in_flight(session, x, y, value, steps)
            several.append(taken)
            if not np.allclose(result, model.expected(value), rtol=1e-3, atol=1e-3):
                raise ValueError(f"{model.name} on '{target}' gives a wrong result.")
    return Row(
        model.name,
        target or "in process",
        len(model.stages),
        statistics.median(single),
        statistics.median(several),
        statistics.median(bounds),
    )


def shown(rows: Sequence[Row]) -> Table:
    """The table of the rows."""
    table = Table("model", "target", "one by one", "in flight", "bound", "", "of the bound")
    for row in rows:
        table.add_row(
            row.model,
            row.target,
            f"{row.one_by_one:.1f}",
            f"{row.in_flight:.1f}",
            f"{row.bound:.1f}",
            "ms",
            f"{row.reached:.2f}",
        )
    return table


@click.command()
@click.option("--steps", default=60, help="Steps a round.", type=click.IntRange(20))
@click.option("--rounds", default=5, help="Rounds of each model.")
@click.option("--only", default="", help="Runs the models whose name contains this.")
@click.option("--output", type=Path, default=Path("benchmarks/results/pipeline.json"))
def main(steps: int, rounds: int, only: str, output: Path) -> None:
    """Prints a table and writes it as JSON."""
    rows: list[Row] = []
    with ray_with_stages():
        for model in MODELS:
            if only not in model.name:
                continue
            for target in ("", "ray"):
                rows.append(measure(model, target, steps, rounds))
                click.echo(f"{rows[-1]}", err=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    found = [asdict(row) | {"reached": row.reached} for row in rows]
    output.write_text(json.dumps({"machine": machine(), "rows": found}, indent=1) + "\n")
    Console(width=120).print(shown(rows))


if __name__ == "__main__":
    main()
