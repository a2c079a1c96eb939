"""Times input pipelines here and in TensorFlow: datasets, record files, queues.

python benchmarks/inputs.py

Each pipeline is built in two processes, with a library each: threads that make elements ahead would
take time from the other one. Its elements are compared, then rounds alternate; a ratio is the
median of those of neighbouring rounds, above 1 where we take longer. That of the processor's time
counts all threads, and says more than the clock where others use the machine.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click
import numpy as np
from child import load
from input_pipelines import PIPELINES, Pipeline, write_files
from local import machine
from rich.console import Console
from rich.table import Table

import dataflow

_COMPARED = 3
"""Steps whose elements are compared."""


@dataclass(frozen=True, slots=True)
class Row:
    """Microseconds an element: medians."""

    pipeline: str
    ours: float
    theirs: float
    ratio: float
    lowest: float
    highest: float
    processor: float
    """Ratio of the processor's time,"""
    processor_lowest: float
    processor_highest: float


def _step(tf: Any, pipeline: Pipeline, folder: Path, stack: ExitStack) -> Callable[[], Any]:
    """Builds a pipeline; gives what takes the next elements."""
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        fetched = pipeline.build(tf, folder)
    session = stack.enter_context(tf.Session(graph=graph))
    with graph.as_default():
        session.run(tf.global_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
    stack.callback(coordinator.join, threads, stop_grace_period_secs=5)
    stack.callback(coordinator.request_stop)
    parts = fetched.values() if isinstance(fetched, dict) else fetched
    call: Callable[[], Any] = session.make_callable(
        list(parts) if isinstance(parts, (tuple, list)) or parts is not fetched else [fetched]
    )
    return call


def _timed(step: Callable[[], Any], seconds: float, before: float) -> tuple[float, float]:
    """Seconds a step, by the clock, and of the processor since it had spent so many before.

    What threads made ahead while the other library had its turn is a part of that.
    """
    count, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds or not count:
        step()
        count += 1
    return spent / count, (time.process_time() - before) / count


def _serve(library: str, folder: Path, pipe: Connection) -> None:
    """Sends the first elements of pipelines, and what each takes for as long as it is told."""
    tf = load(library)
    while (number := pipe.recv()) is not None:
        with ExitStack() as stack:
            step = _step(tf, PIPELINES[number], folder, stack)
            pipe.send([step() for _ in range(_COMPARED)])
            before = time.process_time()
            while seconds := pipe.recv():
                pipe.send(_timed(step, seconds, before))
                before = time.process_time()


def _start(folder: Path) -> list[Connection]:
    """Starts a process for each library."""
    pipes = []
    context = multiprocessing.get_context("spawn")
    for library in ("dataflow", "tensorflow"):
        pipe, end = context.Pipe()
        context.Process(target=_serve, args=(library, folder, end), daemon=True).start()
        pipes.append(pipe)
    return pipes


def _compare(pipeline: Pipeline, ours: Any, theirs: Any) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        if pipeline.is_ordered and not np.array_equal(mine, other):
            raise ValueError(f"{pipeline.name}: {mine}, not {other}")
        if np.shape(mine) != np.shape(other):
            raise ValueError(f"{pipeline.name}: {np.shape(mine)}, not {np.shape(other)}")


def measure(number: int, pipes: list[Connection], rounds: int, seconds: float) -> Row:
    """Times a pipeline.

    Raises:
      ValueError: Its elements are not TensorFlow's.
    """
    pipeline = PIPELINES[number]
    for pipe in pipes:
        pipe.send(number)
    for ours, theirs in zip(*(pipe.recv() for pipe in pipes), strict=True):
        _compare(pipeline, ours, theirs)

    def timed(pipe: Connection) -> tuple[float, float]:
        pipe.send(seconds)
        found: tuple[float, float] = pipe.recv()
        return found

    pairs = [tuple(timed(pipe) for pipe in pipes) for _ in range(rounds + 1)][1:]
    for pipe in pipes:
        pipe.send(0.0)
    ratios, processor = ([mine[i] / other[i] for mine, other in pairs] for i in range(2))
    scale = 1e6 / pipeline.elements
    return Row(
        pipeline.name,
        statistics.median(mine[0] for mine, _ in pairs) * scale,
        statistics.median(other[0] for _, other in pairs) * scale,
        *(statistics.median(ratios), min(ratios), max(ratios)),
        *(statistics.median(processor), min(processor), max(processor)),
    )


@click.command()
@click.option("--rounds", default=9, help="How often each library is timed.")
@click.option("--seconds", default=0.3, help="Of one round.")
@click.option("--only", default="", help="Pipelines whose name contains this.")
@click.option("--output", type=Path, default=Path("benchmarks/results/inputs.json"))
def main(rounds: int, seconds: float, only: str, output: Path) -> None:
    """Times input pipelines here and in TensorFlow."""
    table = Table("pipeline", "us an element", "TensorFlow", "ratio", "from", "to")
    for title in ("processor", "from", "to"):
        table.add_column(title)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        write_files(dataflow, Path(name))
        pipes = _start(Path(name))
        for number, pipeline in enumerate(PIPELINES):
            if only in pipeline.name:
                row = asdict(measure(number, pipes, rounds, seconds))
                rows.append(row)
                title, *numbers = row.values()
                table.add_row(title, *(f"{each:.2f}" for each in numbers))
    Console().print(table)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
