"""A queue of elements, each of them a tuple of tensors: who finds it full or empty waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.errors import CancelledError, OutOfRangeError
from dataflow.kernels.contract.handles import Referable
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.resources import snapshot
from dataflow.kernels.lists.partial_shapes import agree, dims_text
from dataflow.kernels.lists.stacking import make_zeros, slices_of, stack_elements
from dataflow.kernels.queues.waiting import Attempt, Awaited, Done, Line, Outcome, Waiter
from dataflow.values.dtypes import DType

Element = tuple[Any, ...]
Shape = tuple[int | None, ...]
"""Of a component; None for a size that elements may differ in."""


class Queue(Referable, Awaited):
    """Elements first in, first out."""

    kind: str = "FIFOQueue"
    """What messages call it."""

    def __init__(
        self, name: str, types: Sequence[DType], shapes: Sequence[Shape], capacity: int
    ) -> None:
        """Makes an empty queue.

        Args:
          name: Its name, for messages.
          types: Element types of the components.
          shapes: Their shapes; empty if each element may have others.
          capacity: Most elements it holds; negative for any number.
        """
        self._enqueues: Line = deque()
        self._dequeues: Line = deque()
        super().__init__(self._enqueues, self._dequeues)
        self.name = name
        self.types: Final = tuple(types)
        self.shapes: Final = tuple(shapes)
        self.capacity: Final = capacity
        self.is_closed = False
        self._elements: deque[Element] = deque()

    @property
    def size(self) -> int:
        """How many elements there are."""
        return len(self._elements)

    def enqueue(self, step: Waiter, done: Done, components: Element) -> None:
        """Puts one element in."""
        for place, shape in enumerate(self.shapes):
            _check_shape(place, shape, np.shape(components[place]))
        self._check_elements(components)
        self._put(step, done, [tuple(map(snapshot, components))])

    def enqueue_many(self, step: Waiter, done: Done, components: Element) -> None:
        """Puts the slices of the components in, all of them before what comes later."""
        sizes = [np.shape(component)[:1] for component in components]
        for place, component in enumerate(components):
            if not np.ndim(component):
                raise invalid(
                    f"Shape mismatch in tuple component {place}. Expected a first dimension, got []"
                )
            if self.shapes:
                _check_shape(place, sizes[0] + self.shapes[place], np.shape(component))
            elif sizes[place] != sizes[0]:
                raise invalid(
                    "All input tensors must have the same size in the 0th dimension. Component "
                    f"{place} has {sizes[place][0]}, and should have {sizes[0][0]}"
                )
        self._check_elements(components, 1)
        if not sizes[0][0]:
            done()
            return
        slices = [
            slices_of(snapshot(component), dtype)
            for component, dtype in zip(components, self.types, strict=True)
        ]
        self._put(step, done, list(zip(*slices, strict=True)))

    def dequeue(self, step: Waiter, done: Done) -> None:
        """Takes one element out."""
        attempt = Attempt("Dequeue", done, partial(self._take, [], 1, None))
        self.submit(self._dequeues, attempt, step)

    def dequeue_many(self, step: Waiter, done: Done, count: int, up_to: bool) -> None:
        """Takes elements out, stacked; `up_to`: fewer if the queue is closed."""
        if not self.shapes:
            raise invalid(
                f"{self.kind}'s DequeueMany and DequeueUpTo require the components to have "
                "specified shapes."
            )
        if not count:
            self._hand_out(done, self._stacked(()))
            return
        taken: list[Element] = []
        attempt = Attempt(
            "Dequeue",
            done,
            partial(self._take, taken, count, up_to),
            partial(self._return, taken),
        )
        self.submit(self._dequeues, attempt, step)

    def close(self, step: Waiter, done: Done, cancel_pending: bool) -> None:
        """Closes the queue, after the enqueues that wait now or at the price of these."""
        if cancel_pending:
            self.is_closed = True
            self.cancel_line(self._enqueues)
            done()
            return
        attempt = Attempt("Close", done, self._close)
        self.submit(self._enqueues, attempt, step)

    def _put(self, step: Waiter, done: Done, elements: list[Element]) -> None:
        attempt = Attempt("Enqueue", done, partial(self._accept, deque(elements)))
        self.submit(self._enqueues, attempt, step)

    def _accept(self, left: deque[Element], attempt: Attempt) -> Outcome:
        if self.is_closed:
            text = f"{self.kind} '{self.name}' is closed."
            attempt.error = CancelledError(None, None, text)
            return Outcome.OVER
        room = len(left) if self.capacity < 0 else self.capacity - len(self._elements)
        count = min(room, len(left))
        if count > 0:
            self._extend([left.popleft() for _ in range(count)])
        if not left:
            return Outcome.OVER
        return Outcome.MOVED if count > 0 else Outcome.STUCK

    def _take(
        self, taken: list[Element], count: int, up_to: bool | None, attempt: Attempt
    ) -> Outcome:
        """Takes elements until there are `count`; `up_to` None stands for a lone one, unstacked."""
        elements = self._elements
        if self.is_closed and len(elements) < count - len(taken):
            self._return(taken)
            if up_to and elements:
                count = len(elements)
            elif up_to and self._enqueues:
                return Outcome.STUCK
            else:
                attempt.error = OutOfRangeError(
                    None,
                    None,
                    f"{self.kind} '{self.name}' is closed and has insufficient elements "
                    f"(requested {count}, current size {len(elements)})",
                )
                return Outcome.OVER
        ready = min(self._ready(), count - len(taken))
        if ready > 0:
            taken += self._pop(ready)
        if len(taken) < count:
            return Outcome.MOVED if ready > 0 else Outcome.STUCK
        made = taken[0] if up_to is None else self._stacked(taken)
        attempt.result = made[0] if len(made) == 1 else made
        return Outcome.OVER

    def _check_elements(self, components: Element, many: int = 0) -> None:
        """Refuses components that this kind of queue cannot take; `many`: of several elements."""

    def _ready(self) -> int:
        """How many elements may be taken out now; the lock is held, as below."""
        return len(self._elements)

    def _extend(self, elements: list[Element]) -> None:
        self._elements.extend(elements)

    def _pop(self, count: int) -> list[Element]:
        return [self._elements.popleft() for _ in range(count)]

    def _return(self, taken: list[Element]) -> None:
        """Puts back what an attempt has taken that cannot have all that it wants."""
        self._elements.extendleft(reversed(taken))
        taken.clear()

    def _close(self, attempt: Attempt) -> Outcome:
        if self.is_closed:
            text = f"Queue '{self.name}' is already closed."
            attempt.error = CancelledError(None, None, text)
        self.is_closed = True
        return Outcome.OVER

    def _stacked(self, elements: Sequence[Element]) -> Element:
        if not elements:
            pairs = zip(self.shapes, self.types, strict=True)
            return tuple(
                make_zeros(np, (0, *(size or 0 for size in shape)), dtype) for shape, dtype in pairs
            )
        columns = zip(*elements, strict=True)
        return tuple(
            stack_elements(np, column, dtype)
            for column, dtype in zip(columns, self.types, strict=True)
        )

    @staticmethod
    def _hand_out(done: Done, made: Element) -> None:
        done(made[0] if len(made) == 1 else made)


def _check_shape(place: int, wanted: Shape, given: tuple[int, ...]) -> None:
    if wanted != given and not (None in wanted and agree(wanted, given)):
        raise invalid(
            f"Shape mismatch in tuple component {place}. Expected {dims_text(wanted)}, got "
            f"{dims_text(given)}"
        )
