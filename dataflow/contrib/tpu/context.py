"""What model code asks about a TPU, and what it does on one; there is none here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn


class TpuContext(threading.local):
    """How many shards the computation that is being built has: None, for none is."""

    def __init__(self) -> None:
        """Knows of no computation."""
        self._number_of_shards: int | None = None

    @property
    def number_of_shards(self) -> int | None:
        """The number, or None outside of `tpu_shard_context`."""
        return self._number_of_shards

    def set_number_of_shards(self, number_of_shards: int | None) -> None:
        """Changes the number."""
        self._number_of_shards = number_of_shards


_CONTEXT: Final = TpuContext()


def get_tpu_context() -> TpuContext:
    """This thread's."""
    return _CONTEXT


@contextmanager
def tpu_shard_context(number_of_shards: int) -> Iterator[None]:
    """Says a number of shards for what is built inside.

    Raises:
      NotImplementedError: Inside of another.
    """
    if _CONTEXT.number_of_shards is not None:
        raise NotImplementedError("tpu_shard_context cannot be nested.")
    _CONTEXT.set_number_of_shards(number_of_shards)
    try:
        yield
    finally:
        _CONTEXT.set_number_of_shards(None)


def on_device_training_loop(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself: it would mark steps for a TPU's profiler."""
    return func


def _needs_tpu(name: str) -> Callable[..., NoReturn]:
    def call(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name} runs on TPUs, and there is none here.")

    call.__name__ = call.__qualname__ = name
    return call


def core(num: int) -> str:
    """The device of a core in a computation that is replicated."""
    return f"device:TPU_REPLICATED_CORE:{num}"


all_to_all = _needs_tpu("all_to_all")
batch_parallel = _needs_tpu("batch_parallel")
collective_permute = _needs_tpu("collective_permute")
cross_replica_sum = _needs_tpu("cross_replica_sum")
infeed_dequeue = _needs_tpu("infeed_dequeue")
infeed_dequeue_tuple = _needs_tpu("infeed_dequeue_tuple")
infeed_enqueue = _needs_tpu("infeed_enqueue")
infeed_enqueue_tuple = _needs_tpu("infeed_enqueue_tuple")
initialize_system = _needs_tpu("initialize_system")
keras_to_tpu_model = _needs_tpu("keras_to_tpu_model")
outfeed_dequeue = _needs_tpu("outfeed_dequeue")
outfeed_dequeue_tuple = _needs_tpu("outfeed_dequeue_tuple")
outfeed_enqueue = _needs_tpu("outfeed_enqueue")
outfeed_enqueue_tuple = _needs_tpu("outfeed_enqueue_tuple")
outside_compilation = _needs_tpu("outside_compilation")
replicate = _needs_tpu("replicate")
rewrite = _needs_tpu("rewrite")
shard = _needs_tpu("shard")
shutdown_system = _needs_tpu("shutdown_system")
DeviceAssignment = _needs_tpu("DeviceAssignment")
InfeedQueue = _needs_tpu("InfeedQueue")
TPUDistributionStrategy = _needs_tpu("TPUDistributionStrategy")
Topology = _needs_tpu("Topology")
device_assignment = _needs_tpu("device_assignment")
