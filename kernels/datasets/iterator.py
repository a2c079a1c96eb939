"""An iterator: the resource that gives the elements of a dataset to steps."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from dataflow.errors import CancelledError, FailedPreconditionError, OpError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.elements import as_arrays
from dataflow.kernels.datasets.run import Run, start_thread, when_dropped
from dataflow.kernels.datasets.seeds import seed_sources
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Done = Callable[..., None]
"""`done(result)` or `done(error=error)`: ends a blocking kernel's call."""


class Step(Protocol):
    """The step that an element is for."""

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Has `callback` called when the step is cancelled; gives what withdraws it."""


class Request:
    """An element that a step wants."""

    __slots__ = ("_lock", "_withdraw", "done", "is_over", "run")

    def __init__(self, done: Done) -> None:
        """Takes what ends the kernel's call: `done(error, element)`."""
        self.done = done
        self.is_over = False
        self.run: Run | None = None
        """What makes the element, while it is made."""
        self._withdraw: Callable[[], None] | None = None
        self._lock = threading.Lock()

    def begin(self, step: Step) -> None:
        """Ends with the step."""
        self._withdraw = step.on_cancel(self.cancel)

    def cancel(self) -> None:
        """Ends without an element, because nobody wants it any more."""
        error = CancelledError(None, None, "GetNext was cancelled")
        run = self.run
        if self.finish(error, None) and run is not None:
            run.stop(error)

    def finish(self, error: BaseException | None, element: Element | None) -> bool:
        """Tells the kernel; False if it has been told already."""
        with self._lock:
            if self.is_over:
                return False
            self.is_over = True
        if self._withdraw is not None:
            self._withdraw()
        self.done(error, element and as_arrays(element))
        return True


class Pull:
    """A dataset that is being run, and the steps that wait for its elements.

    One thread at a time makes elements: that of a step, where they come without waiting, or else
    one of the pull's own.
    """

    def __init__(self, dataset: Dataset, skipped: int = 0) -> None:
        """Begins at the first element, or behind some that are skipped."""
        self.run: Final = Run()
        self.dataset: Final = dataset
        self._stage: Stage | None = None
        self._lock = threading.Lock()
        self._requests: deque[Request] = deque()
        self._busy = False
        self._has_thread = False
        self._woken = threading.Semaphore(0)
        self._kept: list[Element] = []
        """An element that its step had no use for any more."""
        self.passed = skipped
        """How many elements, or errors in their places, were given, or are to be skipped."""
        self._to_skip = skipped
        self.began: Final = [source.place for source in seed_sources(dataset)]
        """Where those that give seeds were at the first element."""
        when_dropped(self, partial(_end, self.run, self._woken))

    def prepare(self) -> None:
        """Makes the stages, so that what is wrong with them is seen now."""
        self._stage = self.dataset.start(self.run)

    def request(self, step: Step, done: Done) -> None:
        """Has an element made."""
        request = Request(done)
        with self._lock:
            self._requests.append(request)
            serves, self._busy = not self._busy, True
        if not serves:
            request.begin(step)
            return
        stage = self._stage
        if stage is not None and stage.is_ready():
            request.begin(step)
            self._serve()
            return
        request.begin(step)
        if not self._has_thread:
            self._has_thread = True
            pull = weakref.ref(self)
            start_thread(partial(_serve_others, pull, self._woken), "Iterator")
        self._woken.release()

    def close(self) -> None:
        """Ends all for good."""
        self.run.close()
        self._woken.release()
        with self._lock:
            waiting = tuple(self._requests)
        for request in waiting:
            request.cancel()

    def _serve(self) -> None:
        """Makes elements until nobody waits for one."""
        while True:
            with self._lock:
                while self._requests and self._requests[0].is_over:
                    self._requests.popleft()
                if not self._requests:
                    self._busy = False
                    return
                request = self._requests.popleft()
            self._make(request)

    def _make(self, request: Request) -> None:
        error: BaseException | None = None
        element: Element | None = None
        if self._kept:
            element = self._kept.pop()
        else:
            request.run = self.run
            try:
                if request.is_over:
                    return
                self.run.check()
                if self._stage is None:
                    self.prepare()
                assert self._stage is not None
                if self._to_skip:
                    self._skip(self._stage)
                element = self._stage.next()
            except BaseException as wrong:
                error = wrong
                if not isinstance(wrong, Exception):
                    self._leave(request)
                    raise
            finally:
                request.run = None
        is_given = request.finish(error, element)
        if is_given:
            self.passed += element is not None or is_in_place(error)
        else:
            if element is not None:
                self._kept.append(element)
            self.run.resume()

    def _skip(self, stage: Stage) -> None:
        """Makes the elements that were given before, for nobody."""
        while self._to_skip:
            self.run.check()
            try:
                stage.next()
            except OpError as error:
                if not is_in_place(error):
                    raise
            self._to_skip -= 1

    def _leave(self, request: Request) -> None:
        """The thread was interrupted: others go on."""
        request.finish(CancelledError(None, None, "GetNext was interrupted"), None)
        with self._lock:
            self._busy = False


