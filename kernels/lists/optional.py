"""Optional: the value of a variant that holds tensors, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.values.dtypes import DType

OPTIONAL: Final = "tensorflow::data::Optional"
RAGGED: Final = "RaggedTensorVariant"
"""The kind of row splits and values of a ragged tensor;"""
TENSOR: Final = "tensorflow::Tensor"
"""of one tensor, as sparse tensors have three."""


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """Some tensors and their element types, or None for nothing; never changed."""

    components: tuple[Any, ...] | None
    dtypes: tuple[DType, ...] = ()
    type_name: str = OPTIONAL
    """What TensorFlow calls a variant of this kind where it is saved."""

    def zeros_like(self, xp: Any) -> Optional:
        """Zeros for each tensor; nothing for nothing."""
        if self.components is None:
            return NOTHING
        zeros = tuple(_zeros_like(v, xp) for v in self.components)
        return Optional(zeros, self.dtypes, self.type_name)

    def added_to(self, other: Any, xp: Any) -> Optional:
        """The sums of the tensors of two optionals.

        Raises:
          InvalidArgumentError: They do not hold the same number of tensors of the same shapes.
        """
        if not isinstance(other, Optional):
            raise invalid("An optional can only be added to an optional.")
        if self.components is None and other.components is None:
            return NOTHING
        if self.components is None or other.components is None:
            raise invalid("Cannot add optionals because one has a value and the other doesn't.")
        if len(self.components) != len(other.components):
            raise invalid(
                "Cannot add optionals because they have different numbers of components: "
                f"{len(self.components)} vs. {len(other.components)}."
            )
        pairs = zip(self.components, other.components, strict=True)
        return Optional(tuple(_sum(a, b, xp) for a, b in pairs), self.dtypes, self.type_name)


NOTHING = Optional(None)
"""An optional without a value."""


def _zeros_like(value: Any, xp: Any) -> Any:
    return value.zeros_like(xp) if hasattr(value, "zeros_like") else xp.zeros_like(value)


def _sum(first: Any, second: Any, xp: Any) -> Any:
    if hasattr(first, "added_to"):
        return first.added_to(second, xp)
    if first.shape != second.shape:
        raise invalid("Inputs of AddN must have the same size and shape.")
    return xp.add(first, second)
