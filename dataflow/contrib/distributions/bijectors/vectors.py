"""Bijectors of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.contrib.distributions.triangular import fill_triangular, fill_triangular_inverse
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_positive
from dataflow.ops.array.fill import zeros, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.transpose import invert_permutation
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.range import range as range_
from dataflow.ops.linalg.cholesky import cholesky
from dataflow.ops.linalg.diag import matrix_band_part, matrix_diag_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.activation import softplus
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.scan import cumsum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class SoftmaxCentered(Bijector):
    """The softmax of a vector and a 0 behind it."""

    def __init__(self, validate_args: bool = False, name: str = "softmax_centered") -> None:
        """Takes no parameters."""
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return _longer(input_shape, 1)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return input_shape[-1:] + 1

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        known = None if output_shape.rank is None else output_shape[-1].value
        if known is not None and known <= 1:
            raise ValueError(f"output_shape[-1] = {known} <= 1")
        return _longer(output_shape, -1)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return output_shape[-1:] - 1

    def _forward(self, x: Any) -> Any:
        sizes: Any = array_shape.shape(x)
        zero = zeros(array_concat.concat([sizes[:-1], [1]], 0), dtype=x.dtype)
        return softmax(array_concat.concat([x, zero], -1))

    def _inverse(self, y: Any) -> Any:
        logs: Any = math_unary.log(y)
        return logs[..., :-1] - logs[..., -1:]

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -reduce_sum(math_unary.log(y), -1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        total: Any = softplus(reduce_logsumexp(x, axis=-1, keepdims=True))
        each: Any = reduce_sum(x - total, -1)
        return each - total[..., 0]


class Ordered(Bijector):
    """Increasing vectors as vectors of any numbers: the first element, and logarithms of steps."""

    def __init__(self, validate_args: bool = False, name: str = "ordered") -> None:
        """Takes no parameters."""
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return _longer(input_shape, 0)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        known = None if output_shape.rank is None else output_shape[-1].value
        if known is not None and known <= 1:
            raise ValueError(f"output_shape[-1] = {known} <= 1")
        return _longer(output_shape, 0)

    def _steps(self, x: Any) -> Any:
        steps = x[..., 1:] - x[..., :-1]
        if not self.validate_args:
            return steps
        text = "Forward transformation input must be strictly increasing."
        return with_dependencies([assert_positive(steps, message=text)], steps)

    def _forward(self, x: Any) -> Any:
        return array_concat.concat([x[..., :1], math_unary.log(self._steps(x))], axis=-1)

    def _inverse(self, y: Any) -> Any:
        return cumsum(array_concat.concat([y[..., :1], math_unary.exp(y[..., 1:])], -1), axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return reduce_sum(y[..., 1:], axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -reduce_sum(math_unary.log(self._steps(x)), axis=-1)


def _longer(shape: Any, by: int) -> Any:
    if shape.rank is None or shape[-1].value is None:
        return shape
    return TensorShape([shape[-1].value + by])


class Permute(Bijector):
    """The elements of vectors in another order."""

    def __init__(
        self, permutation: Any, validate_args: bool = False, name: str | None = None
    ) -> None:
        """Takes from where each element comes.

        Raises:
          TypeError: The places are no integers.
          ValueError: One of them is there twice or is missing.
        """
        with name_scope(name, "permute", values=[permutation]):
            places: Any = convert_to_tensor(permutation, name="permutation")
            if not places.dtype.is_integer:
                raise TypeError(f"permutation.dtype ({places.dtype.name}) should be `int`-like.")
            known = constant_value(places)
            if known is not None and set(known) != set(np.arange(known.size)):
                raise ValueError(
                    "Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`."
                )
            self._permutation = places
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "permute",
        )

    @property
    def permutation(self) -> Any:
        """From where each element comes."""
        return self._permutation

    def _forward(self, x: Any) -> Any:
        return gather(x, self._permutation, axis=-1)

    def _inverse(self, y: Any) -> Any:
        return gather(y, invert_permutation(self._permutation), axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return constant(0.0, dtype=y.dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return constant(0.0, dtype=x.dtype)


class CholeskyOuterProduct(Bijector):
    """`x x^T` of lower triangular matrices."""

    def __init__(self, validate_args: bool = False, name: str = "cholesky_outer_product") -> None:
        """Takes no parameters."""
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        lower = matrix_band_part(x, -1, 0)
        return matmul(lower, lower, adjoint_b=True)

    def _inverse(self, y: Any) -> Any:
        return cholesky(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # 2^p times the product of x_ii^(p - i), where i counts from 0.
        diagonal = matrix_diag_part(x)
        sizes: Any = array_shape.shape(x)
        size: Any = cast(sizes[-1], x.dtype)
        powers = cast(range_(sizes[-1], 0, -1), x.dtype)
        return size * math.log(2.0) + reduce_sum(powers * math_unary.log(diagonal), -1)


class FillTriangular(Bijector):
    """Triangular matrices of vectors, see `fill_triangular`."""

    def __init__(
        self, upper: bool = False, validate_args: bool = False, name: str = "fill_triangular"
    ) -> None:
        """Takes whether the matrices are upper triangular."""
        self._upper = upper
        super().__init__(
            forward_min_event_ndims=1,
            inverse_min_event_ndims=2,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: Any) -> Any:
        return fill_triangular(x, upper=self._upper)

    def _inverse(self, y: Any) -> Any:
        return fill_triangular_inverse(y, upper=self._upper)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return zeros_like(x[..., 0])

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return zeros_like(y[..., 0, 0])

    def _forward_event_shape(self, input_shape: Any) -> Any:
        length = input_shape[-1].value
        if length is None:
            return input_shape[:-1].concatenate([None, None])
        size = (math.sqrt(1.0 + 8.0 * length) - 1.0) / 2.0
        if size != int(size):
            raise ValueError("Vector length is not a triangular number.")
        return input_shape[:-1].concatenate([int(size), int(size)])

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        rows, columns = output_shape[-2].value, output_shape[-1].value
        if rows is None or columns is None:
            return output_shape[:-2].concatenate([None])
        if rows != columns:
            raise ValueError(f"Matrix must be square. (saw [{rows}, {columns}])")
        return output_shape[:-2].concatenate([rows * (rows + 1) // 2])

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        length: Any = cast(input_shape[-1:], dtypes.float32)
        size = cast((math_unary.sqrt(1.0 + 8.0 * length) - 1.0) / 2.0, dtypes.int32)
        return array_concat.concat([input_shape[:-1], size, size], 0)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        size = output_shape[-1:]
        return array_concat.concat([output_shape[:-2], size * (size + 1) // 2], 0)


class Reshape(Bijector):
    """Events of another shape."""

    def __init__(
        self,
        event_shape_out: Any,
        event_shape_in: Any = (-1,),
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        """Takes the shapes of events after and before, in each of which -1 may stand once.

        Raises:
          TypeError: A shape is not of integers.
          ValueError: One is no vector, or -1 stands in it twice.
        """
        with name_scope(name, "reshape", values=[event_shape_out, event_shape_in]):
            self._out = _shape_vector(event_shape_out, "event_shape_out")
            self._in = _shape_vector(event_shape_in, "event_shape_in")
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "reshape",
        )

    def _forward(self, x: Any) -> Any:
        return array_shape.reshape(x, _replaced(array_shape.shape(x), self._in, self._out))

    def _inverse(self, y: Any) -> Any:
        return array_shape.reshape(y, _replaced(array_shape.shape(y), self._out, self._in))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return constant(0.0, dtype=y.dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return constant(0.0, dtype=x.dtype)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return array_shape.shape(self._forward(zeros(input_shape)))

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return array_shape.shape(self._inverse(zeros(output_shape)))

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return _static(input_shape, self._in, self._out)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return _static(output_shape, self._out, self._in)


def _shape_vector(value: Any, name: str) -> Any:
    shape: Any = convert_to_tensor(value, name=name, preferred_dtype=dtypes.int32)
    if not shape.dtype.is_integer:
        raise TypeError(f"{shape.dtype.name} dtype should be `int`-like.")
    if shape.shape.rank not in (None, 1):
        raise ValueError(f"`{name}` must be a vector, had rank {shape.shape.rank}.")
    known = constant_value(shape)
    if known is not None and (np.sum(known == -1) > 1 or np.any(known < -1)):
        raise ValueError(f"`{name}` must have at most one `-1` (given {known.tolist()})")
    return shape


def _replaced(whole: Any, before: Any, after: Any) -> Any:
    """A shape whose last sizes are replaced."""
    rank: Any = array_shape.size(whole)
    return array_concat.concat([whole[: rank - array_shape.size(before)], after], 0)


def _static(shape: Any, before: Any, after: Any) -> Any:
    """Like `_replaced`, as far as it is known.

    Raises:
      ValueError: The last sizes are not what is expected.
    """
    old, new = constant_value(before), constant_value(after)
    if shape.rank is None or old is None or new is None:
        return TensorShape(None)
    cut = shape.rank - old.size
    last = shape[cut:]
    if not last.is_compatible_with([None if each < 0 else each for each in old]):
        found = np.array([-1 if each is None else each for each in last.as_list()])
        raise ValueError(f"Input `event_shape` does not match `event_shape_in` ({found} vs {old}).")
    sizes = [None if each < 0 else int(each) for each in new]
    if None in sizes and last.is_fully_defined():
        count = int(np.prod([each for each in sizes if each is not None], dtype=np.int64))
        sizes[sizes.index(None)] = last.num_elements() // count
    return shape[:cut].concatenate(sizes)
