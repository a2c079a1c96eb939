"""Whether long training stays flat: memory and live objects of a process over many steps."""

from __future__ import annotations

import gc
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from programs.program import dense, floats
from rich.console import Console
from rich.table import Table

import dataflow

_BATCH = 32
_WIDTH = 16


@dataclass(frozen=True, slots=True)
class Sample:
    """What the process holds after some steps."""

    step: int
    kilobytes: int
    """Resident memory."""
    blocks: int
    """Memory blocks of living Python objects."""
    descriptors: int
    """Open files and sockets."""
    loss: float


def training_step(tf: Any, session: Any) -> Callable[[int], float]:
    """A model with a loop, a branch, a lookup, random numbers and three optimizers.

    Returns:
      `f(step)` runs a step and returns the loss.
    """
    x = tf.placeholder(tf.float32, [None, _WIDTH])
    words = tf.placeholder(tf.int32, [None])
    hard = tf.placeholder(tf.bool, [])
    table = tf.Variable(floats(1, 50, _WIDTH))
    weights = tf.Variable(floats(2, _WIDTH, _WIDTH, scale=0.2))
    state = x + tf.nn.embedding_lookup(table, words)
    _, state = tf.while_loop(
        lambda i, _: i < 4, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, weights))), [0, state]
    )
    state = tf.cond(hard, lambda: tf.nn.relu(state), lambda: state * 0.5)
    state = state + tf.random_normal([_WIDTH], stddev=0.01, seed=3)
    loss = tf.reduce_mean(tf.square(dense(tf, state, _WIDTH, 1, 4)))
    trained = tf.trainable_variables()
    train = tf.group(
        tf.train.AdamOptimizer(1e-3).minimize(loss, var_list=trained[:1]),
        tf.train.MomentumOptimizer(1e-3, 0.9).minimize(loss, var_list=trained[1:2]),
        tf.train.GradientDescentOptimizer(1e-3).minimize(loss, var_list=trained[2:]),
    )
    session.run(tf.global_variables_initializer())
    rng = np.random.default_rng(5)

    def step(number: int) -> float:
        # Two batch sizes: values of another shape must not pile up either.
        rows = _BATCH + number % 2
        feeds = {
            x: rng.standard_normal((rows, _WIDTH), np.float32),
            words: rng.integers(0, 50, rows, np.int32),
            hard: number % 3 == 0,
        }
        return float(session.run([loss, train], feeds)[0])

    return step


def observe(steps: int, samples: int) -> list[Sample]:
    """Trains, and samples the process at even distances.

    Args:
      steps: How many steps.
      samples: How many samples.

    Raises:
      RuntimeError: A loss is not a number.
    """
    found: list[Sample] = []
    with dataflow.Graph().as_default() as graph, dataflow.Session(graph=graph) as session:
        step = training_step(dataflow, session)
        for number in range(1, steps + 1):
            loss = step(number)
            if number % max(1, steps // samples) == 0:
                if not np.isfinite(loss):
                    raise RuntimeError(f"The loss of step {number} is {loss}.")
                gc.collect()
                found.append(_sample(number, loss))
    return found


def _sample(step: int, loss: float) -> Sample:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Sample(
        step,
        pages * os.sysconf("SC_PAGE_SIZE") // 1024,
        sys.getallocatedblocks(),
        len(os.listdir("/proc/self/fd")),
        loss,
    )


@click.command()
@click.option("--steps", default=100_000, show_default=True, help="How many steps.")
@click.option("--samples", default=100, show_default=True, help="How often to look.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path(__file__).parent / "results" / "steady.json",
    show_default=True,
)
def main(steps: int, samples: int, output: Path) -> None:
    """Trains a small model for long and writes down what the process holds."""
    start = time.perf_counter()
    found = observe(steps, samples)
    table = Table("step", "resident MB", "living blocks", "descriptors", "loss")
    for sample in found[:: max(1, len(found) // 10)]:
        memory = f"{sample.kilobytes / 1024:.1f}"
        counts = (str(sample.blocks), str(sample.descriptors))
        table.add_row(str(sample.step), memory, *counts, f"{sample.loss:.4f}")
    console = Console()
    console.print(table)
    half = found[len(found) // 2]
    console.print(
        f"second half: {found[-1].kilobytes - half.kilobytes:+d} KB, "
        f"{found[-1].blocks - half.blocks:+d} blocks in {found[-1].step - half.step} steps; "
        f"{(time.perf_counter() - start) / steps * 1e3:.2f} ms a step"
    )
    output.parent.mkdir(parents=True, exist_ok=True)
    record = {"machine": platform.processor(), "samples": [asdict(sample) for sample in found]}
    output.write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
