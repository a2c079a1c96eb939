"""AdaGrad with a matrix for each dimension of a variable: Shampoo.

Gupta, Koren, Singer, Shampoo: preconditioned stochastic tensor optimization, 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.opt.rows import add_rows, subtract_rows
from dataflow.control_flow.cond import cond
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.scopes import colocate_with, control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.fill import zeros, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.scatter import scatter_nd
from dataflow.ops.array.select import where
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import eye
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.norm import norm
from dataflow.ops.linalg.svd import svd
from dataflow.ops.linalg.tensordot import tensordot
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import greater, less, logical_and
from dataflow.ops.math.division import floormod
from dataflow.ops.math.power import pow as power
from dataflow.ops.math.unary import abs as absolute
from dataflow.ops.math.unary import sqrt
from dataflow.ops.reductions.reduce import reduce_max, reduce_sum
from dataflow.training.optimizer import Optimizer
from dataflow.training.optimizer_targets import is_resource_variable
from dataflow.values import dtypes, logging


class ShampooOptimizer(Optimizer):
    """`variable -= rate * gbar`, contracted with `mat_gbar_j ** (-alpha / rank)` for each j.

    `gbar` is a weighted sum of gradients, `mat_gbar_j` of their products over all dimensions but
    j. A dimension that is too large has a vector in the place of the matrix.
    """

    def __init__(
        self,
        global_step: Any = 0,
        max_matrix_size: int = 768,
        gbar_decay: Any = 0.0,
        gbar_weight: Any = 1.0,
        mat_gbar_decay: Any = 1.0,
        mat_gbar_weight: Any = 1.0,
        learning_rate: Any = 1.0,
        svd_interval: Any = 1,
        precond_update_interval: Any = 1,
        epsilon: float = 1e-4,
        alpha: Any = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "Shampoo",
    ) -> None:
        """Makes an optimizer; what is Any may be a function of the step.

        Args:
          global_step: The step.
          max_matrix_size: Larger dimensions have vectors.
          gbar_decay: Decay of `gbar`.
          gbar_weight: Weight of a gradient in it.
          mat_gbar_decay: Decay of `mat_gbar_j`.
          mat_gbar_weight: Weight of a product in it.
          learning_rate: The rate.
          svd_interval: After how many steps powers are taken.
          precond_update_interval: After how many steps products are added.
          epsilon: Is added to diagonals.
          alpha: See above.
          use_iterative_root: Whether powers are taken by iteration rather than by decomposition.
          use_locking: Whether updates of reference variables exclude each other.
          name: Name of the scope of the operations, and of the slots.
        """
        super().__init__(use_locking, name)
        self._global_step = cast(global_step, dtypes.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar_decay, self._gbar_weight = gbar_decay, gbar_weight
        self._mat_gbar_decay, self._mat_gbar_weight = mat_gbar_decay, mat_gbar_weight
        self._learning_rate, self._alpha, self._epsilon = learning_rate, alpha, epsilon
        self._svd_interval, self._interval = svd_interval, precond_update_interval
        self._use_iterative_root = use_iterative_root

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            dtype = v.dtype.base_dtype
            with colocate_with(v):
                self._zeros_slot(v, "gbar", self._name)
                for i, size in enumerate(v.shape.as_list()):
                    is_matrix = size <= self._max_matrix_size
                    if is_matrix and self._svd_interval != 1:
                        self._get_or_make_slot(v, eye(size, dtype=dtype), f"H_{i}", self._name)
                    start = zeros([size, size] if is_matrix else [size], dtype)
                    self._get_or_make_slot(v, start, f"Gbar_{i}", self._name)

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Any:
        dense = var.shape[0].value <= self._max_matrix_size or self._gbar_decay != 0.0
        if indices is not None and dense:
            rows = array_shape.expand_dims(indices, 1)
            grad = scatter_nd(rows, grad, array_shape.shape(var, out_type=indices.dtype))
            indices = None
        return self._stepped(grad, var, indices)

    def _at_step(self, value: Any, dtype: Any) -> Any:
        return cast(value(self._step()) if callable(value) else value, dtype)

    def _step(self) -> Any:
        return self._global_step + 1

    def _stepped(self, grad: Any, var: Any, indices: Tensor | None) -> Any:
        dtype, rank = grad.dtype, var.shape.rank

        def now(value: Any) -> Any:
            return self._at_step(value, dtype)

        if indices is None:
            gbar = self.get_slot(var, "gbar")
            found = _averaged(
                gbar, self._gbar_decay, now(self._gbar_decay), now(self._gbar_weight) * grad
            )
        else:
            if self._gbar_decay != 0.0:
                logging.warning("Not applying momentum for variable: %s", var.name)
            found = grad
        exponent = -now(self._alpha) / float(rank)
        for i, size in enumerate(var.shape.as_list()):
            axes = [axis for axis in range(rank) if axis != i]
            if size <= self._max_matrix_size:
                matrix = self._power_of_products(var, grad, axes, i, exponent, now)
                found = tensordot(found, matrix, [[0], [0]])
                continue
            squares: Any = reduce_sum(grad * grad, axis=axes) if axes else grad * grad
            if axes and indices is None:
                squares = squares / float(size)
            squares = now(self._mat_gbar_weight) * squares
            slot = self.get_slot(var, f"Gbar_{i}")
            if i == 0 and indices is not None:
                sums: Any = _rows_after(slot, indices, squares)
            else:
                decay = now(self._mat_gbar_decay)
                sums = _averaged(slot, self._mat_gbar_decay, decay, squares)
            factor = where(greater(sums, 0.0), power(sums, exponent), zeros_like(sums))
            found = transpose(found, [*range(1, rank), 0]) * factor
        step = now(self._learning_rate) * found
        return var.assign_sub(step) if indices is None else subtract_rows(var, indices, step)

    def _power_of_products(
        self, var: Any, grad: Any, axes: list[int], i: int, exponent: Any, now: Any
    ) -> Any:
        slot = self.get_slot(var, f"Gbar_{i}")
        interval = now(self._interval)

        def updated() -> Any:
            products: Any = tensordot(grad, grad, [axes, axes])
            products = now(self._mat_gbar_weight) * interval * products
            decay = now(self._mat_gbar_decay)
            return cast(_averaged(slot, self._mat_gbar_decay, decay, products), grad.dtype)

        step = cast(self._step(), grad.dtype)
        matrix: Any = cond(less(floormod(step, interval), 1.0), updated, slot.read_value)
        size = var.shape[i].value
        matrix = matrix / float(size)
        if self._svd_interval == 1:
            return self._powered(matrix, size, exponent, var.shape.rank)
        kept = self.get_slot(var, f"H_{i}")

        def again() -> Any:
            return cast(
                kept.assign(self._powered(matrix, size, exponent, var.shape.rank)), grad.dtype
            )

        is_due = less(floormod(step, now(self._svd_interval)), 1.0)
        return cond(is_due, again, kept.read_value)

    def _powered(self, matrix: Any, size: int, exponent: Any, rank: int) -> Any:
        if self._use_iterative_root:
            root = _square_root(matrix, size, self._epsilon)
            return _inverse_root(root, size, -2.0 * self._alpha / rank)
        if size == 1:
            return power(matrix + self._epsilon, exponent)
        identity: Any = eye(size, dtype=matrix.dtype)
        sigma, u, v = svd(matrix + self._epsilon * identity, full_matrices=True)
        return matmul(v * power(maximum(sigma, self._epsilon), exponent), transpose(u))


def _averaged(slot: Any, decay: Any, decay_now: Any, added: Any) -> Any:
    """`decay * slot + added`, which the slot has then; it has no part in it if the decay is 0."""
    if not callable(decay) and decay == 0.0:
        return added
    if not callable(decay) and decay == 1.0:
        return slot.assign_add(added)
    return slot.assign_add((decay_now - 1.0) * slot + added)


def _rows_after(slot: Any, indices: Tensor, added: Any) -> Any:
    update = add_rows(slot, indices, added)
    if is_resource_variable(slot):
        with control_dependencies([update]):
            update = slot.read_value()
    return gather(update, indices)


def _square_root(matrix: Any, size: int, epsilon: float, most: int = 100) -> Any:
    """The root of a symmetric matrix, by the iteration of Denman and Beavers without inverses."""
    identity: Any = eye(size, dtype=matrix.dtype)
    matrix = matrix + epsilon * identity
    length: Any = norm(matrix)

    def better(i: Any, y: Any, _: Any, z: Any, error: Any, __: Any) -> Any:
        factor: Any = 0.5 * (3.0 * identity - matmul(z, y))
        new: Any = matmul(y, factor)
        found: Any = new * sqrt(length)
        left: Any = matrix - matmul(found, found)
        return i + 1, new, y, matmul(factor, z), norm(left) / length, error

    start = matrix / length
    found = while_loop(
        lambda i, y, old, z, error, before: logical_and(less(i, most), less(error, before)),
        better,
        [0, start, start, identity, length, length + 1.0],
    )
    return found[2] * sqrt(length)


def _inverse_root(matrix: Any, size: int, exponent: float, most: int = 100) -> Any:
    """A power -1/p of a symmetric matrix, p a whole number, by coupled Newton iterations."""
    if size == 1:
        return power(matrix, exponent)
    identity: Any = eye(size, dtype=matrix.dtype)
    times = round(-1.0 / exponent)
    if abs(times * exponent + 1.0) > 1e-6:
        raise ValueError(f"Iterations find roots only: {-1.0 / exponent} is no whole number.")
    scale: Any = (1.0 - 1.0 / exponent) / (2.0 * norm(matrix))

    def better(i: Any, m: Any, x: Any) -> Any:
        factor: Any = (1.0 - exponent) * identity + exponent * m
        powered: Any = factor
        for _ in range(times - 1):
            powered = matmul(powered, factor)
        return i + 1, matmul(powered, m), matmul(x, factor)

    def goes_on(i: Any, m: Any, x: Any) -> Any:
        far: Any = reduce_max(absolute(m - identity))
        return logical_and(less(i, most), greater(far, 1e-6))

    start = identity * power(scale, -exponent)
    return while_loop(goes_on, better, [0, matrix * scale, start])[2]
