"""Ragged tensors entry by entry, as `map_fn` takes them apart and puts them together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.ragged.spec import RaggedTensorSpec
from dataflow.library.ragged.tensor import as_ragged_or_tensor, is_ragged


@dataclass(frozen=True, slots=True)
class Batch:
    """A tensor whose entries along the first dimension are gone through."""

    tensor: Tensor
    element_spec: RaggedTensorSpec | None
    """Describes an entry of what is ragged: then the tensor holds variants."""

    @classmethod
    def of(cls, value: Any) -> Batch:
        """Of a tensor, or a ragged one."""
        if not is_ragged(value):
            return cls(convert_to_tensor(value, name="elem"), None)
        x = as_ragged_or_tensor(value)
        spec = RaggedTensorSpec.from_value(x)
        (variants,) = spec._to_batched_tensor_list(x)
        return cls(variants, spec._unbatch())

    def element(self, tensor: Tensor) -> Any:
        """The entry that was read."""
        return (
            tensor if self.element_spec is None else self.element_spec._from_tensor_list([tensor])
        )


def is_kept_in_variants(spec: Any) -> bool:
    """Whether results with this spec are ragged."""
    return isinstance(spec, RaggedTensorSpec)


def kept(spec: Any, value: Any) -> Any:
    """A result as the tensor that is written down."""
    if not is_kept_in_variants(spec):
        return value
    (variant,) = spec._to_tensor_list(value)
    return variant


def put_together(spec: Any, stacked: Tensor) -> Any:
    """All results in one."""
    if not is_kept_in_variants(spec):
        return stacked
    dims = stacked.shape.dims_tuple
    return spec._batch(dims[0] if dims else None)._from_tensor_list([stacked])
