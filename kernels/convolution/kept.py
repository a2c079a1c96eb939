"""Filters in the layouts that oneDNN reads: made once, and anew when the filters have changed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataflow.kernels.convolution.plans import CompiledConvolution

_PATIENCE: Final = 3
"""Calls with the same array after which it is held."""
_MOST: Final = 1 << 20


class Bound:
    """How many bytes the layouts of a plan may take."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Takes so many bytes, or none if there are not so many left."""
        with self._lock:
            fits = size <= self._left
            if fits:
                self._left -= size
        return fits

    def give(self, size: int) -> None:
        """Gives bytes back."""
        with self._lock:
            self._left += size


class Kept:
    """The layouts of one node's filters, which nobody writes to while they are held here.

    A variable is written in place only where nobody else holds its array. So holding an array shows
    every update by another array, but costs the update a copy: where updates come, it is held ever
    less often.
    """

    def __init__(self, bound: Bound, constant: bool) -> None:
        """Keeps nothing yet.

        Args:
          bound: What the layouts count against.
          constant: The filters are the same in each step.
        """
        self._bound = bound
        self._patience = 0 if constant else _PATIENCE
        self._seen = 0
        """Calls with an array of the same identity, while none is held."""
        self._last = 0
        self._held: tuple[Any, dict[CompiledConvolution, Any]] | None = None
        self._lock = threading.Lock()

    def find(self, plan: CompiledConvolution, filters: Any) -> Any:
        """Filters as a plan reads them; None if they are not kept."""
        held = self._held
        if held is not None and held[0] is filters:
            found = held[1].get(plan)
            if found is not None:
                return found
        with self._lock:
            return self._make(plan, filters)

    def _make(self, plan: CompiledConvolution, filters: Any) -> Any:
        if self._held is not None and self._held[0] is not filters:
            self._drop()
            self._patience = min(_MOST, 2 * self._patience)
        if self._held is None:
            self._seen = self._seen + 1 if self._last == id(filters) else 0
            self._last = id(filters)
            if self._seen < self._patience:
                return None
            self._held = filters, {}
        layouts = self._held[1]
        for other, own in list(layouts.items()):
            if plan.agrees_with(other):
                layouts[plan] = own
                return own
        if not self._bound.take(plan.filter_bytes):
            return None
        own = layouts[plan] = plan.converted(filters, None)
        return own

    def _drop(self) -> None:
        assert self._held is not None
        layouts = {id(own): plan for plan, own in self._held[1].items()}
        for plan in layouts.values():
            self._bound.give(plan.filter_bytes)
        self._held, self._seen = None, 0