def is_in_place(error: BaseException | None) -> bool:
    """True if an error stands in the place of an element, and the next one can be asked for."""
    return isinstance(error, OpError) and not isinstance(error, CancelledError)


def _end(run: Run, woken: threading.Semaphore) -> None:
    run.close()
    woken.release()


def _serve_others(pull: weakref.ref[Pull], woken: threading.Semaphore) -> None:
    """Serves when woken, until the pull is closed or dropped."""
    while True:
        woken.acquire()
        found = pull()
        if found is None or found.run.closed:
            return
        found._serve()
        del found


class Iterator:
    """What a handle refers to: the state of an iteration, once there is a dataset."""

    def __init__(self, name: str, types: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
        """Makes an iterator without a dataset.

        Args:
          name: Its name.
          types: Element types of the components; empty for any.
          shapes: Their shapes.
        """
        self.name: Final = name
        self.types: Final = tuple(types)
        self.shapes: Final = tuple(shapes)
        self._pull: Pull | None = None
        self.handle = b""
        """A string that stands for it, once it was asked for."""
        self.starting: Final = threading.Lock()
        """Held while a dataset is made for it."""

    @property
    def pull(self) -> Pull | None:
        """What is being run, or None."""
        return self._pull

    def set_dataset(self, dataset: Dataset, skipped: int = 0) -> None:
        """Begins at the first element of a dataset, or behind some that are skipped.

        Raises:
          InvalidArgumentError: Its elements are not those of the iterator.
        """
        check_types(self.types, dataset.types)
        check_shapes(self.shapes, dataset.shapes)
        pull = Pull(dataset, skipped)
        pull.prepare()
        former, self._pull = self._pull, pull
        if former is not None:
            former.close()

    def when_forgotten(self) -> None:
        """Ends what is being run."""
        pull, self._pull = self._pull, None
        if pull is not None:
            pull.close()

    def get_next(self, step: Step, done: Done) -> None:
        """Has an element made: `done(error, element)`, with None at the end.

        Raises:
          FailedPreconditionError: There is no dataset.
        """
        pull = self._pull
        if pull is None:
            raise FailedPreconditionError(
                None,
                None,
                "GetNext() failed because the iterator has not been initialized. Ensure that you "
                "have run the initializer operation for this iterator before getting the next "
                "element.",
            )
        pull.request(step, done)


def check_types(wanted: Sequence[DType], given: Sequence[DType]) -> None:
    """Refuses elements of other types.

    Raises:
      InvalidArgumentError: They differ in number or type.
    """
    if not wanted:
        return
    if len(wanted) != len(given):
        raise invalid(
            f"Number of components does not match: expected {len(wanted)} types but got "
            f"{len(given)}."
        )
    for place, (first, second) in enumerate(zip(wanted, given, strict=True)):
        if first != second:
            raise invalid(
                f"Data type mismatch at component {place}: expected {type_name(first)} but got "
                f"{type_name(second)}."
            )


def check_shapes(wanted: Sequence[TensorShape], given: Sequence[TensorShape]) -> None:
    """Refuses elements whose shapes cannot be these.

    Raises:
      InvalidArgumentError: They differ in number or shape.
    """
    if not wanted:
        return
    if len(wanted) != len(given):
        raise invalid(
            f"Number of components does not match: expected {len(wanted)} shapes but got "
            f"{len(given)}."
        )
    for place, (first, second) in enumerate(zip(wanted, given, strict=True)):
        if not first.is_compatible_with(second):
            raise invalid(
                f"Incompatible shapes at component {place}: expected {partial_text(first)} but got "
                f"{partial_text(second)}."
            )


def partial_text(shape: TensorShape) -> str:
    """A shape as errors print it, with question marks for what is not known."""
    if shape.rank is None:
        return "<unknown>"
    return "[" + ",".join("?" if size is None else str(size) for size in shape.as_list()) + "]"
