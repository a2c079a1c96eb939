"""AdaGrad with a full matrix, which is known by the last gradients only: GGT.

Agarwal, Bullins, Chen, Hazan, Singh, Zhang, Zhang, The case for full-matrix adaptive
regularization, 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.linalg.diag import eye
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.svd import svd
from dataflow.ops.math.binary import minimum
from dataflow.ops.math.compare import greater
from dataflow.ops.math.division import floormod
from dataflow.ops.math.power import pow as power
from dataflow.ops.math.unary import sqrt
from dataflow.ops.reductions.reduce import reduce_min
from dataflow.ops.state.reference import assign, assign_add
from dataflow.ops.state.scatter import scatter_update
from dataflow.training.optimizer import Optimizer
from dataflow.values import dtypes


class GGTOptimizer(Optimizer):
    """Divides the momentum by the root of the sum of the last gradients' squares, as matrices."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        use_locking: bool = False,
        name: str = "GGT",
        window: int = 10,
        eps: float = 1e-4,
        svd_eps: float = 1e-6,
        sigma_eps: float = 1e-2,
    ) -> None:
        """Makes an optimizer.

        Args:
          learning_rate: The rate.
          beta1: Decay of the momentum.
          use_locking: Whether updates of reference variables exclude each other.
          name: Name of the scope of the operations.
          window: How many gradients count.
          eps: Up to which smallest singular value directions that no gradient has are left out.
          svd_eps: Is added to the matrix that is decomposed.
          sigma_eps: Is added to singular values before they divide.
        """
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._window = learning_rate, beta1, window
        self._eps, self._svd_eps, self._sigma_eps = eps, svd_eps, sigma_eps
        self._grads: list[tuple[Any, Any]] = []

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda v: str(v.name))
        dtype = first.dtype.base_dtype
        size = sum(each.shape.num_elements() for each in var_list)
        for name, shape in (
            ("global_step", []),
            ("grad_buffer", [self._window, size]),
            ("moment1", [size]),
            ("flat_grad", [size]),
        ):
            self._create_non_slot_variable(zeros(shape, dtype), name, first)

    def _prepare(self) -> None:
        self._grads = []

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        if indices is not None:
            raise NotImplementedError("Sparse gradient updates are not supported.")
        self._grads.append((var, grad))
        return grad.op

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        pairs = sorted(self._grads, key=lambda pair: str(pair[0].name))
        flat: Any = concat([array_shape.reshape(grad, [-1]) for _, grad in pairs], 0)
        step = self._step(flat)
        updates, begin = [], 0
        for var, _ in pairs:
            size = var.shape.num_elements()
            part = array_shape.reshape(step[begin : begin + size], var.shape)
            updates.append(var.assign_sub(self._rate(part.dtype) * part))
            begin += size
        return group(*updates, name=name_scope)

    def _rate(self, dtype: Any) -> Any:
        return cast(self._call_if_callable(self._lr), dtype)

    def _step(self, flat: Any) -> Any:
        dtype, window = flat.dtype, self._window
        graph = scopes.get_default_graph()
        counted, buffer, moment, kept_flat = (
            self._get_non_slot_variable(name, graph=graph)
            for name in ("global_step", "grad_buffer", "moment1", "flat_grad")
        )
        flat = assign(kept_flat, flat)
        count: Any = assign_add(counted, cast(1.0, dtype))
        m1 = assign(moment, self._beta1 * moment + (1.0 - self._beta1) * flat)
        place = floormod(cast(count - 1.0, dtypes.int32), window)
        kept: Any = scatter_update(buffer, place, m1)
        scaled = kept / sqrt(minimum(count, cast(window, dtype)))
        column = array_shape.expand_dims(m1, -1)
        gram: Any = matmul(scaled, scaled, transpose_b=True)
        damping: Any = eye(window, dtype=dtype)
        sigma, u, _ = svd(gram + damping * self._svd_eps)
        root: Any = sqrt(sigma)
        smallest: Any = reduce_min(root)
        along = matmul(u, matmul(scaled, column), transpose_a=True)

        def spread(values: Any) -> Any:
            weighted = array_shape.expand_dims(values, -1) * along
            return matmul(scaled, matmul(u, weighted), transpose_a=True)

        head: Any = spread(1.0 / power(root + self._sigma_eps, cast(3.0, dtype)))
        tail: Any = column - spread(1.0 / sigma)
        return cond(greater(smallest, self._eps), lambda: head + tail / smallest, lambda: head)
