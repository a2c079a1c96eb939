"""Names of `tensorflow.python.data.ops.optional_ops`."""

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.optionals import Optional
from dataflow.library.datasets.specs import OptionalSpec as OptionalSpec

__all__ = ["OptionalSpec", "_OptionalImpl"]


def _OptionalImpl(variant_tensor: Tensor, value_structure: Any) -> Optional:
    """The optional that a variant stands for."""
    return Optional._of(variant_tensor, value_structure)
