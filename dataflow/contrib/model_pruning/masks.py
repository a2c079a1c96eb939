"""Masks of weights, and where they are found."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.scopes import add_to_collection, get_collection
from dataflow.library.sparsity import zero_fraction
from dataflow.ops.math.binary import multiply
from dataflow.variables.initializers import Ones, Zeros
from dataflow.variables.scope import get_variable, variable_scope

MASK_COLLECTION: Final = "masks"
THRESHOLD_COLLECTION: Final = "thresholds"
MASKED_WEIGHT_COLLECTION: Final = "masked_weights"
WEIGHT_COLLECTION: Final = "kernel"
MASKED_WEIGHT_NAME: Final = "weights/masked_weight"
"""How the product of a mask and weights is called."""


def apply_mask(x: Any, scope: Any = "") -> Any:
    """Weights times a mask.

    Args:
      x: The weights, a variable or a tensor.
      scope: The variable scope of the mask and of the threshold below which weights are masked.

    Returns:
      A tensor like `x`.
    """
    mask, threshold = weight_mask_variable(x, scope), weight_threshold_variable(x, scope)
    masked = multiply(mask, x, MASKED_WEIGHT_NAME)
    remember(mask, threshold, masked, x)
    return masked


def weight_mask_variable(var: Any, scope: Any) -> Any:
    """A variable `mask` of ones in a scope, with the shape of weights."""
    with variable_scope(scope):
        return get_variable(
            "mask", var.shape, initializer=Ones(), trainable=False, dtype=var.dtype.base_dtype
        )


def weight_threshold_variable(var: Any, scope: Any) -> Any:
    """A variable `threshold` in a scope, which starts with zero."""
    with variable_scope(scope):
        return get_variable(
            "threshold", [], initializer=Zeros(), trainable=False, dtype=var.dtype.base_dtype
        )


def remember(mask: Any, threshold: Any, masked: Any, weights: Any) -> None:
    """Puts a mask and what belongs to it where pruning finds it, unless it is there."""
    if any(each is mask for each in get_masks()):
        return
    add_to_collection(THRESHOLD_COLLECTION, threshold)
    add_to_collection(MASK_COLLECTION, mask)
    add_to_collection(MASKED_WEIGHT_COLLECTION, masked)
    add_to_collection(WEIGHT_COLLECTION, weights)


def get_masked_weights() -> list[Any]:
    """All products of masks and weights."""
    return get_collection(MASKED_WEIGHT_COLLECTION)


def get_masks() -> list[Any]:
    """All masks."""
    return get_collection(MASK_COLLECTION)


def get_thresholds() -> list[Any]:
    """All thresholds."""
    return get_collection(THRESHOLD_COLLECTION)


def get_weights() -> list[Any]:
    """All weights that have masks."""
    return get_collection(WEIGHT_COLLECTION)


def get_weight_sparsity() -> list[Any]:
    """For each mask which share of it is zero."""
    return [zero_fraction(mask) for mask in get_masks()]
