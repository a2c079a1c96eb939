"""PartialUpdates: what variables offer to change some of their rows or elements."""

from __future__ import annotations

from typing import Any


class PartialUpdates:
    """Writes to parts of a variable; each kind of variable has its own operations for them."""

    def _scatter(self, kind: str, delta: Any, use_locking: bool, name: str | None) -> Any:
        raise NotImplementedError

    def _scatter_nd(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:
        raise NotImplementedError

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtracts `IndexedSlices` from the variable.

        Raises:
          TypeError: `sparse_delta` is no `IndexedSlices`.
        """
        return self._scatter("Sub", sparse_delta, use_locking, name)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Adds `IndexedSlices` to the variable; see `scatter_sub`."""
        return self._scatter("Add", sparse_delta, use_locking, name)

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Raises rows to at least those of `IndexedSlices`; see `scatter_sub`."""
        return self._scatter("Max", sparse_delta, use_locking, name)

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Lowers rows to at most those of `IndexedSlices`; see `scatter_sub`."""
        return self._scatter("Min", sparse_delta, use_locking, name)

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiplies the variable by `IndexedSlices`; see `scatter_sub`."""
        return self._scatter("Mul", sparse_delta, use_locking, name)

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divides the variable by `IndexedSlices`; see `scatter_sub`."""
        return self._scatter("Div", sparse_delta, use_locking, name)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Puts `IndexedSlices` into the variable; see `scatter_sub`."""
        return self._scatter("Update", sparse_delta, use_locking, name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts from slices of the variable; see `tf.scatter_nd_sub`."""
        return self._scatter_nd("Sub", indices, updates, name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds to slices of the variable; see `tf.scatter_nd_add`."""
        return self._scatter_nd("Add", indices, updates, name)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Puts slices into the variable; see `tf.scatter_nd_update`."""
        return self._scatter_nd("Update", indices, updates, name)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Raises slices of the variable to at least the updates."""
        return self._scatter_nd("Max", indices, updates, name)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Lowers slices of the variable to at most the updates."""
        return self._scatter_nd("Min", indices, updates, name)

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Puts `IndexedSlices` into each tensor the variable is a batch of; see `scatter_sub`."""
        raise NotImplementedError

    def count_up_to(self, limit: int) -> Any:
        """The value of a counter, which is then one higher; see `tf.count_up_to`."""
        raise NotImplementedError

    def set_shape(self, shape: Any) -> None:
        """Refines the static shape by what the caller knows.

        Raises:
          ValueError: `shape` contradicts what is known.
        """
        raise NotImplementedError
