"""Times a model by batch and threads, and beside TensorFlow, which runs in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dataflow.command import tensorflow_steps
from dataflow.command.models import Model
from dataflow.command.running import Call, Outcome, run_model
from dataflow.command.tables import fills
from dataflow.errors import UnavailableError
from dataflow.proto.config_pb2 import ConfigProto


@dataclass(frozen=True)
class Measured:
    """How long the runs took."""

    library: str
    batch: int
    threads: int
    """0 for as many as there are."""
    outcome: Outcome

    def per_second(self) -> float:
        """Rows of the batch a second, in runs of the median time."""
        return 1000 * self.batch / self.outcome.summary()["median_ms"]


def bench(
    model: Model, call: Call, batches: Iterable[int], threads: Iterable[int], tensorflow: bool
) -> Iterator[Measured]:
    """Times each batch with each number of threads.

    Raises:
      UnavailableError: TensorFlow is not installed, or cannot run the model.
    """
    for count in threads:
        for batch in batches:
            config = ConfigProto(intra_op_parallelism_threads=count)
            outcome = run_model(model, replace(call, batch=batch), config)
            yield Measured("dataflow", batch, count, outcome)
            if tensorflow:
                seconds = _of_tensorflow(model, call, outcome, count)
                yield Measured("tensorflow", batch, count, replace(outcome, seconds=seconds))


def _of_tensorflow(model: Model, call: Call, outcome: Outcome, threads: int) -> tuple[float, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = model.path
        if model.meta_graph is None:
            path = os.path.join(folder, "graph.pb")
            with open(path, "wb") as file:
                file.write(model.graph_def.SerializeToString())
        names = list(outcome.feeds)
        for number, name in enumerate(names):
            np.save(os.path.join(folder, f"{number}.npy"), _plain(outcome.feeds[name]))
        job = {
            "path": path,
            "checkpoint": model.checkpoint,
            "tags": model.tags,
            "first": fills(model.graph_def) if model.meta_graph is None else [],
            "feeds": names,
            "fetches": outcome.fetches,
            "folder": folder,
            "runs": call.repeat,
            "warm_up": call.warm_up,
            "threads": threads,
        }
        command = [sys.executable, tensorflow_steps.__file__, json.dumps(job)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise UnavailableError(None, None, f"TensorFlow did not run it: {''.join(last)}")
    return tuple(json.loads(done.stdout.splitlines()[-1]))


def _plain(value: np.ndarray) -> np.ndarray:
    """Strings in a form that a file of numpy's has without Python objects."""
    return value.astype(np.bytes_) if value.dtype == object else value
