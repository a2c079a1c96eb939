"""Frozen nets of many kinds, here and in TensorFlow: python -m benchmarks.models.

The nets are those of `tests/frozen`, which TensorFlow writes with random weights. Each library runs
each net in a fresh process, in turns: the difference to TensorFlow's answers, the median time of a
step, and the most memory that the process had.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.child import load

_ROOT = Path(__file__).resolve().parents[1]
_FILLS = "fill_tables"
_LIBRARIES = ("dataflow", "tensorflow")


def measure(library: str, path: Path, seconds: float) -> dict[str, float]:
    """What this process needs for the steps of a frozen net."""
    tf = load(library)
    arrays = np.load(path.with_name(f"{path.name.partition('.')[0]}.npz"), allow_pickle=True)
    feeds = {key: arrays[key] for key in arrays.files if not key.startswith("out ")}
    expected = {key[4:]: arrays[key] for key in arrays.files if key.startswith("out ")}
    graph_def = tf.GraphDef.FromString(path.read_bytes())
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        if any(node.name == _FILLS for node in graph_def.node):
            session.run(_FILLS)
        run = session.make_callable(list(expected), list(feeds))
        found = run(*feeds.values())
        taken = _times(lambda: run(*feeds.values()), seconds)
    pairs = zip(found, expected.values(), strict=True)
    return {
        "ops": len(graph_def.node),
        "kinds": len({node.op for node in graph_def.node}),
        "error": max(float(np.abs(have - want).max() / np.abs(want).max()) for have, want in pairs),
        "seconds": statistics.median(taken),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _times(step: Any, seconds: float) -> list[float]:
    taken: list[float] = []
    until = time.perf_counter() + seconds
    while len(taken) < 5 or time.perf_counter() < until:
        start = time.perf_counter()
        step()
        taken.append(time.perf_counter() - start)
    return taken


def _measured(library: str, path: Path, seconds: float) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.models", library, str(path), str(seconds)]
    done = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True)
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return numbers


def _row(name: str, path: Path, rounds: int, seconds: float) -> dict[str, Any]:
    found = [
        {library: _measured(library, path, seconds) for library in _LIBRARIES}
        for _ in range(rounds)
    ]

    def median(key: str) -> tuple[float, float]:
        ours, theirs = (
            statistics.median(each[library][key] for each in found) for library in _LIBRARIES
        )
        return ours, theirs

    (ours, theirs), (own, other) = median("seconds"), median("megabytes")
    first = found[0]["dataflow"]
    return {
        "net": name,
        "ops": int(first["ops"]),
        "op types": int(first["kinds"]),
        "error": f"{median('error')[0]:.0e}",
        "ms": f"{1e3 * ours:.2f} / {1e3 * theirs:.2f}",
        "time": f"{ours / theirs:.2f}",
        "MB": f"{own:.0f} / {other:.0f}",
        "memory": f"{own / other:.2f}",
    }


@click.command()
@click.option("--only", default="", help="Names of nets, with commas.")
@click.option("--rounds", default=3, type=click.IntRange(1))
@click.option("--seconds", default=0.5, help="How long a process runs steps.")
@click.option("--kind", default="plain", type=click.Choice(["plain", "fused"]))
@click.option("--output", type=Path, default=Path("benchmarks/results/models.json"))
def main(only: str, rounds: int, seconds: float, kind: str, output: Path) -> None:
    """Prints a table, net by net, and writes it as JSON."""
    from tests.frozen.both import make

    names = only.split(",") if only else _names()
    rows: list[dict[str, Any]] = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), [name])
            rows.append(_row(name, Path(folder) / f"{name}.{kind}.pb", rounds, seconds))
        click.echo(rows[-1], err=True)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(rows, indent=1) + "\n")
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console(width=120).print(table)


def _names() -> list[str]:
    # Keras loads in a process of its own.
    code = "from tests.frozen.nets import NETS; print(*NETS)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in _LIBRARIES:
        print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))))
    else:
        main()
