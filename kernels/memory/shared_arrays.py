"""Host arrays that own memory which other processes can be shown: sending them copies nothing.

What is sent again and again lies there: the results of nodes that only another process reads, and
variables from the first update on after they were sent. Who has lent an array keeps a reference to
it, as every reader does, so that nobody writes to it or uses its memory again before it is given
back.
"""

from __future__ import annotations

import contextvars
import ctypes
import math
import mmap
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Final, Protocol

import numpy as np

from dataflow.kernels.memory import shared_memory
from dataflow.kernels.memory.numpy_memory import Handler, Memory

LEAST: Final = 1 << 18
"""Bytes from which an array is worth it: fewer are copied in a few microseconds."""
_MOST: Final = 128
"""Regions at a time, each a descriptor."""
_IDLE_BYTES: Final = 1 << 28
"""Bytes of regions kept for arrays to come."""
_FAILED: Final = ctypes.c_void_p(-1).value


class Lender(Protocol):
    """Who shows regions to another process."""

    def region_gone(self, region: Region) -> None:
        """Told that a region is no more, at any time and on any thread."""


class Region:
    """Shared memory in which one array lies at a time."""

    __slots__ = ("__weakref__", "_array", "_lenders", "_place", "address", "descriptor", "size")

    def __init__(self, place: _Place, address: int, descriptor: int, size: int) -> None:
        self.address = address
        self.descriptor = descriptor
        """For whoever is to be shown the memory; it stays this process's."""
        self.size = size
        self._place = place
        self._array: weakref.ref[Any] | None = None
        self._lenders: weakref.WeakSet[Lender] = weakref.WeakSet()

    @property
    def array(self) -> Any:
        """The array that lies in it, or None."""
        return None if self._array is None else self._array()

    def lend(self, lender: Lender) -> None:
        """Has a lender told when the memory is given up."""
        self._lenders.add(lender)

    def lay(self, shape: tuple[int, ...], dtype: Any, free: Callable[[Region], None]) -> Any:
        """Lays an array into it, and calls `free` when that is gone."""
        array = self._place.context.run(np.empty, shape, dtype)
        self._array = weakref.ref(array, lambda _: free(self))
        return array

    def give_up(self) -> _Place:
        """Ends the memory; returns what another region may use."""
        _munmap(self.address, self.size)
        os.close(self.descriptor)
        for lender in tuple(self._lenders):
            lender.region_gone(self)
        return self._place


class _Place:
    """What makes numpy lay an array at an address."""

    __slots__ = ("context", "memory")

    def __init__(self) -> None:
        self.memory = Memory(b"shared", _lie_still)
        self.context: contextvars.Context = self.memory.new_context()


class _Regions:
    """The regions of this process.

    There is no lock: the collector may end an array, and so come here, in the middle of anything.
    Each line leaves things as others may find them.
    """

    def __init__(self) -> None:
        self._by_address: dict[int, Region] = {}
        self._idle: dict[int, list[Region]] = {}
        """Those without an array, by size."""
        self._places: list[_Place] = []
        """Those without a region."""
        self._noted: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._is_available = shared_memory.IS_AVAILABLE

    def __len__(self) -> int:
        """Number of regions."""
        return len(self._by_address)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        size = shared_memory.rounded(math.prod(shape) * dtype.itemsize)
        try:
            region = self._idle[size].pop()
        except LookupError:
            made = self._make(size)
            if made is None:
                return None
            region = made
        return region.lay(shape, dtype, self._free)

    def find(self, address: int) -> Region | None:
        return self._by_address.get(address)

    def note(self, array: Any) -> None:
        self._noted[id(array)] = array

    def is_noted(self, array: Any) -> bool:
        return self._noted.get(id(array)) is array and self._has_room()

    def _has_room(self) -> bool:
        return self._is_available and len(self._by_address) < _MOST

    def _make(self, size: int) -> Region | None:
        if not self._has_room():
            return None
        try:
            place = self._places.pop() if self._places else _Place()
            descriptor = shared_memory.create(size)
        except (OSError, AttributeError, ValueError):
            return None
        address = _mmap(
            None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, descriptor, 0
        )
        if address == _FAILED:
            os.close(descriptor)
            return None
        shared_memory.seal(descriptor, for_writers=False)
        place.memory.handler.context = address
        region = self._by_address[address] = Region(place, address, descriptor, size)
        return region

    def _free(self, region: Region) -> None:
        idle = sum(size * len(regions) for size, regions in tuple(self._idle.items()))
        if idle + region.size <= _IDLE_BYTES:
            self._idle.setdefault(region.size, []).append(region)
        else:
            del self._by_address[region.address]
            self._places.append(region.give_up())


class _Wishes(threading.local):
    """Whether what this thread makes is to lie in shared memory."""

    shared = False


_regions: Final = _Regions()
_wishes: Final = _Wishes()


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """An array of undefined content that owns its memory, `LEAST` bytes or more; None if none can
    be had."""
    return _regions.empty(shape, dtype)


def are_wanted() -> bool:
    """Whether large arrays that this thread makes are to be such arrays."""
    return _wishes.shared


def wanting(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose large results are such arrays, as far as it makes them on its thread.

    It holds its arguments while it runs, so that no result takes the place of one.
    """

    def run(*arguments: Any) -> Any:
        before, _wishes.shared = _wishes.shared, True
        try:
            return call(*arguments)
        finally:
            _wishes.shared = before

    return run


def region_of(buffer: memoryview) -> Region | None:
    """Where all of an array lies whose bytes these are; None if it is no such array."""
    if buffer.nbytes < LEAST or not len(_regions):
        return None
    region = _regions.find(np.frombuffer(buffer, np.uint8).ctypes.data)
    array = None if region is None else region.array
    return None if array is None or array.nbytes != buffer.nbytes else region


def note_sent(buffer: memoryview) -> None:
    """Takes note that the bytes of an array were copied to be sent."""
    if buffer.nbytes >= LEAST:
        owner: Any = buffer.obj
        while isinstance(owner, np.ndarray) and owner.base is not None:
            owner = owner.base
        if isinstance(owner, np.ndarray) and owner.nbytes == buffer.nbytes:
            _regions.note(owner)


def is_sent(array: Any) -> bool:
    """Whether copies of an array are better made here: it is sent, or was."""
    if array.nbytes < LEAST:
        return False
    return _regions.is_noted(array) or _regions.find(array.ctypes.data) is not None


def is_to_move(array: Any) -> bool:
    """Whether an array that was sent lies elsewhere, and had better lie here."""
    return array.nbytes >= LEAST and _regions.is_noted(array)


def _lie_still(handler: Handler, library: Any) -> None:
    """Has the memory of an array be that at the address which is the handler's context.

    C's `labs` gives back what it is given first if that is no negative number.
    """
    same = ctypes.cast(library.labs, ctypes.c_void_p).value
    handler.malloc = handler.calloc = handler.realloc = handler.free = same


def _from_c(name: str, result: Any, *arguments: Any) -> Any:
    if not shared_memory.IS_AVAILABLE:
        return None
    function = getattr(ctypes.CDLL(None), name)
    function.restype, function.argtypes = result, arguments
    return function


_mmap: Final = _from_c(
    *("mmap", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int),
    *(ctypes.c_int, ctypes.c_long),
)
_munmap: Final = _from_c("munmap", ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
