"""A process without regions of shared memory, as a test finds it, and a look at what is left."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from dataflow.kernels.memory import shared_arrays
from tests.actors.transfers.descriptors import open_descriptors


@contextmanager
def fresh_regions() -> Iterator[None]:
    """There is no region at the start; in the end no array lies in one, no descriptor is left."""
    gc.collect()
    before, shared_arrays._regions = shared_arrays._regions, shared_arrays._Regions()
    opened = open_descriptors()
    yield
    gc.collect()
    for region in list(shared_arrays._regions._by_address.values()):
        assert region.array is None
        region.give_up()
    shared_arrays._regions = before
    assert open_descriptors() <= opened
