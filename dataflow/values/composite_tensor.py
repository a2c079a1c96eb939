"""CompositeTensor: a value made of several tensors, seen as one by the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class CompositeTensor:
    """Base class of `SparseTensor` and `IndexedSlices`; `nest` can take such values apart."""

    def _components(self) -> tuple[Any, ...]:
        """The tensors, in the order `nest.flatten(..., expand_composites=True)` lists them."""
        raise NotImplementedError

    @classmethod
    def _from_components(cls, components: Sequence[Any]) -> Any:
        """The value made of these tensors."""
        raise NotImplementedError
