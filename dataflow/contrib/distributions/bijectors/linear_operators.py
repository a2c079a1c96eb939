"""AffineLinearOperator: a linear operator of vectors, moved."""

from __future__ import annotations

import contextlib
from typing import Any

from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes


class AffineLinearOperator(Bijector):
    """`scale x + shift` of vectors, where the scale is a linear operator."""

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        """Takes both; without a shift nothing is added, without a scale it is 1.

        Raises:
          TypeError: The scale is no LinearOperator, or of another type than the shift.
          ValueError: It is to be validated, and not known to be non-singular.
        """
        parents: list[Any] = []
        dtype: Any = dtypes.float32
        with scopes.name_scope(name), scopes.name_scope("init", values=[shift]):
            if shift is not None:
                shift = convert_to_tensor(shift, name="shift")
                parents.append(shift)
                dtype = shift.dtype.base_dtype
            if scale is not None:
                if not isinstance(scale, LinearOperator):
                    raise TypeError("scale is not an instance of tf.LinearOperator")
                if shift is not None and dtype != scale.dtype.base_dtype:
                    raise TypeError(
                        f"shift.dtype({shift.dtype}) is incompatible with "
                        f"scale.dtype({scale.dtype})."
                    )
                if validate_args and not scale.is_non_singular:
                    raise ValueError("Scale matrix must be non-singular.")
                parents += scale.graph_parents
                dtype = scale.dtype.base_dtype
        self._shift, self._scale = shift, scale
        super().__init__(
            forward_min_event_ndims=1,
            graph_parents=parents,
            is_constant_jacobian=True,
            dtype=dtype,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> Any:
        """What is added, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """The linear operator, or None."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        y = x
        if self._scale is not None:
            with scopes.control_dependencies(self._checks()):
                y = self._scale.matvec(y)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Any) -> Any:
        x = y if self._shift is None else y - self._shift
        return x if self._scale is None else self._scale.solvevec(x)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._scale is None:
            return constant(0.0, dtype=x.dtype.base_dtype)
        with scopes.control_dependencies(self._checks()):
            return self._scale.log_abs_determinant()

    def _checks(self) -> list[Any]:
        if self.validate_args and self._scale is not None:
            # Not every operator can tell.
            with contextlib.suppress(NotImplementedError):
                return [self._scale.assert_non_singular()]
        return []
