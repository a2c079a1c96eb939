"""Operators that Fourier transforms make diagonal: circulant matrices, in one to three levels."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_near, assert_positive
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.checks import (
    assert_no_entries_with_modulus_zero,
    assert_zero_imag_part,
    convert_nonref_to_tensor,
)
from dataflow.ops.array.concat import concat
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.signal import fourier
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_FORWARD = {1: fourier.fft, 2: fourier.fft2d, 3: fourier.fft3d}
_BACKWARD = {1: fourier.ifft, 2: fourier.ifft2d, 3: fourier.ifft3d}


class CirculantOperator(LinearOperator):
    """`F^H S F`, with F the Fourier transform of some axes and S the spectrum."""

    _depth = 1

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        """Makes one.

        Args:
          spectrum: The eigenvalues, `[B1, ..., Bb]` and a size for each level.
          input_output_dtype: Element type of what is multiplied; real parts where it is real.
          is_non_singular: As the base's; so all that follow.
          is_self_adjoint: See above; a real spectrum implies it.
          is_positive_definite: See above.
          is_square: See above.
          name: Name of the scope of its operations.

        Raises:
          ValueError: The spectrum has too few axes, or a hint contradicts it.
        """
        with name_scope(name, values=[spectrum]):
            self._given = convert_nonref_to_tensor(spectrum, name="spectrum")
            rank = self._given.shape.rank
            if rank is not None and rank < self._depth:
                raise ValueError(
                    f"Argument spectrum must have at least {self._depth} dimensions.  Found: "
                    f"{self._given}"
                )
            dtype = dtypes.as_dtype(input_output_dtype)
            double = dtype in (dtypes.float64, dtypes.complex128)
            self._complex = dtypes.complex128 if double else dtypes.complex64
            is_self_adjoint = pieces.implied(
                is_self_adjoint,
                not self._given.dtype.is_complex,
                "A real spectrum always corresponds to a self-adjoint operator.",
            )
            is_square = pieces.implied(
                is_square, True, "A [[nested] block] circulant operator is always square."
            )
            super().__init__(
                dtype=dtype,
                graph_parents=[self._given],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def _spectrum(self) -> Any:
        return cast(self._given, self._complex)

    @property
    def spectrum(self) -> Any:
        """The eigenvalues, as they were given."""
        return self._given

    @property
    def block_depth(self) -> int:
        """The number of levels."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of the levels, as far as the graph knows them."""
        shape: TensorShape = self._given.shape
        return shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """The sizes of the levels: int32."""
        sizes: Any = pieces.shape_tensor(self._given)
        return sizes[-self._depth :]

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """The kernel whose convolution it is: the inverse transform of the spectrum."""
        with self._name_scope(name):
            return cast(_BACKWARD[self._depth](self._spectrum), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """An operation that fails unless the kernel is real."""
        with self._name_scope(name):
            kernel = math_complex.imag(_BACKWARD[self._depth](self._spectrum))
            return assert_near(kernel, 0.0 * kernel, message="Spectrum was not Hermitian")

    def _assert_non_singular(self) -> Any:
        return assert_no_entries_with_modulus_zero(
            self.spectrum, message="Singular operator:  Spectrum contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        return assert_positive(
            math_complex.real(self.spectrum),
            message="Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _assert_self_adjoint(self) -> Any:
        return assert_zero_imag_part(
            self.spectrum,
            message="Not self-adjoint:  The spectrum contained non-zero imaginary part.",
        )

    def _shape(self) -> TensorShape:
        shape: TensorShape = self._given.shape
        if shape.rank is None:
            return shape
        size = shape[-self._depth :].num_elements()
        return shape[: -self._depth].concatenate(TensorShape([size, size]))

    def _shape_tensor(self) -> Any:
        sizes: Any = pieces.shape_tensor(self._given)
        size = reductions.reduce_prod(sizes[-self._depth :])
        return concat([sizes[: -self._depth], [size, size]], 0)

    def _filtered(self, x: Any, spectrum: Any) -> Any:
        rows: Any = matrix_transpose(cast(x, self._complex))
        sizes: Any = pieces.shape_tensor(rows)
        blocks = array_shape.reshape(rows, concat([sizes[:-1], self.block_shape_tensor()], 0))
        wide = array_shape.expand_dims(spectrum, -1 - self._depth)
        result: Any = _BACKWARD[self._depth](_FORWARD[self._depth](blocks) * wide)
        batch: Any = pieces.shape_tensor(result)
        flat = array_shape.reshape(result, concat([batch[: -self._depth], [-1]], 0))
        return cast(matrix_transpose(flat), self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        spectrum = math_complex.conj(self._spectrum) if adjoint else self._spectrum
        return self._filtered(pieces.adjoint_if(x, adjoint_arg), spectrum)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        spectrum = math_complex.conj(self._spectrum) if adjoint else self._spectrum
        return self._filtered(pieces.adjoint_if(rhs, adjoint_arg), 1.0 / spectrum)

    def _axes(self) -> list[int]:
        return [*range(-self._depth, 0)]

    def _determinant(self) -> Any:
        return cast(reductions.reduce_prod(self._spectrum, axis=self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Any:
        logarithms = math_unary.log(math_unary.abs(self._spectrum))
        return cast(reductions.reduce_sum(logarithms, axis=self._axes()), self.dtype)

    def _trace(self) -> Any:
        return cast(reductions.reduce_sum(self._spectrum, axis=self._axes()), self.dtype)

    def _eigvals(self) -> Any:
        sizes: Any = pieces.shape_tensor(self._given)
        return array_shape.reshape(self._given, concat([sizes[: -self._depth], [-1]], 0))

    def _cond(self) -> Any:
        # The Fourier transform makes it diagonal, whatever its hints are.
        moduli: Any = math_unary.abs(self._eigvals())
        return reductions.reduce_max(moduli, axis=-1) / reductions.reduce_min(moduli, axis=-1)

    def _adjoint(self) -> LinearOperator:
        return self._like(math_complex.conj(self._given))

    def _inverse(self) -> LinearOperator:
        return self._like(1.0 / self._given)

    def _like(self, spectrum: Any) -> LinearOperator:
        """One of the same levels and hints."""
        return type(self)(
            spectrum,
            self.dtype,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
        )


class LinearOperatorCirculant(CirculantOperator):
    """Matrices each of whose columns is the one before, turned by one."""


class LinearOperatorCirculant2D(CirculantOperator):
    """Circulant matrices of circulant blocks; see `LinearOperatorCirculant`."""

    _depth = 2

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        """Makes one of a spectrum of two axes after the batch's; see `Circulant`."""
        super().__init__(
            spectrum,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )


class LinearOperatorCirculant3D(CirculantOperator):
    """Circulant matrices of blocks of `LinearOperatorCirculant2D`."""

    _depth = 3

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        """Makes one of a spectrum of three axes, the batch's aside; see `Circulant`."""
        super().__init__(
            spectrum,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )
