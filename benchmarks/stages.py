"""Stages of a pipeline: one waits, as for a device that computes on its own, one multiplies.

Waiting is an operation that only this benchmark has. Ray's workers learn of it from the hook that
`ray_with_stages` hands them.
"""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from clusters import own_ray
from programs.program import floats

from dataflow.graph.apply_op import apply_op
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import unchanged

_FOLDERS: Final = (Path(__file__).resolve().parents[1], Path(__file__).resolve().parent)
_busy: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
"""One for each device."""

define_op(
    "BenchmarkWait",
    inputs="x: T",
    outputs="y: T",
    attrs=["T: type", "seconds: float"],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="x, after a time in which its device does nothing else.",
)


@kernel("BenchmarkWait")
def _wait(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    seconds, busy = node.attr("seconds"), _busy[node.device]

    def run(x: Any) -> Any:
        with busy:
            time.sleep(seconds)
        return x

    return run


def setup_worker() -> None:
    """Does nothing: what a worker of Ray needs is here once this module is imported."""


@contextmanager
def ray_with_stages() -> Iterator[None]:
    """A Ray of this machine whose workers know the stages."""
    kept = os.environ.get("PYTHONPATH")
    search = [str(folder) for folder in _FOLDERS] + ([kept] if kept else [])
    os.environ["PYTHONPATH"] = os.pathsep.join(search)
    try:
        with own_ray(runtime_env={"worker_process_setup_hook": "stages.setup_worker"}):
            yield
    finally:
        if kept is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = kept


def waiting(seconds: float) -> Callable[[Any, Any], Any]:
    """A stage that takes a time of its device, and no processor."""

    def stage(tf: Any, x: Any) -> Any:
        return apply_op("BenchmarkWait", x, seconds=seconds) * 1.0

    return stage


def multiplying(size: int, products: int) -> Callable[[Any, Any], Any]:
    """A stage of products of [size, size] matrices, each on one thread."""

    def stage(tf: Any, x: Any) -> Any:
        weights = tf.constant(floats(0, size, size, scale=size**-0.5))
        for _ in range(products):
            x = tf.matmul(x, weights)
        return x

    return stage


def multiplied(value: np.ndarray, products: int) -> np.ndarray:
    """What `products` products in a row make of a value."""
    size = value.shape[1]
    weights = floats(0, size, size, scale=size**-0.5)
    for _ in range(products):
        value = value @ weights
    return value
