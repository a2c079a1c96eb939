"""The shared memory of one lane, in segments: what is in use, what is free, at either end.

The sender of tensors makes segments, fills one per tensor and passes it on, or passes on the memory
that an array lies in already (`kernels/memory/shared_arrays.py`); the receiver lays its arrays over
the memory and tells the sender when the last of them is gone. Then the sender uses the segment
again, whose pages are there already. A segment's size is sealed, so that no peer can take memory
away from under an array.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.errors import DataLossError, ResourceExhaustedError
from dataflow.kernels.memory import shared_memory
from dataflow.kernels.memory.shared_arrays import Region
from dataflow.values.interrupts import held_back

MAX_SEGMENTS: Final = 256
"""Segments of one lane at a time, each a descriptor at either end; what finds none goes in line."""
_IDLE_BYTES: Final = 1 << 29
"""Bytes of segments kept for tensors to come."""
_BLOCK: Final = 512
"""Bytes in what `stat` counts memory in."""


class Sender:
    """The segments of one lane, at the end that fills them. The caller guards it with a lock."""

    def __init__(self, drop: Callable[[int], None]) -> None:
        """Makes an empty set.

        Args:
          drop: Called with the number of a segment that is no more; on any thread, at any time.
        """
        self._drop = drop
        self._all: dict[int, np.ndarray[Any, Any]] = {}
        """Those that tensors are copied to."""
        self._idle: dict[int, int] = {}
        """Bytes of the segments that are free, by number; the longest idle first."""
        self._idle_bytes = 0
        self._last = 0
        self._shown: dict[Region, int] = {}
        """Numbers of the regions of this process that the receiver has been shown."""
        self._arrays: dict[int, Any] = {}
        """What the receiver is reading of these."""
        self._is_open = True

    def show(self, region: Region, array: Any) -> tuple[int, int | None] | None:
        """Lends the receiver a region as it is.

        Args:
          region: The region.
          array: What keeps its array alive, held until the receiver gives the region back.

        Returns:
          The number of the segment, and its descriptor if the receiver has not got it yet, which
          the caller closes; None if the receiver is reading it, or there are too many segments,
          or after `close`.
        """
        if not self._is_open:
            return None
        number = self._shown.get(region)
        if number is not None:
            if number in self._arrays:
                return None
            self._arrays[number] = array
            return number, None
        if len(self) >= MAX_SEGMENTS // 2:
            return None
        self._last += 1
        number = self._shown[region] = self._last
        self._arrays[number] = array
        region.lend(self)
        return number, os.dup(region.descriptor)

    def region_gone(self, region: Region) -> None:
        """Forgets a region. At any time, on any thread."""
        number = self._shown.pop(region, None)
        if number is not None:
            self._drop(number)

    def take(self, size: int) -> tuple[int, np.ndarray[Any, Any], int | None] | None:
        """A segment that holds so many bytes.

        Returns:
          Its number, its memory, and its descriptor if the receiver has not got it yet, which the
          caller closes; None if there are as many as there may be, or after `close`.

        Raises:
          ResourceExhaustedError: There is no memory for it.
        """
        fitting = [(b, n) for n, b in self._idle.items() if size <= b <= 4 * size]
        if fitting:
            _, number = min(fitting)
            self._idle_bytes -= self._idle.pop(number)
            return number, self._all[number], None
        if len(self) >= MAX_SEGMENTS or not self._is_open:
            return None
        memory, descriptor = _make(shared_memory.rounded(size))
        self._last += 1
        self._all[self._last] = memory
        return self._last, memory, descriptor

    def give_back(self, number: int) -> None:
        """Takes a segment back from the receiver; drops those that are not kept.

        Raises:
          DataLossError: The receiver does not have it.
        """
        if self._arrays.pop(number, None) is not None:
            return
        memory = self._all.get(number)
        if memory is None or number in self._idle:
            raise DataLossError(None, None, f"Segment {number} was given back but not lent.")
        self._idle[number] = memory.nbytes
        self._idle_bytes += memory.nbytes
        while self._idle_bytes > _IDLE_BYTES:
            oldest = next(iter(self._idle))
            self._idle_bytes -= self._idle.pop(oldest)
            del self._all[oldest]
            self._drop(oldest)

    def take_back(self, number: int, is_new: bool) -> None:
        """Takes back a segment that was not sent; a new one the receiver does not know."""
        if not self._is_open:
            return
        if not is_new:
            self.give_back(number)
        elif self._arrays.pop(number, None) is None:
            del self._all[number]
        else:
            # Others may end at any time.
            for region, known in tuple(self._shown.items()):
                if known == number:
                    self._shown.pop(region, None)

    def close(self) -> None:
        """Forgets all segments, and makes no more: there is nobody left to lend them to."""
        self._is_open = False
        self._idle_bytes = 0
        for held in (self._all, self._idle, self._shown, self._arrays):
            held.clear()

    def __len__(self) -> int:
        """Number of segments."""
        return len(self._all) + len(self._shown)


class Receiver:
    """The segments of one lane, at the end whose arrays lie over them."""

    def __init__(self, release: Callable[[int], None], writable: bool) -> None:
        """Makes an empty set.

        Args:
          release: Called with the number of a segment once no array lies over it; on any thread,
            at any time.
          writable: The arrays are their owner's to write to.
        """
        self._memory: dict[int, mmap.mmap] = {}
        self._holds: dict[int, weakref.ref[Any]] = {}
        """Looks at arrays from outside, to know when they are gone."""
        self._release = release
        self._access = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)

    def has(self, number: int) -> bool:
        """Whether there is a segment of this number."""
        return number in self._memory

    def add(self, number: int, descriptor: int, size: int) -> None:
        """Takes in a new segment, made for a tensor of some size; the caller closes the descriptor.

        Raises:
          DataLossError: It is none.
        """
        if number in self._memory or len(self._memory) >= MAX_SEGMENTS:
            raise DataLossError(None, None, f"Segment {number} came twice, or is one too many.")
        try:
            status = os.fstat(descriptor)
            if not shared_memory.cannot_shrink(descriptor):
                raise OSError("its size is not sealed")
            if not size <= status.st_size <= shared_memory.rounded(size) or not size:
                raise OSError(f"it has {status.st_size} bytes for a tensor of {size}")
            if status.st_blocks * _BLOCK < size:
                # Memory that the sender has not filled would be taken up here, without bound.
                raise OSError(f"it is not filled with a tensor of {size} bytes")
            flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
            self._memory[number] = mmap.mmap(descriptor, status.st_size, flags, self._access)
        except (OSError, ValueError) as error:
            raise DataLossError(None, None, f"Segment {number} is none: {error}.") from error

    def view(self, number: int, size: int) -> memoryview:
        """The first bytes of a segment; it is released when nothing uses them any more.

        Raises:
          DataLossError: There is no such segment, it is in use, or it is smaller.
        """
        memory = self._memory.get(number)
        if memory is None or number in self._holds or not 0 < size <= len(memory):
            raise DataLossError(
                None, None, f"A tensor of {size} bytes cannot lie in segment {number}."
            )
        array = np.frombuffer(memory, np.uint8, size)
        # The array outlives all arrays and buffers that are made of it.
        self._holds[number] = weakref.ref(array, partial(self._released, number))
        return array.data

    def drop(self, number: int) -> None:
        """Forgets a segment that will not be used again.

        Raises:
          DataLossError: There is no such segment.
        """
        if self._memory.pop(number, None) is None:
            raise DataLossError(None, None, f"Segment {number} was dropped but never made.")

    def close(self) -> None:
        """Forgets all segments; arrays that lie over them keep them for themselves."""
        self._memory.clear()
        self._holds.clear()

    def _released(self, number: int, _: weakref.ref[Any]) -> None:
        self._holds.pop(number, None)
        held_back(partial(self._release, number), swallows=True)

    def __len__(self) -> int:
        """Number of segments."""
        return len(self._memory)


def _make(size: int) -> tuple[np.ndarray[Any, Any], int]:
    try:
        descriptor = shared_memory.create(size)
    except (OSError, ValueError) as error:
        raise _no_memory(size, error) from error
    try:
        shared_memory.seal(descriptor, for_writers=True)
        memory = mmap.mmap(descriptor, size, mmap.MAP_SHARED)
    except (OSError, ValueError) as error:
        os.close(descriptor)
        raise _no_memory(size, error) from error
    return np.frombuffer(memory, np.uint8), descriptor


def _no_memory(size: int, error: Exception) -> ResourceExhaustedError:
    return ResourceExhaustedError(
        None, None, f"No shared memory of {size} bytes to send a tensor: {error}"
    )
