"""tensorflow.python.framework.type_spec: bases of what other libraries describe values by."""

from dataflow.library.datasets.specs import TypeSpec


class BatchableTypeSpec(TypeSpec):
    """A base for descriptions of values that can be batched."""
