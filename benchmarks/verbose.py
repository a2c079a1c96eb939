"""What oneDNN says of its calls in a step of a frozen net, here and in TensorFlow.

Each library runs in a process of its own on one processor, so that a layer is one call in both.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any, Final, NamedTuple

from rich.table import Table

LIBRARIES: Final = {"ours": "dataflow", "theirs": "tensorflow.compat.v1"}
_WARM: Final = 16
_STEPS: Final = 10
_BEGIN: Final = "step begins"
_END: Final = "step took"
_MARK: Final = "onednn_verbose,"


class Call(NamedTuple):
    """A call of oneDNN."""

    primitive: str
    shape: str
    implementation: str
    seconds: float


@dataclass
class Profile:
    """The least that a step, and each of its calls, took."""

    seconds: float
    """Processor time of a step."""
    calls: Sequence[Call]

    @property
    def inside(self) -> float:
        """Seconds in oneDNN."""
        return sum(call.seconds for call in self.calls)


@dataclass
class Row:
    """The calls of one primitive and shape."""

    count: int = 0
    seconds: float = 0.0
    implementations: set[str] = field(default_factory=set)


def profile(library: str, path: Path, size: int, batch: int) -> Profile:
    """Runs a net in a process of its own, and reads what oneDNN writes.

    Args:
      library: One of the keys of `LIBRARIES`.
      path: The graph.
      size: Rows and columns of an image.
      batch: How many there are.
    """
    command = [sys.executable, __file__, library, str(path), str(size), str(batch)]
    environment = {**os.environ, "ONEDNN_VERBOSE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return read(done.stdout.splitlines())


def read(lines: Iterable[str]) -> Profile:
    """The profile of what a run has written."""
    steps: list[list[Call]] = []
    seconds: list[float] = []
    for line in lines:
        if line == _BEGIN:
            steps.append([])
        elif line.startswith(_END):
            seconds.append(float(line.removeprefix(_END)))
        elif line.startswith(_MARK) and len(steps) > len(seconds):
            found = _call(line)
            if found is not None:
                steps[-1].append(found)
    # A step may be cut otherwise than the rest.
    ((length, _),) = Counter(map(len, steps)).most_common(1)
    alike = [step for step in steps if len(step) == length]
    calls = [
        one[0]._replace(seconds=min(call.seconds for call in one))
        for one in zip(*alike, strict=True)
    ]
    return Profile(min(seconds), calls)


def _call(line: str) -> Call | None:
    fields = line.split(",")
    if "exec" not in fields:
        return None
    _, primitive, implementation, *_, shape, milliseconds = fields[fields.index("exec") + 1 :]
    return Call(primitive, shape, implementation, float(milliseconds) / 1e3)


def table(title: str, profiles: Mapping[str, Profile]) -> Table:
    """The calls of both libraries side by side, the largest losses first."""
    rows: dict[tuple[str, str], dict[str, Row]] = defaultdict(lambda: defaultdict(Row))
    for library, found in profiles.items():
        for call in found.calls:
            row = rows[call.primitive, call.shape][library]
            row.count += 1
            row.seconds += call.seconds
            row.implementations.add(call.implementation)
    made = Table(title=f"{title}: milliseconds of one processor")
    for name in ("call", "shape", "calls", "ours", "theirs", "lost", "ours by", "theirs by"):
        made.add_column(name, justify="right" if name in ("ours", "theirs", "lost") else "left")

    def add(name: str, shape: str, counts: str, ours: float, theirs: float, *by: str) -> None:
        numbers = (f"{1e3 * seconds:.3f}" for seconds in (ours, theirs, ours - theirs))
        made.add_row(name, shape, counts, *numbers, *by)

    ours, theirs = profiles["ours"], profiles["theirs"]
    add("step", "", "", ours.seconds, theirs.seconds)
    add("in oneDNN", "", f"{len(ours.calls)} {len(theirs.calls)}", ours.inside, theirs.inside)
    add("outside", "", "", ours.seconds - ours.inside, theirs.seconds - theirs.inside)
    pairs = {key: (row["ours"], row["theirs"]) for key, row in rows.items()}
    for (name, shape), pair in sorted(
        pairs.items(), key=lambda item: item[1][1].seconds - item[1][0].seconds
    ):
        by = (" ".join(sorted(row.implementations)) for row in pair)
        counts = f"{pair[0].count} {pair[1].count}"
        add(name, shape, counts, pair[0].seconds, pair[1].seconds, *by)
    return made


def _run(library: str, path: Path, size: int, batch: int) -> None:
    """Runs steps, and marks them in what oneDNN writes."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import importlib

    import numpy as np

    tf: Any = importlib.import_module(LIBRARIES[library])
    if library == "theirs":
        tf.disable_v2_behavior()
    images = np.random.default_rng(2).uniform(-1, 1, (batch, size, size, 3)).astype(np.float32)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(tf.GraphDef.FromString(path.read_bytes()), name="")
        with tf.Session(graph=graph) as session:
            step = session.make_callable("y:0", ["x:0"])
            for _ in range(_WARM):
                step(images)
            for _ in range(_STEPS):
                print(_BEGIN, flush=True)
                start = process_time()
                step(images)
                print(_END, process_time() - start, flush=True)


if __name__ == "__main__":
    _run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
