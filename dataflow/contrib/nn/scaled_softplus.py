"""Softplus of a given sharpness, which may be bounded."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.unary as math_unary
from dataflow.differentiation.custom_gradient import custom_gradient
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.array.broadcast_gradient import reduce_gradients
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import minimum
from dataflow.ops.math.compare import less
from dataflow.ops.nn.activation import softplus


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: str | None = None) -> Any:
    """`alpha log(1 + exp(x / alpha))`, or the lesser of it and a bound.

    Args:
      x: Floats.
      alpha: How far from 0 it is bent, positive; broadcast against `x`, as is `clip`.
      clip: The bound, or None.
      name: Name scope of the operations.
    """
    values = [x, alpha] if clip is None else [x, alpha, clip]
    with name_scope(name, "scaled_softplus", values):
        x = convert_to_tensor(x, name="x")
        alpha = convert_to_tensor(alpha, dtype=x.dtype, name="alpha")
        given = [x, alpha]
        if clip is not None:
            given.append(convert_to_tensor(clip, dtype=x.dtype, name="clip"))

        @custom_gradient
        def bent(*args: Any) -> Any:
            x, alpha = args[:2]
            plain = alpha * softplus(x / alpha)
            y = minimum(plain, args[2]) if len(args) > 2 else plain

            def gradients(grad: Any) -> list[Any]:
                bound: list[Any] = []
                if len(args) > 2:
                    is_free: Any = cast(less(y, args[2]), grad.dtype)
                    bound.append(reduce_gradients(y, args[2], None, grad * (1.0 - is_free))[1])
                    grad = grad * is_free
                scaled = y / alpha
                left: Any = math_unary.exp(-scaled)
                slope = 1.0 - left
                of_alpha = scaled * left - slope * math_unary.log(slope + 1e-8)
                of_x = reduce_gradients(x, y, grad * slope, None)[0]
                return [of_x, reduce_gradients(alpha, y, grad * of_alpha, None)[0], *bound]

            return y, gradients

        return bent(*given)
