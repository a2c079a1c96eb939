"""Batch normalization by statistics of a fixed batch (Salimans et al., 2016)."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph import scopes
from dataflow.graph.constant_value import constant_value
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.nn.moments import batch_normalization
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from dataflow.variables.initializers import Ones, Zeros
from dataflow.variables.scope import get_variable, variable_scope


class VBN:
    """Normalizes each example by itself and a reference batch, with the same variables each time.

    >>> batch = tf.random_normal([8, 3])
    >>> norm = tf.contrib.gan.features.VBN(batch)
    >>> outputs = norm(tf.random_normal([4, 3])), norm.reference_batch_normalization()
    """

    def __init__(
        self,
        reference_batch: Any,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = Zeros(),  # noqa: B008
        gamma_initializer: Any = Ones(),  # noqa: B008
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        trainable: bool = True,
        name: str | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Takes the reference batch's statistics, and makes the variables.

        Args:
          reference_batch: The batch, of known rank and a known size of `axis`.
          axis: The axis of channels.
          epsilon: Added to variances.
          center: Whether something is added to each channel.
          scale: Whether each channel is multiplied.
          beta_initializer: Of what is added.
          gamma_initializer: Of the factors.
          beta_regularizer: Of what is added.
          gamma_regularizer: Of the factors.
          trainable: Whether the variables are trained.
          name: The variable scope; "VBN" if None.
          batch_axis: The axis of examples.

        Raises:
          ValueError: The rank is not known, an axis is out of range, or both are the same.
        """
        rank = reference_batch.shape.rank
        if rank is None:
            raise ValueError("`reference_batch` has unknown dimensions.")
        axis, self._batch_axis = _axis(axis, rank), _axis(batch_axis, rank)
        if axis == self._batch_axis:
            raise ValueError("`axis` and `batch_axis` cannot be the same.")
        self._epsilon = epsilon
        self._reference_batch = reference_batch
        self._of_examples = [at for at in range(rank) if at not in (axis, self._batch_axis)]
        # Of vectors, statistics have the shape of the batch itself.
        self._must_reshape = self._of_examples != list(range(rank))[:-2]
        self._shape: list[Any] = [1] * rank
        self._shape[axis] = reference_batch.shape[axis]
        self._beta: Any = None
        self._gamma: Any = None
        with variable_scope(name, "VBN", values=[reference_batch]) as self._scope:
            self._mean, self._mean_square = _statistics(
                reference_batch, [at for at in range(rank) if at != axis]
            )
            size = cast(_size(reference_batch, self._batch_axis), dtypes.float32)
            self._of_example: Any = 1.0 / (size + 1.0)
            if center:
                self._beta = get_variable(
                    "beta",
                    (reference_batch.shape[axis],),
                    initializer=beta_initializer,
                    regularizer=beta_regularizer,
                    trainable=trainable,
                )
            if scale:
                self._gamma = get_variable(
                    "gamma",
                    (reference_batch.shape[axis],),
                    initializer=gamma_initializer,
                    regularizer=gamma_regularizer,
                    trainable=trainable,
                )

    def reference_batch_normalization(self) -> Any:
        """The reference batch, normalized by itself."""
        with scopes.name_scope(self._scope.name):
            variance = self._mean_square - math_unary.square(self._mean)
            return self._normalized(self._reference_batch, self._mean, variance, self._shape)

    def __call__(self, inputs: Any) -> Any:
        """A batch, each example normalized by the reference batch and itself.

        Args:
          inputs: Of the reference batch's shape, but for the number of examples.

        Raises:
          ValueError: The shape is another.
        """
        shapes = [each.shape.as_list() for each in (self._reference_batch, inputs)]
        for shape in shapes:
            del shape[self._batch_axis]
        TensorShape(shapes[1]).assert_is_compatible_with(shapes[0])
        with scopes.name_scope(self._scope.name, values=[inputs, self._reference_batch]):
            mean, mean_square = (
                self._of_example * own + (1.0 - self._of_example) * reference
                for own, reference in zip(
                    _statistics(inputs, self._of_examples),
                    (self._mean, self._mean_square),
                    strict=True,
                )
            )
            shape = list(self._shape)
            shape[self._batch_axis] = _size(inputs, self._batch_axis)
            return self._normalized(inputs, mean, mean_square - math_unary.square(mean), shape)

    def _normalized(self, batch: Any, mean: Any, variance: Any, shape: Any) -> Any:
        def shaped(value: Any, wanted: Any) -> Any:
            if value is None or not self._must_reshape:
                return value
            return array_shape.reshape(value, wanted)

        return batch_normalization(
            batch,
            shaped(mean, shape),
            shaped(variance, shape),
            shaped(self._beta, self._shape),
            shaped(self._gamma, self._shape),
            self._epsilon,
        )


def _axis(axis: int, rank: int) -> int:
    used = rank + axis if axis < 0 else axis
    if not 0 <= used < rank:
        raise ValueError(
            f"Value of `axis` argument {used} is out of range for input with rank {rank}"
        )
    return used


def _size(tensor: Any, axis: int) -> Any:
    sizes: Any = array_shape.shape(tensor)
    size = sizes[axis]
    return constant_value(size) or size


def _statistics(x: Any, axes: list[int]) -> tuple[Any, Any]:
    """Mean and mean square."""
    # The squares of 16-bit floats would soon be infinite.
    y: Any = cast(x, dtypes.float32) if x.dtype == dtypes.float16 else x
    shift = stop_gradient(reduce_mean(y, axes, keepdims=True))
    mean = reduce_mean(y - shift, axes, keepdims=True) + shift
    square = reduce_mean(math_unary.square(y), axes, keepdims=True)
    return tuple(cast(array_shape.squeeze(each, axes), x.dtype) for each in (mean, square))
