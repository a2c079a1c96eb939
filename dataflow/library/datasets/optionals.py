"""tf.data.experimental.Optional: an element, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import nodes, structures
from dataflow.library.datasets.specs import OptionalSpec
from dataflow.values.composite_tensor import CompositeTensor


class Optional(CompositeTensor):
    """An element, or nothing."""

    _variant_tensor: Tensor
    _spec: Any

    @classmethod
    def _of(cls, variant: Tensor, spec: Any) -> Optional:
        made = object.__new__(Optional)
        made._variant_tensor = variant
        made._spec = spec
        return made

    def _components(self) -> tuple[Tensor, ...]:
        return (self._variant_tensor,)

    def _with_components(self, components: Sequence[Any]) -> Any:
        (variant,) = components
        return Optional._of(variant, self._spec)

    @property
    def element_spec(self) -> Any:
        """Describes the element: a structure of specs."""
        return self._spec

    @property
    def value_structure(self) -> Any:
        """The old name of `element_spec`."""
        return self._spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._spec)

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is an element: a scalar bool."""
        with scopes.colocate_with(self._variant_tensor):
            made: Tensor = apply_op("OptionalHasValue", self._variant_tensor, name=name)
            return made

    def get_value(self, name: str | None = None) -> Any:
        """The element; running it raises InvalidArgumentError if there is none."""
        with (
            scopes.name_scope(name, "OptionalGetValue", [self._variant_tensor]) as scope,
            scopes.colocate_with(self._variant_tensor),
        ):
            tensors = apply_op(
                "OptionalGetValue",
                self._variant_tensor,
                name=scope,
                **nodes.described(self._spec),
            )
            return structures.from_tensors(self._spec, tensors)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional that holds nothing."""
        return Optional._of(apply_op("OptionalNone"), element_spec)

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """The old name of `empty`."""
        return Optional.empty(value_structure)

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional that holds an element."""
        with scopes.name_scope("optional") as scope:
            element = structures.normalized(value)
            spec = structures.spec_of_element(element)
            tensors = structures.to_tensors(spec, element)
            return Optional._of(apply_op("OptionalFromValue", tensors, name=scope), spec)


OptionalSpec._wrap = staticmethod(Optional._of)
OptionalSpec.value_type = Optional
