"""CompositeTensor: a value made of several tensors, seen as one by the program; its base."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


class TakesFunctions:
    """Base class of values that know what functions of tensors do with them."""

    @classmethod
    def _apply_function(
        cls,
        function: Callable[..., Any],
        kind: str,
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """What a function of tensors makes of arguments with a value of this class among them.

        Args:
          function: The function, as programs know it.
          kind: What it does, as `dataflow.graph.dispatch` names it.
          args: Its arguments by place,
          options: and by name.

        Returns:
          Its result, NotImplemented if the function knows what to do by itself.
        """
        return NotImplemented


class CompositeTensor(TakesFunctions):
    """Base class of `SparseTensor`, `RaggedTensor`, `IndexedSlices` and datasets.

    `nest` can take such values apart, and sessions feed and fetch their tensors.
    """

    def _components(self) -> tuple[Any, ...]:
        """The tensors, in the order `nest.flatten(..., expand_composites=True)` lists them."""
        raise NotImplementedError

    @classmethod
    def _from_components(cls, components: Sequence[Any]) -> Any:
        """The value made of these tensors."""
        raise NotImplementedError

    def _with_components(self, components: Sequence[Any]) -> Any:
        """The value like this one that is made of these tensors."""
        return self._from_components(components)

    def _component_shapes(self, shape: Any) -> list[Any]:
        """The tensors' shapes as far as they stay while the whole keeps a shape, or its own."""
        raise NotImplementedError

    @classmethod
    def _value_of_components(cls, arrays: Sequence[Any]) -> Any:
        """What a session gives for the value, of the arrays of its tensors."""
        raise NotImplementedError

    @classmethod
    def _components_of_value(cls, value: Any) -> Sequence[Any]:
        """What is fed to the tensors for a value that a session has given."""
        components: Sequence[Any] = value
        return components
