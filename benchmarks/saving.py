"""Times saving and restoring 1 GB, here and in TensorFlow, in turns: python benchmarks/saving.py.

Each library has a process of its own: what one sets for its memory is not for the other.

Beside them, what the disk takes for as many bytes: a file that is written, and one that is written
and waited for until it is on the disk. TensorFlow does not wait for the disk; a checkpoint of ours
is there after a loss of power.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import click
import numpy as np
from local import machine
from rich.console import Console
from rich.table import Table

VARIABLES = 10


class Model:
    """Variables of some bytes in a session of a library, and their Saver.

    Args:
      library: The library.
      size: Bytes of all variables.
      folder: Where checkpoints go.
    """

    def __init__(self, library: Any, size: int, folder: Path) -> None:
        self._prefix = str(folder / library.__name__.partition(".")[0])
        count = size // 4 // VARIABLES
        with library.Graph().as_default() as graph:
            variables = [
                library.get_variable(
                    f"v{number}",
                    initializer=library.random_uniform([count], seed=number),
                    use_resource=False,
                )
                for number in range(VARIABLES)
            ]
            self._sums = [library.reduce_sum(v[:1000]) for v in variables]
            self._clear = [v.assign(v * 0.0).op for v in variables]
            self._saver = library.train.Saver(max_to_keep=1)
            start = library.global_variables_initializer()
        self.session = library.Session(graph=graph)
        self.session.run(start)
        self.expected = self.session.run(self._sums)

    def save(self) -> None:
        """Writes a checkpoint in the place of the last one."""
        self._saver.save(self.session, self._prefix, write_meta_graph=False)

    def restore(self) -> None:
        """Reads it."""
        self._saver.restore(self.session, self._prefix)

    def check(self) -> None:
        """Looks whether what is restored is what was saved.

        Raises:
          ValueError: It is not.
        """
        self.session.run(self._clear)
        self.restore()
        if not np.allclose(self.session.run(self._sums), self.expected):
            raise ValueError(f"{self._prefix}: not what was saved")


def write_file(path: Path, data: np.ndarray, settles: bool) -> None:
    """Writes a file, and waits until it is on the disk if `settles`."""
    with open(path, "wb") as file:
        file.write(data.data)
        file.flush()
        if settles:
            os.fsync(file.fileno())


def seconds(work: Callable[[], None]) -> float:
    """How long a call takes."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def serve(calls: Any, library: str, size: int, folder: Path) -> None:
    """Calls the methods of a library's model that come through a pipe, and sends their seconds."""
    module = importlib.import_module(library)
    if library != "dataflow":
        module.disable_v2_behavior()
    model = Model(module, size, folder)
    model.save()
    model.check()
    calls.send(0.0)
    for name in iter(calls.recv, ""):
        calls.send(seconds(getattr(model, name)))
    model.session.close()


class Process:
    """A model in a process of its own."""

    def __init__(self, library: str, size: int, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._calls, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, library, size, folder))
        self._process.start()
        theirs.close()
        self._calls.recv()

    def call(self, name: str) -> float:
        """Seconds that a method of the model takes."""
        self._calls.send(name)
        found: float = self._calls.recv()
        return found

    def close(self) -> None:
        """Ends it."""
        self._calls.send("")
        self._process.join()


def measure(size: int, rounds: int, folder: Path) -> dict[str, list[float]]:
    """Seconds of each round of everything, one after the other in each round.

    Each round begins with another: whoever needs memory first may wait until a machine has it. The
    disk has nothing else to write when one begins.
    """
    models = {
        "dataflow": Process("dataflow", size, folder),
        "TensorFlow": Process("tensorflow.compat.v1", size, folder),
    }
    data = np.random.default_rng(1).integers(0, 256, size, np.uint8)
    works: dict[str, Callable[[], float]] = {
        f"{kind}, {name}": partial(model.call, kind)
        for name, model in models.items()
        for kind in ("save", "restore")
    }
    for name, settles in (("write a file", False), ("write a file to the disk", True)):
        works[name] = partial(seconds, partial(write_file, folder / "raw", data, settles))
    samples: dict[str, list[float]] = {name: [] for name in works}
    names = list(works)
    for number in range(rounds):
        for turn in range(len(names)):
            name = names[(number + turn) % len(names)]
            os.sync()
            samples[name].append(works[name]())
    for model in models.values():
        model.close()
    return samples


def ratio(samples: dict[str, list[float]], what: str, beside: str) -> float:
    """The median of the ratios of one round's times."""
    pairs = zip(samples[what], samples[beside], strict=True)
    return statistics.median(one / other for one, other in pairs)


@click.command()
@click.option("--megabytes", default=1024, show_default=True, help="Of all variables.")
@click.option("--rounds", default=12, show_default=True)
@click.option("--folder", default=None, help="On the disk to measure; a temporary one by default.")
def main(megabytes: int, rounds: int, folder: str | None) -> None:
    """Prints medians, and what they are of TensorFlow's and the disk's."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        samples = measure(megabytes << 20, rounds, Path(name))
    table = Table("what", "median s", "GB/s", "of TensorFlow's", "of the disk's")
    for what, times in samples.items():
        middle = statistics.median(times)
        kind, _, library = what.partition(", ")
        relative = ratio(samples, what, f"{kind}, TensorFlow") if library == "dataflow" else None
        disk = ratio(samples, what, "write a file to the disk") if kind == "save" else None
        shown = [f"{value:.2f}" if value is not None else "" for value in (relative, disk)]
        table.add_row(what, f"{middle:.2f}", f"{megabytes / 1024 / middle:.2f}", *shown)
    Console().print(table)
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    path = results / "saving.json"
    path.write_text(json.dumps({"machine": machine(), "seconds": samples}, indent=1) + "\n")


if __name__ == "__main__":
    main()
