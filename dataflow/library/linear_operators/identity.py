"""The identity, and numbers times the identity."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.library.check_types import assert_rank
from dataflow.library.check_values import assert_non_negative, assert_positive
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.checks import (
    assert_compatible_matrix_dimensions,
    assert_not_ref_type,
    assert_zero_imag_part,
    convert_nonref_to_tensor,
)
from dataflow.library.linear_operators.diagonal import DiagonalOperator, implied_by_real
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity, no_op
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def whole(value: Any, name: str, rank: int, in_step: bool = False) -> Any:
    """A size or a list of sizes as int32.

    Args:
      value: The size or sizes.
      name: What the program calls it.
      rank: 0 for a size, 1 for a list.
      in_step: Whether a step fails where they are not what they should be.

    Raises:
      TypeError: It is not of whole numbers, or a variable.
      ValueError: It has another rank, or is negative.
    """
    assert_not_ref_type(value, name)
    tensor = convert_to_tensor(value, dtype=dtypes.int32 if value == [] else None, name=name)
    says = f"Argument {name} must be"
    if not tensor.dtype.is_integer:
        raise TypeError(f"{says} integer type.  Found: {tensor}")
    known = constant_value(tensor)
    if tensor.shape.rank not in (None, rank):
        raise ValueError(f"{says} a {rank}-D Tensor.  Found: {known}")
    if known is not None and (known < 0).any():
        raise ValueError(f"{says} non-negative.  Found: {known}")
    if in_step and known is None:
        checks = [
            assert_rank(tensor, rank, message=f"{says} a {rank}-D Tensor."),
            assert_non_negative(tensor, message=f"{says} non-negative."),
        ]
        with control_dependencies(checks):
            return identity(tensor)
    return tensor


def known_sizes(tensor: Any) -> TensorShape:
    """The shape that a vector of sizes tells, as far as the graph knows it."""
    known = constant_value(tensor)
    if known is not None:
        return TensorShape([int(size) for size in known.reshape(-1)])
    if tensor.shape.rank == 0:
        return TensorShape([None])
    return TensorShape(None) if tensor.shape.rank is None else TensorShape([None] * tensor.shape[0])


def known_square(batch: TensorShape, size: Any) -> TensorShape:
    """The shape of square matrices, as far as the graph knows it."""
    ends = known_sizes(size)
    return batch.concatenate(ends).concatenate(ends)


def fitting(operator: LinearOperator, x: Any) -> Any:
    """A matrix; a step fails where it has not as many rows as the operator has columns."""
    with control_dependencies([assert_compatible_matrix_dimensions(operator, x)]):
        return identity(x)


class LinearOperatorScaledIdentity(DiagonalOperator):
    """Numbers times the identity."""

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        """Makes one of a size and of numbers `[B1, ..., Bb]`, float or complex.

        Raises:
          TypeError: The size is not whole.
          ValueError: The size is negative, or a hint contradicts what it is.
        """
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        with name_scope(name, values=[multiplier, num_rows]):
            self._proper = assert_proper_shapes
            self._num_rows = whole(num_rows, "num_rows", 0, assert_proper_shapes)
            self._multiplier = convert_nonref_to_tensor(multiplier, name="multiplier")
            super().__init__(
                dtype=self._multiplier.dtype,
                graph_parents=[self._multiplier],
                is_non_singular=is_non_singular,
                is_self_adjoint=implied_by_real(is_self_adjoint, self._multiplier.dtype),
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def _diag(self) -> Any:
        sizes = concat([pieces.shape_tensor(self._multiplier), [self._num_rows]], 0)
        diag = broadcast_to(pieces.as_columns(self._multiplier), sizes)
        diag.set_shape(self._multiplier.shape.concatenate(known_sizes(self._num_rows)))
        return diag

    def _shape(self) -> TensorShape:
        return known_square(self._multiplier.shape, self._num_rows)

    def _shape_tensor(self) -> Any:
        batch = pieces.shape_tensor(self._multiplier)
        return concat([batch, [self._num_rows, self._num_rows]], 0)

    def _fitting(self, x: Any) -> Any:
        return fitting(self, x) if self._proper else x

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return super()._matmul(self._fitting(pieces.adjoint_if(x, adjoint_arg)), adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return super()._solve(self._fitting(pieces.adjoint_if(rhs, adjoint_arg)), adjoint)

    def _column(self, adjoint: bool) -> Any:
        given = self._multiplier
        numbers = math_complex.conj(given) if adjoint else given
        return pieces.as_columns(pieces.as_columns(numbers))

    def _assert_non_singular(self) -> Any:
        sizes: Any = math_unary.abs(self._multiplier)
        return assert_positive(sizes, message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        return assert_positive(
            math_complex.real(self._multiplier),
            message="LinearOperator was not positive definite.",
        )

    def _assert_self_adjoint(self) -> Any:
        return assert_zero_imag_part(
            self._multiplier, message="LinearOperator was not self-adjoint"
        )

    @property
    def multiplier(self) -> Any:
        """The numbers, `[B1, ..., Bb]`."""
        return self._multiplier

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """The matrices plus `mat`, a tensor of the same type whose shape broadcasts."""
        return super().add_to_tensor(mat, name)

    def _with(self, multiplier: Any) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._num_rows,
            multiplier,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
        )

    def _adjoint(self) -> LinearOperator:
        return self._with(math_complex.conj(self._multiplier))

    def _cond(self) -> Any:
        return cast(super()._cond(), self.dtype)

    def _inverse(self) -> LinearOperator:
        return self._with(1.0 / self._multiplier)

    def _cholesky(self) -> LinearOperator:
        return self._with(math_unary.sqrt(self._multiplier))


class LinearOperatorIdentity(DiagonalOperator):
    """The identity."""

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        """Makes one of a size and the shape of a batch; float32 without a type.

        Raises:
          TypeError: The sizes are not whole.
          ValueError: A size is negative, or a hint contradicts what it is.
        """
        for hint, what in (
            (is_self_adjoint, "self adjoint"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
            (is_square, "square"),
        ):
            if not hint:
                raise ValueError(f"An identity operator is always {what}.")
        with name_scope(name):
            self._proper = assert_proper_shapes
            self._num_rows = whole(num_rows, "num_rows", 0, assert_proper_shapes)
            self._batched = batch_shape is not None
            batch = [] if batch_shape is None else batch_shape
            self._batch = whole(batch, "batch_shape", 1, assert_proper_shapes)
            super().__init__(
                dtype=dtype or dtypes.float32,
                is_non_singular=True,
                is_self_adjoint=True,
                is_positive_definite=True,
                is_square=True,
                name=name,
            )

    @property
    def _diag(self) -> Any:
        diag = array_fill.ones(concat([self._batch, [self._num_rows]], 0), dtype=self.dtype)
        diag.set_shape(known_sizes(self._batch).concatenate(known_sizes(self._num_rows)))
        return diag

    def _shape(self) -> TensorShape:
        return known_square(known_sizes(self._batch), self._num_rows)

    def _shape_tensor(self) -> Any:
        return concat([self._batch, [self._num_rows, self._num_rows]], 0)

    def _assert_non_singular(self) -> Any:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        return no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """The matrices plus `mat`, a tensor of the same type whose shape broadcasts."""
        return super().add_to_tensor(mat, name)

    def _same(self, x: Any, adjoint_arg: bool) -> Any:
        x = pieces.adjoint_if(x, adjoint_arg)
        if self._proper:
            x = fitting(self, x)
        return x * self._column(False) if self._batched else x

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._same(x, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._same(rhs, adjoint_arg)

    def _cond(self) -> Any:
        return cast(super()._cond(), self.dtype)

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self
