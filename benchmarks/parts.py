"""What the parts of a step cost: python benchmarks/parts.py [--only NAME] [--output FILE].

Each row is the least time of one part; the step's own work is as small as can be.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import dataflow as tf
from dataflow.actors.threads.pool import ThreadPool
from dataflow.runtime.signature import StepSignature
from dataflow.session.feeds import FeedSlot
from dataflow.session.fetches import add_structure_key, map_fetches

_ROUNDS = 7
_SECONDS = 0.03
_WARM_RUNS = 5


@dataclass(frozen=True, slots=True)
class Part:
    """A part and what one use of it costs."""

    name: str
    microseconds: float


def least(call: Callable[[], Any], uses: int = 1) -> float:
    """Microseconds of one use, the least of some rounds; a call makes `uses` of them."""
    for _ in range(_WARM_RUNS):
        call()
    start = time.perf_counter()
    call()
    repeats = max(1, int(_SECONDS / (time.perf_counter() - start)))
    rounds = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        rounds.append((time.perf_counter() - start) / repeats)
    return min(rounds) / uses * 1e6


def fetch_mapping() -> Iterator[Part]:
    """Fetch arguments: resolved anew, and recognized."""
    with tf.Graph().as_default() as graph:
        one = tf.constant(1.0)
        nest = {"list": [one + 1.0, one + 2.0], "pair": (one, {"op": one.op})}
        yield Part("fetch mapping: one tensor", least(lambda: map_fetches(graph, one)))
        yield Part("fetch mapping: nest of 4", least(lambda: map_fetches(graph, nest)))
        yield Part("recognizing a fetch: one tensor", least(lambda: add_structure_key(one, [])))
        yield Part("recognizing a fetch: nest of 4", least(lambda: add_structure_key(nest, [])))
        build = map_fetches(graph, nest).build
        values = [np.float32(0)] * 3
        yield Part("packing the results: nest of 4", least(lambda: build([*values, None])))


def feed_conversion() -> Iterator[Part]:
    """Values of feeds into arrays of the fed type."""
    with tf.Graph().as_default():
        scalar = FeedSlot(tf.placeholder(tf.float32, []))
        matrix = FeedSlot(tf.placeholder(tf.float32, [None, 100]))
    right = np.ones((10, 100), np.float32)
    other = right.astype(np.float64)
    nested = right.tolist()
    yield Part("feed: Python float", least(lambda: scalar.convert(2.0)))
    yield Part("feed: array of the right type", least(lambda: matrix.convert(right)))
    yield Part("feed: float64 array for float32, 1000", least(lambda: matrix.convert(other)))
    yield Part("feed: nested list, 1000 numbers", least(lambda: matrix.convert(nested)))


def steps() -> Iterator[Part]:
    """A step that does nothing, layer by layer."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        y = tf.identity(x + 1.0)
        session.run(y, {x: 1.0})
        link = session._link
        signature = StepSignature((x.name,), (y.name,), ())
        plan = link.plan(signature)
        value = np.array(1.0, np.float32)
        fed = session.make_callable(y, [x])
        bare = session.make_callable(tf.no_op())
        yield Part("plan look-up: by signature", least(lambda: link.plan(signature)))
        yield Part("step: runtime only", least(lambda: plan.call([value], None, None)))
        yield Part("step: callable without feeds, nothing to do", least(bare))
        yield Part("step: callable, one feed", least(lambda: fed(value)))
        yield Part("step: run, one feed", least(lambda: session.run(y, {x: value})))
        options = tf.RunOptions(timeout_in_ms=10_000)
        timed = least(lambda: session.run(y, {x: value}, options))
        yield Part("step: run with a deadline", timed)
        traced = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        yield Part(
            "step: run with a trace",
            least(lambda: session.run(y, {x: value}, traced, tf.RunMetadata())),
        )


def _chain_cost(kind: str, length: int) -> float:
    makers: dict[str, Callable[[Any, int], Any]] = {
        "elementwise, 32 floats": lambda y, index: y * 0.999 if index % 2 else y + 0.001,
        "transpose, 4 x 8": lambda y, index: tf.transpose(y),
        "matmul, 4 x 4": lambda y, index: tf.matmul(y, y),
        "reduce and broadcast, 4 x 8": lambda y, index: y - tf.reduce_mean(y, 0, keepdims=True),
    }
    shapes = {"elementwise, 32 floats": (32,), "matmul, 4 x 4": (4, 4)}
    with tf.Graph().as_default(), tf.Session() as session:
        value = np.zeros(shapes.get(kind, (4, 8)), np.float32)
        x = y = tf.placeholder(tf.float32, value.shape)
        for index in range(length):
            y = makers[kind](y, index)
        run = session.make_callable(y, [x])
        return least(lambda: run(value))


def nodes() -> Iterator[Part]:
    """What one more node of a chain costs, its kernel included."""
    kinds = ("elementwise, 32 floats", "transpose, 4 x 8", "matmul, 4 x 4")
    for kind in (*kinds, "reduce and broadcast, 4 x 8"):
        yield Part(f"node: {kind}", (_chain_cost(kind, 400) - _chain_cost(kind, 100)) / 300)


def hand_off() -> Iterator[Part]:
    """A value to a thread of the pool and back."""
    pool = ThreadPool(1)
    done = threading.Semaphore(0)

    def there_and_back() -> None:
        pool.submit(lambda _first, _second: done.release(), None, None)
        done.acquire()

    yield Part("pool: to a thread and back", least(there_and_back))
    pool.stop()


def allocation() -> Iterator[Part]:
    """New arrays, written to, against one that is used again."""
    for size, text in ((32, "32 floats"), (1 << 16, "256 KiB"), (1 << 20, "4 MiB")):
        ones = np.ones(size, np.float32)
        out = np.empty(size, np.float32)
        yield Part(f"add into a new array: {text}", least(lambda a=ones: np.add(a, a)))
        yield Part(
            f"add into one used again: {text}", least(lambda a=ones, o=out: np.add(a, a, out=o))
        )


PARTS: tuple[Callable[[], Iterator[Part]], ...] = (
    fetch_mapping,
    feed_conversion,
    steps,
    nodes,
    hand_off,
    allocation,
)


@click.command()
@click.option("--only", default="", help="Measures the groups whose name contains this.")
@click.option("--output", type=Path, default=Path("benchmarks/results/parts.json"))
def main(only: str, output: Path) -> None:
    """Prints a table of the parts and writes it as JSON."""
    table = Table("part", "us")
    parts: list[Part] = []
    for group in PARTS:
        if only not in group.__name__:
            continue
        for part in group():
            parts.append(part)
            table.add_row(part.name, f"{part.microseconds:,.2f}")
        table.add_section()
    Console(width=100).print(table)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps([asdict(part) for part in parts], indent=1) + "\n")


if __name__ == "__main__":
    main()
