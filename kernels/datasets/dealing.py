"""The elements of one dataset, dealt out to devices in turn."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import Dataset, Element
from dataflow.kernels.datasets.iterator import Done, Pull, Request, Step, check_shapes, check_types
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Dealt = tuple[BaseException | None, Element | None]


class _NoStep:
    """Elements are for all devices: no step that waits for one ends what makes it."""

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Never calls back."""
        return lambda: None


class Dealer:
    """One beginning at a dataset: elements are made when a device wants one, in order.

    What comes for other devices meanwhile is kept, up to a number for each; a device that wants
    nothing holds up the others then.
    """

    def __init__(self, dataset: Dataset, devices: int, most: int) -> None:
        """Begins at the first element.

        Args:
          dataset: What is dealt out.
          devices: To how many.
          most: How many elements are kept for one, at most.
        """
        self._pull = Pull(dataset)
        self._pull.prepare()
        self._most = max(1, most)
        self._kept: list[deque[Dealt]] = [deque() for _ in range(devices)]
        self._waiting: list[deque[Request]] = [deque() for _ in range(devices)]
        self._turn = 0
        self._is_pulling = False
        self._is_at_end = False
        self._lock = threading.Lock()

    def request(self, place: int, step: Step, done: Done) -> None:
        """Has the next element of a device made: `done(error, element)`, None at the end."""
        request = Request(done)
        request.begin(step)
        with self._lock:
            self._waiting[place].append(request)
        self._go_on()

    def close(self) -> None:
        """Ends all for good."""
        self._pull.close()
        with self._lock:
            waiting = [request for queue in self._waiting for request in queue]
        for request in waiting:
            request.cancel()

    def _go_on(self) -> None:
        """Gives what is there to those who wait, and has the next one made if that helps."""
        while True:
            with self._lock:
                ready = [self._matched(place) for place in range(len(self._kept))]
                given = [pair for pairs in ready for pair in pairs]
                wanted = any(self._waiting) and len(self._kept[self._turn]) < self._most
                pulls = wanted and not given and not self._is_pulling
                self._is_pulling = self._is_pulling or pulls
            for place, request, (error, element) in given:
                if not request.finish(error, element):
                    with self._lock:  # Its step has ended: the next one has the element.
                        self._kept[place].appendleft((error, element))
            if pulls:
                self._pull.request(_NoStep(), self._take)
            if not given:
                return

    def _matched(self, place: int) -> list[tuple[int, Request, Dealt]]:
        waiting, kept = self._waiting[place], self._kept[place]
        found = []
        while waiting and (kept or self._is_at_end):
            request = waiting.popleft()
            if not request.is_over:
                found.append((place, request, kept.popleft() if kept else (None, None)))
        return found

    def _take(self, error: BaseException | None, element: Element | None) -> None:
        with self._lock:
            self._is_pulling = False
            if error is None and element is None:
                self._is_at_end = True
            else:
                self._kept[self._turn].append((error, element))
                self._turn = (self._turn + 1) % len(self._kept)
        self._go_on()


class MultiDeviceIterator:
    """What a handle refers to: the devices, and the latest beginning."""

    def __init__(
        self,
        name: str,
        devices: Sequence[bytes],
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
    ) -> None:
        """Makes an iterator without a dataset, whose elements have these types and shapes."""
        self.name: Final = name
        self.devices: Final = tuple(devices)
        self.types: Final = tuple(types)
        self.shapes: Final = tuple(shapes)
        self.handle = b""
        """A string that stands for it, once it was asked for."""
        self.lock: Final = threading.Lock()
        self._dealer: Dealer | None = None
        self._beginnings = 0

    def begin(self, dataset: Dataset, most: int) -> int:
        """Begins at the first element of a dataset, and gives the number of the beginning.

        Raises:
          InvalidArgumentError: Its elements are not those of the iterator.
        """
        check_types(self.types, dataset.types)
        check_shapes(self.shapes, dataset.shapes)
        dealer = Dealer(dataset, len(self.devices), most)
        with self.lock:
            former, self._dealer = self._dealer, dealer
            self._beginnings += 1
            number = self._beginnings
        if former is not None:
            former.close()
        return number

    def dealer(self, number: int) -> Dealer:
        """What deals since a beginning.

        Raises:
          InvalidArgumentError: It is not the latest one.
        """
        with self.lock:
            if self._dealer is None or number != self._beginnings:
                raise invalid(
                    f"Invalid incarnation id: {number}, the current one is {self._beginnings}."
                )
            return self._dealer

    def when_forgotten(self) -> None:
        """Ends what is being run."""
        with self.lock:
            former, self._dealer = self._dealer, None
        if former is not None:
            former.close()


def place_of(number: Any, devices: Sequence[bytes]) -> int:
    """The place of a device that a step names.

    Raises:
      InvalidArgumentError: There is none.
    """
    if not 0 <= int(number) < len(devices):
        raise invalid(f"shard_num must be in [0, {len(devices)}), but is {int(number)}.")
    return int(number)
