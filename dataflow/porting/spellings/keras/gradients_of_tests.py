"""tensorflow.python.keras.mixed_precision.experimental.test_util: identities by their slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.differentiation.custom_gradient import custom_gradient
from dataflow.keras import ops

_Identity = Callable[[Any], Any]


def create_identity_with_grad_check_fn(
    expected_gradient: Any, expected_dtype: Any = None
) -> _Identity:
    """An identity that fails if its gradient is another than was expected.

    Args:
      expected_gradient: The gradient.
      expected_dtype: Its type; any if None.
    """

    @custom_gradient
    def identity(x: Any) -> Any:
        def grad(dx: Any) -> Any:
            if expected_dtype:
                assert dx.dtype == expected_dtype, (
                    f"dx.dtype should be {expected_dtype} but is: {dx.dtype}"
                )
            wanted = ops.convert_to_tensor(
                expected_gradient, dtype=dx.dtype, name="expected_gradient"
            )
            with ops.control_dependencies([ops.assert_equal(dx, wanted)]):
                return ops.identity(dx)

        return ops.identity(x), grad

    checked: _Identity = identity
    return checked


def create_identity_with_nan_gradients_fn(have_nan_gradients: Any) -> _Identity:
    """An identity whose gradient is no number when a tensor is true."""

    @custom_gradient
    def identity(x: Any) -> Any:
        def grad(dx: Any) -> Any:
            with ops.control_dependencies([dx]):
                nothing = ops.constant(float("nan"), dtype=dx.dtype)
            return ops.cond(
                have_nan_gradients, lambda: ops.fill(ops.shape(dx), nothing), lambda: dx
            )

        return ops.identity(x), grad

    broken: _Identity = identity
    return broken
