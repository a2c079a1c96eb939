"""What leaves are worth, by the sums of their examples' gradients and hessians.

A leaf that lowers its loss the most has the weight -(H + l2)^-1 g, and gains g^T (H + l2)^-1 g.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.boosted_trees.gains import solved
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.proto.learner_pb2 import LearnerConfig

TREE_PER_CLASS: Final = LearnerConfig.TREE_PER_CLASS
FULL_HESSIAN: Final = LearnerConfig.FULL_HESSIAN
DIAGONAL_HESSIAN: Final = LearnerConfig.DIAGONAL_HESSIAN

_NOTHING: Final = float(np.float32(1e-6) * np.float32(1e-6))
"""Of the square of a gradient's or hessian's length: what is not longer counts as none."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Gradients and hessians, float32, of shapes (..., classes) and (..., classes[, classes])."""

    gradients: Any
    hessians: Any

    def __getitem__(self, place: Any) -> Sums:
        return Sums(self.gradients[place], self.hessians[place])

    def __sub__(self, other: Sums) -> Sums:
        with np.errstate(all="ignore"):
            return Sums(self.gradients - other.gradients, self.hessians - other.hessians)

    def __mul__(self, factor: Any) -> Sums:
        with np.errstate(all="ignore"):
            return Sums(self.gradients * factor, self.hessians * factor)

    def running(self) -> Sums:
        """The sums of all up to each place of the second dimension, in float32."""
        with np.errstate(all="ignore"):
            return Sums(
                np.cumsum(self.gradients, axis=1, dtype=np.float32),
                np.cumsum(self.hessians, axis=1, dtype=np.float32),
            )

    def are_nothing(self, dims: int) -> Any:
        """Whether both are as good as 0; `dims` says how many dimensions stand before them."""
        return (_squares(self.gradients, dims) <= _NOTHING) & (
            _squares(self.hessians, dims) <= _NOTHING
        )


@dataclass(frozen=True, slots=True)
class Leaves:
    """Weights, whether there are any, and gains."""

    weights: Any
    exist: Any
    gains: Any

    def __getitem__(self, place: Any) -> Leaves:
        return Leaves(self.weights[place], self.exist[place], self.gains[place])


def _squares(values: Any, dims: int) -> Any:
    """The squares of lengths, as float64 sums of float32 squares."""
    with np.errstate(all="ignore"):
        squares = np.square(values).astype(np.float64)
    return squares.reshape(*squares.shape[:dims], -1).sum(axis=-1)


@dataclass(frozen=True, slots=True)
class Limits:
    """What keeps trees small, and how several classes are treated."""

    l1: Any
    l2: Any
    tree_complexity: Any
    min_node_weight: Any
    strategy: int

    def leaves(self, sums: Sums, dims: int) -> Leaves:
        """The best leaves of examples with these sums.

        Args:
          sums: Of gradients and hessians.
          dims: How many dimensions stand before those of a gradient.

        Raises:
          InvalidArgumentError: The sums are not of the shape that the strategy takes.
        """
        if self.strategy == TREE_PER_CLASS:
            return self._of_one_class(sums, dims)
        _check(sums, dims, self.strategy)
        light = np.sqrt(_squares(sums.hessians, dims)).astype(np.float32) <= self.min_node_weight
        exist = ~(sums.are_nothing(dims) | light)
        weights = np.zeros_like(sums.gradients)
        gains = np.zeros(sums.gradients.shape[:dims], np.float32)
        gradients, hessians = sums.gradients[exist], sums.hessians[exist]
        if len(gradients):
            weights[exist], gains[exist] = self._of_classes(gradients, hessians)
        return Leaves(weights, exist, gains)

    def _of_one_class(self, sums: Sums, dims: int) -> Leaves:
        shape = sums.gradients.shape[:dims]
        gradients = sums.gradients.reshape(*shape, -1)[..., 0]
        hessians = sums.hessians.reshape(*shape, -1)[..., 0]
        counts = ~(sums.are_nothing(dims) | (hessians <= self.min_node_weight))
        shrunk = gradients
        with np.errstate(all="ignore"):
            if self.l1 > 0:
                shrunk = np.where(gradients > self.l1, gradients - self.l1, gradients + self.l1)
                # Inside of [-l1, l1] no weight other than 0 lessens the loss.
                counts &= (gradients > self.l1) | (gradients < -self.l1)
            weights = np.where(counts, -shrunk / (hessians + self.l2), np.float32(0))
            gains = np.where(counts, weights * -shrunk, np.float32(0))
        return Leaves(weights[..., None], np.ones(shape, bool), gains)

    def _of_classes(self, gradients: Any, hessians: Any) -> tuple[Any, Any]:
        """Weights and gains of vectors of gradients."""
        classes = gradients.shape[-1]
        identity = np.eye(classes, dtype=np.float32)
        with np.errstate(all="ignore"):
            if self.strategy == FULL_HESSIAN:
                matrices = np.swapaxes(hessians, -1, -2) + self.l2 * identity
                weights = -solved(matrices, gradients)
                return weights, -_dots(gradients, weights)
            diagonals = hessians + self.l2
            weights = -(np.float32(1) / diagonals) * gradients
            singular = (diagonals == 0).any(axis=-1)
            if singular.any():
                matrices = diagonals[singular][:, None] * identity
                weights[singular] = -solved(matrices, gradients[singular])
            return weights, _dots(-gradients, weights)


def _dots(one: Any, other: Any) -> Any:
    """Sums of products along the last dimension, float32, in the order of Eigen's sums of eights:
    lane by lane, then the halves of the lanes, and at last what is left over."""
    products = one * other
    count = products.shape[-1]
    whole = count - count % 8
    if not whole:
        return np.cumsum(products, axis=-1, dtype=np.float32)[..., -1]
    lanes = products[..., :whole].reshape(*products.shape[:-1], -1, 8)
    total = np.cumsum(lanes, axis=-2, dtype=np.float32)[..., -1, :]
    for half in (4, 2, 1):
        total = total[..., :half] + total[..., half : 2 * half]
    found = total[..., 0]
    for place in range(whole, count):
        found = found + products[..., place]
    return found


def _check(sums: Sums, dims: int, strategy: int) -> None:
    if strategy not in (FULL_HESSIAN, DIAGONAL_HESSIAN):
        raise invalid(f"Unknown multi-class strategy {strategy}")
    gradient, hessian = sums.gradients.shape[dims:], sums.hessians.shape[dims:]
    if len(gradient) != 1:
        raise invalid(f"Gradient should be of rank 2, got rank {1 + len(gradient)}")
    wanted = gradient * (2 if strategy == FULL_HESSIAN else 1)
    if hessian != wanted:
        raise invalid(f"Hessian must be of shape {shape_text(wanted)}, got {shape_text(hessian)}")
