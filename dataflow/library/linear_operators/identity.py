"""The identity, and numbers times the identity."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.diagonal import DiagonalOperator
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def whole(value: Any, name: str, rank: int) -> Any:
    """A size or a list of sizes as int32.

    Raises:
      TypeError: It is not of whole numbers.
      ValueError: It has another rank, or is negative.
    """
    tensor = convert_to_tensor(value, dtype=dtypes.int32 if value == [] else None, name=name)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor}")
    known = constant_value(tensor)
    if tensor.shape.rank not in (None, rank):
        raise ValueError(f"Argument {name} must be a {rank}-D Tensor.  Found: {known}")
    if known is not None and (known < 0).any():
        raise ValueError(f"Argument {name} must be non-negative.  Found: {known}")
    return tensor


def known_sizes(tensor: Any) -> TensorShape:
    """The shape that a vector of sizes tells, as far as the graph knows it."""
    known = constant_value(tensor)
    if known is not None:
        return TensorShape([int(size) for size in known.reshape(-1)])
    if tensor.shape.rank == 0:
        return TensorShape([None])
    return TensorShape(None) if tensor.shape.rank is None else TensorShape([None] * tensor.shape[0])


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
            self._num_rows = whole(num_rows, "num_rows", 0)
            self._multiplier = convert_to_tensor(multiplier, name="multiplier")
            column = pieces.as_columns(self._multiplier)
            sizes = concat([pieces.shape_tensor(self._multiplier), [self._num_rows]], 0)
            diag = broadcast_to(column, sizes)
            diag.set_shape(self._multiplier.shape.concatenate(known_sizes(self._num_rows)))
        super().__init__(
            diag, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )
        self._graph_parents = [self._multiplier]

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
            self._num_rows = whole(num_rows, "num_rows", 0)
            self._batched = batch_shape is not None
            self._batch = whole([] if batch_shape is None else batch_shape, "batch_shape", 1)
            sizes = concat([self._batch, [self._num_rows]], 0)
            diag = array_fill.ones(sizes, dtype=dtype or dtypes.float32)
            diag.set_shape(known_sizes(self._batch).concatenate(known_sizes(self._num_rows)))
        super().__init__(diag, True, True, True, True, name)
        self._graph_parents = []

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """The matrices plus `mat`, a tensor of the same type whose shape broadcasts."""
        return super().add_to_tensor(mat, name)

    def _same(self, x: Any, adjoint_arg: bool) -> Any:
        x = pieces.adjoint_if(x, adjoint_arg)
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
