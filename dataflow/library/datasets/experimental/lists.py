"""Datasets of lists of elements, and datasets that are filled up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.library.datasets import element_nest, structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.nodes import described
from dataflow.library.datasets.transformations import Transformation
from dataflow.ops.array.fill import zeros


def from_list(elements: list[Any], name: str | None = None) -> Any:
    """A dataset of the elements of a list, whose tensors may have different sizes.

    Args:
      elements: The list.
      name: Name of the operation.

    Raises:
      ValueError: It is empty, or no list.
      TypeError: Elements have different forms or types.
    """
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    elements = [structures.normalized(element) for element in elements]
    specs = [structures.spec_of_element(element) for element in elements]
    for other in specs[1:]:
        structures.check_same(specs[0], other)
    spec = reduce(structures.relaxed, specs)
    tensors = [
        tensor
        for own, element in zip(specs, elements, strict=True)
        for tensor in structures.to_tensors(own, element)
    ]
    variant = apply_op("ListDataset", tensors, name=name, **described(spec))
    return DatasetBase._made(variant, spec)


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """Elements, and zeros behind them until there are so many.

    Args:
      cardinality: How many.
      mask_key: The key under which elements say whether they are no filling.

    Returns:
      A function for `Dataset.apply`. It raises ValueError for elements that are no dictionaries.
    """

    def apply(dataset: Any) -> Any:
        if not isinstance(dataset.element_spec, Mapping):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        missing = cardinality - dataset.cardinality()
        filling = element_nest.map_atoms(
            lambda spec: zeros(spec.shape, spec.dtype), dataset.element_spec
        )
        filling[mask_key] = False
        valid = dataset.map(lambda element: {**element, mask_key: True})
        return valid.concatenate(Dataset.from_tensors(filling).repeat(missing))

    return apply
