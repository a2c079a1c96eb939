"""tensorflow.python.framework.type_spec and tensor_spec: what libraries describe values by."""

from __future__ import annotations

from dataflow.library.concrete.bounds import BoundedTensorSpec as BoundedTensorSpec
from dataflow.library.datasets.specs import TypeSpec


class BatchableTypeSpec(TypeSpec):
    """A base for descriptions of values that can be batched."""
