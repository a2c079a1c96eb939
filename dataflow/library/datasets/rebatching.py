"""The method of datasets that gives batches other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.datasets import element_nest, structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.nodes import dataset_node, flag
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values import dtypes


class RebatchingMethods(DatasetBase):
    """Makes batches of other sizes."""

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Any:
        """The rows of batches in batches of another size, as of `unbatch` and `batch`.

        Args:
          batch_size: How many rows: scalar int64, or a vector of sizes that are taken in turns.
          drop_remainder: Whether a last batch with fewer rows is left out: scalar bool.
          name: Name of the operation.

        Raises:
          ValueError: A component has no first dimension, the components' first dimensions differ,
            or `batch_size` has more dimensions.
        """
        spec = self.element_spec
        if not all(isinstance(atom, TensorSpec) for atom in element_nest.flatten(spec)):
            dataset: Any = self
            return dataset.unbatch().batch(batch_size, drop_remainder, name=name)
        sizes = convert_to_tensor(batch_size, dtype=dtypes.int64, name="batch_sizes")
        drops = flag(drop_remainder, "drop_remainder")
        made_spec = structures.batched(
            structures.unbatched(spec), _static_size(sizes, drops, structures.flat_shapes(spec))
        )
        variant = dataset_node(
            "RebatchDatasetV2", made_spec, self._variant_tensor, sizes, drops, name=name
        )
        return self._made(variant, made_spec, self)


def _static_size(sizes: Any, drops: Any, shapes: Any) -> int | None:
    """The size that all batches have, if that is known."""
    found = constant_value(sizes)
    if found is None:
        return None
    if np.ndim(found) > 1:
        raise ValueError(
            "Invalid `batch_sizes`. Expected `batch_sizes` to be a scalar or a vector. Received "
            f"`batch_sizes` of rank {np.ndim(found)}."
        )
    different = set(np.ravel(found).tolist())
    if len(different) != 1:
        return None
    (size,) = different
    drop = constant_value(drops)
    if drop is not None and bool(drop):
        return int(size)
    given = [shape.as_list()[0] for shape in shapes if shape.rank]
    known = [dim for dim in given if dim is not None]
    if not known:
        return None
    if len(set(known)) > 1:
        raise ValueError(
            f"Invalid `input_dataset.` The batch dimension of component 0 is {known[0]}, while the "
            f"batch dimension of component i is {known}."
        )
    return int(size) if size and known[0] % size == 0 else None
