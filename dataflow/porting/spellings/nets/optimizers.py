"""tensorflow.python.training.optimizer: what optimizers of programs borrow from it."""

from dataflow.training.optimizer import without_duplicates as _deduplicate_indexed_slices
from dataflow.training.optimizer_targets import (
    RefTarget,
    ResourceTarget,
    Target,
    TensorTarget,
    target_of,
)
from dataflow.training.optimizer_variables import var_key as _var_key

__all__ = ["_deduplicate_indexed_slices", "_var_key"]

_OptimizableVariable = Target
_RefVariableProcessor = RefTarget
_DenseResourceVariableProcessor = ResourceTarget
_TensorProcessor = TensorTarget
_get_processor = target_of
