"""What leaves are worth: the weight that minimizes a leaf's loss, and how much it takes off.

A leaf's loss is taken for g w + (h + l2) w^2 / 2 + l1 |w|, with the sums g and h of gradients and
hessians of its examples.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid

_SMALLEST: Final = np.float32(1e-15)
"""A hessian that is not greater counts as none."""


def weights_and_gains(gradients: Any, hessians: Any, l1: Any, l2: Any) -> tuple[Any, Any]:
    """The weights of leaves, and their gains.

    Args:
      gradients: Sums of shape (..., logits), float32.
      hessians: Sums of shape (..., n): n is 1 for one logit, and else the number of logits, for
        diagonals, or its square.
      l1: A float32 number; not used where there are several logits.
      l2: A float32 number.

    Returns:
      Weights of the shape of the gradients, and gains without its last dimension.
    """
    logits = gradients.shape[-1]
    if logits == 1:
        weights, gains = _of_one_logit(gradients[..., 0], hessians[..., 0], l1, l2)
        return weights[..., None], gains
    if hessians.shape[-1] == logits * logits:
        matrices = np.swapaxes(hessians.reshape(*hessians.shape[:-1], logits, logits), -1, -2)
        return _of_matrices(matrices + l2 * np.eye(logits, dtype=np.float32), gradients)
    diagonals = hessians + l2
    with np.errstate(all="ignore"):
        weights = -(np.float32(1) / diagonals) * gradients
        gains = (-gradients * weights).sum(axis=-1, dtype=np.float32)
    singular = (diagonals == 0).any(axis=-1)
    if singular.any():
        matrices = diagonals[singular][:, None] * np.eye(logits, dtype=np.float32)
        weights[singular], gains[singular] = _of_matrices(matrices, gradients[singular])
    return weights, gains


def check_statistics(logits: int, statistics: int) -> None:
    """Checks how many numbers there are for each bucket.

    Args:
      logits: How many are gradients.
      statistics: How many gradients and hessians there are.

    Raises:
      InvalidArgumentError: The hessians are neither diagonals nor whole matrices.
    """
    hessians = statistics - logits
    if hessians <= 0:
        raise invalid(f"hessian dim should be < 0, got {hessians}")
    if hessians > logits * logits:
        raise invalid(f"hessian dim should be <= {logits * logits} but got: {hessians}")
    if hessians not in (logits, logits * logits):
        raise invalid(f"hessian dim should be {logits} or {logits * logits} but got: {hessians}")


def _of_one_logit(gradients: Any, hessians: Any, l1: Any, l2: Any) -> tuple[Any, Any]:
    shrunk, curvatures = gradients, hessians + l2
    counts = ~(curvatures <= _SMALLEST)
    if l1 > 0:
        shrunk = np.where(gradients > l1, gradients - l1, gradients + l1)
        # Inside of [-l1, l1] no weight other than 0 lessens the loss.
        counts &= (gradients > l1) | (gradients < -l1)
    with np.errstate(all="ignore"):
        weights = np.where(counts, -shrunk / curvatures, np.float32(0))
        gains = np.where(counts, -shrunk * weights, np.float32(0))
    return weights, gains


def _of_matrices(matrices: Any, gradients: Any) -> tuple[Any, Any]:
    weights = -solved(matrices, gradients)
    with np.errstate(all="ignore"):
        return weights, -(gradients * weights).sum(axis=-1, dtype=np.float32)


def solved(matrices: Any, rights: Any) -> Any:
    """Solutions of square systems, singular ones among them: by Householder's reflections, with
    the longest column first; what is behind the rank stays 0."""
    size = matrices.shape[-1]
    left = matrices.reshape(-1, size, size).astype(np.float32)
    right = rights.reshape(-1, size).astype(np.float32)
    each = np.arange(len(left))
    order = np.tile(np.arange(size), (len(left), 1))
    ranks = np.full(len(left), size)
    tiny = np.finfo(np.float32).eps
    with np.errstate(all="ignore"):
        norms = np.square(left).sum(axis=1)
        threshold = np.square(np.sqrt(norms.max(axis=1, initial=0)) * tiny) / size
        for step in range(size):
            lengths = np.square(left[:, step:, step:]).sum(axis=1)
            longest = step + lengths.argmax(axis=1)
            small = lengths[each, longest - step] < threshold * (size - step)
            ranks = np.where((ranks == size) & small, step, ranks)
            _swap(left.transpose(0, 2, 1), each, step, longest)
            _swap(order, each, step, longest)
            _reflect(left, right, step)
        return _substituted(left, right, order, ranks).reshape(rights.shape)


def _swap(rows: Any, each: Any, step: int, other: Any) -> None:
    held = rows[each, step].copy()
    rows[each, step] = rows[each, other]
    rows[each, other] = held


def _reflect(left: Any, right: Any, step: int) -> None:
    """Makes all elements of a column below the diagonal 0."""
    column = left[:, step:, step].copy()
    length = np.sqrt(np.square(column).sum(axis=1))
    column[:, 0] += np.where(column[:, 0] < 0, -length, length)
    square = np.square(column).sum(axis=1)
    scale = np.where(square > 0, np.float32(2) / square, np.float32(0))
    projected = scale[:, None] * np.einsum("bi,bij->bj", column, left[:, step:, step:])
    left[:, step:, step:] -= column[:, :, None] * projected[:, None, :]
    right[:, step:] -= column * (scale * (column * right[:, step:]).sum(axis=1))[:, None]


def _substituted(left: Any, right: Any, order: Any, ranks: Any) -> Any:
    """Solutions of triangular systems, whose unknowns stand in another order."""
    size = left.shape[-1]
    found, each = np.zeros_like(right), np.arange(len(right))
    for step in reversed(range(size)):
        rest = right[:, step] - (left[:, step, step + 1 :] * found[:, step + 1 :]).sum(axis=1)
        # Eigen does not divide a 0: nothing by nothing is nothing.
        counts = (step < ranks) & (rest != 0)
        found[:, step] = np.where(counts, rest / left[:, step, step], np.float32(0))
    ordered = np.zeros_like(found)
    ordered[each[:, None], order] = found
    return ordered
