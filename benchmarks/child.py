"""The process that `processes.py` starts: child.py TASK LIBRARY prints one line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def load(library: str) -> Any:
    """The library in graph mode."""
    if library == "dataflow":
        import dataflow

        return dataflow
    import tensorflow.compat.v1 as tensorflow

    tensorflow.disable_v2_behavior()
    return tensorflow


def importing(library: str) -> dict[str, float]:
    """Seconds of the import."""
    start = time.perf_counter()
    load(library)
    return {"seconds": time.perf_counter() - start}


def chain(tf: Any) -> tuple[Any, Any]:
    """5000 additions and multiplications with a constant each."""
    x = y = tf.placeholder(tf.float32, [32])
    for index in range(5000):
        y = y + 1.0 if index % 2 else y * 0.999
    return x, y


def mixed(tf: Any) -> tuple[Any, Any]:
    """1000 layers of a product, a bias, activations and a reduction, in name scopes."""
    x = y = tf.placeholder(tf.float32, [32])
    for index in range(1000):
        with tf.name_scope(f"layer_{index}"):
            joined = tf.concat([y, tf.zeros([32])], 0)
            table = tf.reshape(joined, [4, 16])
            sums = tf.reduce_sum(tf.tanh(table), 1, keepdims=True)
            y = tf.reshape(tf.matmul(tf.nn.relu(sums), table[:1, :8]), [32])
    return x, y


def building(make: Callable[[Any], tuple[Any, Any]]) -> Callable[[str], dict[str, float]]:
    """Seconds of building a graph, and of the first run in a session that is open."""

    def measure(library: str) -> dict[str, float]:
        import numpy as np

        tf = load(library)
        with tf.Session() as session:
            session.run(tf.constant(1.0) + 1.0)
            start = time.perf_counter()
            x, y = make(tf)
            built = time.perf_counter()
            session.run(y, {x: np.ones(32, np.float32)})
            run = time.perf_counter()
        return {"build_seconds": built - start, "run_seconds": run - built}

    return measure


def peak_megabytes() -> float:
    """The most memory the process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage reports on Linux includes the process this one was forked from.
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


def training(library: str) -> dict[str, float]:
    """Peak memory of training the MLP for 100 steps."""
    from programs.nets import mlp_adam

    tf = load(library)
    with tf.Session() as session:
        step = mlp_adam(tf, session)
        for _ in range(100):
            step()
    return {"megabytes": peak_megabytes()}


TASKS: dict[str, Callable[[str], dict[str, float]]] = {
    "import": importing,
    "build": building(chain),
    "build_mixed": building(mixed),
    "train": training,
}


if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](sys.argv[2])))
