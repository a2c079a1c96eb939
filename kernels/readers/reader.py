"""A reader: gives the records of one file after the other, whose names a queue has."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.errors import CancelledError, OpError
from dataflow.kernels.contract.handles import Referable
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.queues.queue import Queue
from dataflow.kernels.queues.waiting import Done, Waiter
from dataflow.kernels.readers.state import ReaderState
from dataflow.values import dtypes

Record = tuple[bytes, bytes]
"""Key and value."""
Open = Callable[[bytes], Iterator[Record]]
"""Gives the records of a file, by name."""


class Reader(Referable):
    """Requests for records are served one after the other; one that waits holds no thread."""

    def __init__(self, kind: str, name: str, open_file: Open, is_whole: bool = False) -> None:
        """Makes a reader that has read nothing.

        Args:
          kind: What messages call it.
          name: Its name, for messages.
          open_file: Opens a file.
          is_whole: Each file is one record, so that it ends with that.
        """
        self.kind: Final = kind
        self.name = name
        self.state = ReaderState()
        self._open = open_file
        self.is_whole: Final = is_whole
        self._records: Iterator[Record] | None = None
        self._requests: deque[_Request] = deque()
        """The first one is being served."""
        self._lock = threading.Lock()

    def read(self, step: Waiter, done: Done, queue: Queue, count: int | None) -> None:
        """Gives records; takes names of files out of the queue, and waits for them.

        Args:
          step: The step.
          done: Told of them: key and value.
          queue: Of names.
          count: So many at most, in two vectors; None for one.
        """
        request = _Request(step, done, queue, count)
        with self._lock:
            self._requests.append(request)
            is_first = len(self._requests) == 1
        if is_first:
            self._serve()
        else:
            request.withdraw = step.on_cancel(partial(self._cancel, request))

    def put_at(self, state: ReaderState) -> None:
        """Puts the reader at a place between two files."""
        with self._lock:
            self.state = state
            self._records = None

    def _cancel(self, request: _Request) -> None:
        with self._lock:
            # The first one waits for the queue, which tells it.
            if request not in self._requests or request is self._requests[0]:
                return
            self._requests.remove(request)
        request.done(error=CancelledError(None, None, "Read operation was cancelled"))

    def _serve(self) -> None:
        """Serves requests until one has to wait."""
        while True:
            request = self._requests[0]
            try:
                is_over = self._advance(request)
            except Exception as error:
                request.error, is_over = error, True
            if not is_over:
                return
            with self._lock:
                self._requests.popleft()
                is_last = not self._requests
            request.finish()
            if is_last:
                return

    def _advance(self, request: _Request) -> bool:
        """Reads on for a request; False if it has to wait, and is then gone on with."""
        while not request.has_all:
            if self._records is None:
                arrival, request.arrival = request.arrival, None
                if arrival is None:
                    arrival = _Arrival()
                    request.queue.dequeue(request.step, arrival.come)
                    if not arrival.is_here_or(partial(self._go_on, request, arrival)):
                        return False
                if arrival.error is not None:
                    self.state.work = b""
                    raise arrival.error
                self._begin(arrival.value)
            with self._lock:
                if self._take_record(request):
                    return True
        return True

    def _take_record(self, request: _Request) -> bool:
        """Takes a record of the file that is open; True if the request is over, as it ends."""
        record = None if self._records is None else next(self._records, None)
        if record is not None:
            request.records.append(record)
            self.state.produced += 1
        if record is not None and not self.is_whole:
            return False
        self._records = None
        self.state.finished = self.state.started
        return bool(request.records)

    def _go_on(self, request: _Request, arrival: _Arrival) -> None:
        request.arrival = arrival
        self._serve()

    def _begin(self, name: Any) -> None:
        if np.size(name) != 1:
            raise invalid("Expected to dequeue a one-element string tensor")
        work: bytes = name if isinstance(name, bytes) else np.asarray(name).reshape(-1)[0]
        self._records = self._open(work)
        self.state.started += 1
        self.state.work = work


class _Request:
    """Records that a step wants."""

    def __init__(self, step: Waiter, done: Done, queue: Queue, count: int | None) -> None:
        self.step = step
        self.done = done
        self.queue = queue
        self.count = count
        self.records: list[Record] = []
        self.error: Exception | None = None
        self.arrival: _Arrival | None = None
        """Of the name that it has waited for."""
        self.withdraw: Callable[[], None] | None = None

    @property
    def has_all(self) -> bool:
        """Whether it wants no more."""
        return len(self.records) >= (1 if self.count is None else self.count)

    def finish(self) -> None:
        """Tells the kernel."""
        if self.withdraw is not None:
            self.withdraw()
        if self.error is not None and not self.records:
            self.done(error=self.error)
        elif self.count is None:
            self.done(tuple(np.array(text, object) for text in self.records[0]))
        else:
            columns = list(zip(*self.records, strict=True)) or [(), ()]
            self.done(tuple(map(_strings, columns)))


class _Arrival:
    """A name that is asked for: there is one thread that goes on when it comes."""

    def __init__(self) -> None:
        self.value: Any = None
        self.error: OpError | None = None
        self._is_here = False
        self._then: Callable[[], None] | None = None
        self._lock = threading.Lock()

    def come(self, value: Any = None, error: Any = None) -> None:
        """Takes what the queue gives."""
        with self._lock:
            self.value, self.error, self._is_here = value, error, True
            then = self._then
        if then is not None:
            then()

    def is_here_or(self, then: Callable[[], None]) -> bool:
        """Whether it has come; if not, `then` is called when it does."""
        with self._lock:
            if not self._is_here:
                self._then = then
            return self._is_here


def _strings(texts: Any) -> np.ndarray[Any, Any]:
    made = np.empty(len(texts), object)
    made[:] = texts
    return made


def check_queue(queue: Any) -> Queue:
    """The queue, if names of files come out of it.

    Raises:
      InvalidArgumentError: It is none, or one of other elements.
    """
    if not isinstance(queue, Queue):
        raise invalid(
            "Trying to access a resource using the wrong type: input 1 refers to a "
            f"{type(queue).__name__}, which this op does not work with."
        )
    if len(queue.types) != 1:
        raise invalid("Expected single component queue")
    if queue.types[0] != dtypes.string:
        raise invalid("Expected queue with single string component")
    return queue
