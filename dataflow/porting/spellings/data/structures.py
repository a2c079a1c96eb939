"""tensorflow.python.data.util.structure: specs of elements, and the tensors these are in."""

from __future__ import annotations

from typing import Any

from dataflow.library.datasets import element_nest
from dataflow.library.datasets.specs import TensorSpec
from dataflow.library.datasets.structures import flat_shapes as get_flat_tensor_shapes
from dataflow.library.datasets.structures import flat_types as get_flat_tensor_types
from dataflow.library.datasets.structures import from_legacy as convert_legacy_structure
from dataflow.library.datasets.structures import from_tensors as from_tensor_list
from dataflow.library.datasets.structures import normalized as normalize_element
from dataflow.library.datasets.structures import spec_of_element as type_spec_from_value
from dataflow.library.datasets.structures import to_batched_tensors as to_batched_tensor_list
from dataflow.library.datasets.structures import to_tensors as to_tensor_list

__all__ = [
    "are_compatible",
    "convert_legacy_structure",
    "from_compatible_tensor_list",
    "from_tensor_list",
    "get_flat_tensor_shapes",
    "get_flat_tensor_specs",
    "get_flat_tensor_types",
    "normalize_element",
    "to_batched_tensor_list",
    "to_tensor_list",
    "type_spec_from_value",
]

from_compatible_tensor_list = from_tensor_list


def are_compatible(spec1: Any, spec2: Any) -> bool:
    """Whether two structures of specs have one form, and each spec fits the other's."""
    first, second = element_nest.flatten(spec1), element_nest.flatten(spec2)
    if len(first) != len(second) or element_nest.pack(spec1, second) != spec2:
        return False
    return all(one.is_compatible_with(other) for one, other in zip(first, second, strict=True))


def get_flat_tensor_specs(element_spec: Any) -> list[TensorSpec]:
    """The specs of the tensors that elements are in."""
    flat = zip(
        get_flat_tensor_shapes(element_spec), get_flat_tensor_types(element_spec), strict=True
    )
    return [TensorSpec(shape, dtype) for shape, dtype in flat]
