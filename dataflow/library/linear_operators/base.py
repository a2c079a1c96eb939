"""LinearOperator: what all operators have, by the dense matrix where they know no better."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_equal, assert_less, assert_positive
from dataflow.library.layers.module import Module
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.registrations import (
    _ADJOINTS,
    _CHOLESKY_DECOMPS,
    _INVERSES,
    _MATMUL,
    _SOLVE,
    answer,
)
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.cholesky import cholesky, cholesky_solve
from dataflow.ops.linalg.diag import eye, matrix_diag_part
from dataflow.ops.linalg.eigen import self_adjoint_eigvals
from dataflow.ops.linalg.inverse import matrix_determinant, slogdet
from dataflow.ops.linalg.svd import svd
from dataflow.values import dtypes
from dataflow.values.composite_tensor import TakesFunctions
from dataflow.values.shapes import Dimension, TensorShape


class LinearOperator(Module, TakesFunctions):
    """A batch of matrices, `[B1, ..., Bb, M, N]`, as what can be done with them.

    Subclasses define `_shape`, `_shape_tensor` and `_matmul`, and what their structure makes cheap
    by the public name with an underscore: `_solve`, `_diag_part` ... What a hint says is believed,
    not checked; None says nothing.
    """

    def __new__(cls, *args: Any, **options: Any) -> LinearOperator:
        made: LinearOperator = super().__new__(cls)
        made._parameters = pieces.arguments_of(cls, args, options)
        return made

    def __init__(
        self,
        dtype: Any,
        graph_parents: Sequence[Any] | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes one.

        Args:
          dtype: Element type.
          graph_parents: Tensors that it depends on.
          is_non_singular: Whether it has an inverse.
          is_self_adjoint: Whether it is its own conjugate transpose.
          is_positive_definite: Whether `x^H A x` has a positive real part for all `x` but 0.
          is_square: Whether it has as many rows as columns.
          name: Name of the scope of its operations.
          parameters: The arguments the subclass was made with.

        Raises:
          ValueError: Hints contradict each other, or a parent is no tensor.
        """
        if is_positive_definite:
            is_non_singular = pieces.implied(
                is_non_singular, True, "A positive definite matrix is always non-singular."
            )
        is_square = pieces.implied(
            is_square, bool(is_non_singular), "A non-singular matrix is always square."
        )
        is_square = pieces.implied(
            is_square, bool(is_self_adjoint), "A self-adjoint matrix is always square."
        )
        parents = [] if graph_parents is None else list(graph_parents)
        for place, parent in enumerate(parents):
            if not hasattr(parent, "dtype"):
                raise ValueError(f"Graph parent item {place} is not a Tensor; {parent}.")
        self._dtype = dtypes.as_dtype(dtype).base_dtype if dtype else dtype
        self._graph_parents = parents
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._square_hint = is_square
        # Not by `Module.__init__`, whose names are Python's: this makes no scope before it is used.
        self._name = name or type(self).__name__
        self._scope_name = f"{self._name}/"
        if parameters is not None:
            self._parameters = dict(parameters)

    @classmethod
    def _apply_function(
        cls,
        function: Callable[..., Any],
        kind: str,
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        from dataflow.library.linear_operators.overloads import OVERLOADS

        overload = OVERLOADS.get(function)
        return NotImplemented if overload is None else overload(*args, **options)

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None) -> Iterator[str]:
        with name_scope(self._name if name is None else f"{self._name}/{name}") as scope:
            yield scope

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return dict(self._parameters)

    @property
    def dtype(self) -> Any:
        """Element type."""
        return self._dtype

    @property
    def name(self) -> str:
        """Name of the scope of its operations."""
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        """Tensors that it depends on."""
        return self._graph_parents

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables among what it was made of."""
        found: list[Any] = []
        for value in vars(self).values():
            for item in value if isinstance(value, list | tuple) else [value]:
                if isinstance(item, LinearOperator):
                    found += item.variables
                elif hasattr(item, "initializer"):
                    found.append(item)
        return tuple({id(item): item for item in found}.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Its variables that training changes."""
        return tuple(item for item in self.variables if item.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """Its variables that training does not change."""
        return tuple(item for item in self.variables if not item.trainable)

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it has an inverse; None for unknown."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is its own conjugate transpose; None for unknown."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether it is positive definite; None for unknown."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether it has as many rows as columns; None for unknown.

        Raises:
          ValueError: The hint was False, and it has.
        """
        seen = self.domain_dimension == self.range_dimension
        if self._square_hint is False and seen:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return seen if self._square_hint is None else self._square_hint

    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self) -> Any:
        raise NotImplementedError("_shape_tensor is not implemented.")

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        raise NotImplementedError("_matmul is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """`[B1, ..., Bb, M, N]`, as far as the graph knows it."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """`[B1, ..., Bb, M, N]`: int32."""
        with self._name_scope(name):
            if self.shape.is_fully_defined():
                return convert_to_tensor(self.shape.as_list(), dtype=dtypes.int32)
            return self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """`[B1, ..., Bb]`, as far as the graph knows it."""
        return self.shape[:-2] if self.shape.rank is not None else TensorShape(None)

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """`[B1, ..., Bb]`: int32."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return convert_to_tensor(self.batch_shape.as_list(), dtype=dtypes.int32)
            return self.shape_tensor()[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """`b + 2`; None for unknown."""
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """`b + 2`: int32."""
        with self._name_scope(name):
            if self.tensor_rank is not None:
                return convert_to_tensor(self.tensor_rank)
            return array_shape.size(self.shape_tensor())

    def _dimension(self, place: int) -> Dimension:
        dims = self.shape.dims
        return Dimension(None) if dims is None else dims[place]

    def _dimension_tensor(self, place: int) -> Any:
        known = self._dimension(place).value
        return self.shape_tensor()[place] if known is None else convert_to_tensor(known)

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns, N."""
        return self._dimension(-1)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """The number of columns, N: int32."""
        with self._name_scope(name):
            return self._dimension_tensor(-1)

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows, M."""
        return self._dimension(-2)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """The number of rows, M: int32."""
        with self._name_scope(name):
            return self._dimension_tensor(-2)

    def _assert_non_singular(self) -> Any:
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        values: Any = svd(self.to_dense(), compute_uv=False)
        return assert_less(
            reductions.reduce_max(values, axis=-1) / reductions.reduce_min(values, axis=-1),
            self._condition_limit(values.dtype),
            message="Singular matrix up to precision epsilon.",
        )

    def _condition_limit(self, dtype: Any) -> Any:
        """The condition number from which a matrix counts as singular, in its precision."""
        sizes = [self.range_dimension_tensor(), self.domain_dimension_tensor()]
        precision = np.finfo(dtype.as_numpy_dtype).eps
        largest: Any = reductions.reduce_max(cast([100, *sizes], dtype))
        return 1.0 / (largest * precision)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """An operation that fails unless there is an inverse."""
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        return assert_positive(
            math_complex.real(matrix_diag_part(cholesky(self.to_dense()))),
            message="Matrix was not positive definite.",
        )

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """An operation that fails unless it is positive definite."""
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return assert_equal(
            dense, pieces.adjoint(dense), message="Matrix was not equal to its adjoint."
        )

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """An operation that fails unless it is its own conjugate transpose."""
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _check_input_dtype(self, arg: Any) -> None:
        if arg.dtype.base_dtype != self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype}.  Found: {arg.dtype} in tensor {arg}"
            )

    def _checked(self, value: Any, name: str) -> Any:
        value = convert_to_tensor(value, name=name)
        self._check_input_dtype(value)
        return value

    def _meet(self, inner: Any, other: Any, name: str) -> None:
        if not inner.is_compatible_with(other):
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension {inner} but got "
                f"{other}."
            )

    def _fit(self, mine: Dimension, value: Any, place: int) -> None:
        if value.shape.rank is not None:
            mine.assert_is_compatible_with(value.shape[place])

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str | None = "matmul"
    ) -> Any:
        """The product with `x`, `[..., N, R]` of the same type, or with another operator.

        Args:
          x: Matrices, or a LinearOperator: then the product is one.
          adjoint: Whether the conjugate transpose multiplies.
          adjoint_arg: Whether the conjugate transpose of `x` is multiplied.
          name: Name of the operations.

        Returns:
          `[..., M, R]`.

        Raises:
          TypeError: Another type.
          ValueError: The sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            self._meet(left.domain_dimension, right.range_dimension, "x")
            with self._name_scope(name):
                return answer(_MATMUL, (left, right), lambda: left._times(right))
        with self._name_scope(name):
            x = self._checked(x, "x")
            self._fit(self._dimension(-2 if adjoint else -1), x, -1 if adjoint_arg else -2)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _times(self, right: LinearOperator) -> LinearOperator:
        from dataflow.library.linear_operators.rules import product

        return product(self, right)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return pieces.as_vectors(self._matmul(pieces.as_columns(x), adjoint=adjoint))

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with vectors `[..., N]`: `[..., M]`."""
        with self._name_scope(name):
            x = self._checked(x, "x")
            self._fit(self._dimension(-2 if adjoint else -1), x, -1)
            return self._matvec(x, adjoint=adjoint)

    def _refuse(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def _determinant(self) -> Any:
        return matrix_determinant(self.to_dense())

    def determinant(self, name: str | None = "det") -> Any:
        """Determinants, `[B1, ..., Bb]`.

        Raises:
          NotImplementedError: It is known not to be square.
        """
        self._refuse("Determinant")
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            diagonal = math_complex.real(matrix_diag_part(cholesky(self.to_dense())))
            return cast(
                2.0 * reductions.reduce_sum(math_unary.log(diagonal), axis=[-1]), self.dtype
            )
        return slogdet(self.to_dense())[1]

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def log_abs_determinant(self, name: str | None = "log_abs_det") -> Any:
        """Logarithms of the absolute values of determinants, `[B1, ..., Bb]`.

        Raises:
          NotImplementedError: It is known not to be square.
        """
        self._refuse("Determinant")
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = pieces.adjoint_if(rhs, adjoint_arg)
        if self._can_use_cholesky():
            return cholesky_solve(*pieces.same_batch(cholesky(self.to_dense()), rhs))
        return pieces.solve_dense(self.to_dense(), rhs, adjoint=adjoint)

    def _refuse_solving(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be singular."
            )
        self._refuse("Exact solve")

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str | None = "solve"
    ) -> Any:
        """The `x` whose product is `rhs`, `[..., M, R]`; an operator for an operator.

        Args:
          rhs: Matrices, or a LinearOperator.
          adjoint: Whether the conjugate transpose multiplies `x`.
          adjoint_arg: Whether the conjugate transpose of `rhs` is meant.
          name: Name of the operations.

        Returns:
          `[..., N, R]`.

        Raises:
          NotImplementedError: It is known to be singular, or not to be square.
          TypeError: Another type.
          ValueError: The sizes do not fit.
        """
        self._refuse_solving()
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = rhs.adjoint() if adjoint_arg else rhs
            self._meet(left.domain_dimension, right.range_dimension, "rhs")
            with self._name_scope(name):
                return answer(_SOLVE, (left, right), lambda: left.inverse()._times(right))
        with self._name_scope(name):
            rhs = self._checked(rhs, "rhs")
            self._fit(self._dimension(-1 if adjoint else -2), rhs, -1 if adjoint_arg else -2)
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return pieces.as_vectors(self._solve(pieces.as_columns(rhs), adjoint=adjoint))

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The `x`, `[..., N]`, whose product is the vector `rhs`, `[..., M]`; as `solve`."""
        self._refuse_solving()
        with self._name_scope(name):
            rhs = self._checked(rhs, "rhs")
            self._fit(self._dimension(-1 if adjoint else -2), rhs, -1)
            return self._solvevec(rhs, adjoint=adjoint)

    def _adjoint(self) -> LinearOperator:
        from dataflow.library.linear_operators.wrapped import LinearOperatorAdjoint

        return LinearOperatorAdjoint(self)

    def adjoint(self, name: str | None = "adjoint") -> LinearOperator:
        """The conjugate transpose."""
        if self.is_self_adjoint:
            return self
        with self._name_scope(name):
            return answer(_ADJOINTS, (self,), self._adjoint)  # type: ignore[no-any-return]

    @property
    def H(self) -> LinearOperator:
        """The conjugate transpose."""
        return self.adjoint()

    def _inverse(self) -> LinearOperator:
        from dataflow.library.linear_operators.wrapped import LinearOperatorInversion

        return LinearOperatorInversion(self)

    def inverse(self, name: str | None = "inverse") -> LinearOperator:
        """The inverse.

        Raises:
          ValueError: There is none, by the hints.
        """
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        with self._name_scope(name):
            return answer(_INVERSES, (self,), self._inverse)  # type: ignore[no-any-return]

    def _cholesky(self) -> LinearOperator:
        from dataflow.library.linear_operators.dense import LinearOperatorLowerTriangular

        return LinearOperatorLowerTriangular(
            cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
        )

    def cholesky(self, name: str | None = "cholesky") -> LinearOperator:
        """The lower triangular factor.

        Raises:
          ValueError: The hints do not say that there is one.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix."
            )
        with self._name_scope(name):
            return answer(_CHOLESKY_DECOMPS, (self,), self._cholesky)  # type: ignore[no-any-return]

    def _to_dense(self) -> Any:
        ones = eye(
            self.domain_dimension_tensor(),
            batch_shape=self.batch_shape_tensor(),
            dtype=self.dtype,
        )
        return self._matmul(ones)

    def to_dense(self, name: str = "to_dense") -> Any:
        """The matrices, `[B1, ..., Bb, M, N]`."""
        with self._name_scope(name):
            dense = self._to_dense()
            dense.set_shape(self.shape)
            return dense

    def _diag_part(self) -> Any:
        return matrix_diag_part(self.to_dense())

    def diag_part(self, name: str | None = "diag_part") -> Any:
        """The diagonals, `[B1, ..., Bb, min(M, N)]`."""
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self) -> Any:
        return reductions.reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str | None = "trace") -> Any:
        """The sums of the diagonals, `[B1, ..., Bb]`."""
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """The matrices plus `x`, a tensor of the same type whose shape broadcasts."""
        with self._name_scope(name):
            return self._add_to_tensor(self._checked(x, "x"))

    def _eigvals(self) -> Any:
        return self_adjoint_eigvals(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Any:
        """The eigenvalues, `[B1, ..., Bb, N]`.

        Raises:
          NotImplementedError: No hint says that it is self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._name_scope(name):
            return self._eigvals()

    def _cond(self) -> Any:
        values: Any = (
            math_unary.abs(self.eigvals())
            if self.is_self_adjoint
            else svd(self.to_dense(), compute_uv=False)
        )
        return reductions.reduce_max(values, axis=-1) / reductions.reduce_min(values, axis=-1)

    def cond(self, name: str = "cond") -> Any:
        """The condition numbers, `[B1, ..., Bb]`: the largest singular value over the smallest."""
        with self._name_scope(name):
            return self._cond()
