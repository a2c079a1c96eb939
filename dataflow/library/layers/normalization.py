"""BatchNormalization: to mean 0 and variance 1 over the batch, then scaled and shifted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.arguments import ONES, ZEROS, initializer_of
from dataflow.library.layers.base import BaseLayer
from dataflow.library.layers.batch_statistics import (
    Renormalization,
    assign_moving_average,
    normalized,
)
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.library.layers.training import choose, known_truth
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.nn.batch_norm import fused_batch_norm
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, as_shape
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization


class BatchNormalizationCore(BaseLayer):
    """What `BatchNormalization` computes, of tf.layers and of tf.keras."""

    supports_masking = True
    _untold = (
        *("renorm", "renorm_clipping", "renorm_momentum"),
        *("fused", "virtual_batch_size", "adjustment"),
    )

    gamma: Any
    beta: Any
    moving_mean: Any
    moving_variance: Any
    moving_stddev: Any
    renorm_mean: Any
    renorm_stddev: Any

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = ZEROS,
        gamma_initializer: Any = ONES,
        moving_mean_initializer: Any = ZEROS,
        moving_variance_initializer: Any = ONES,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Mapping[str, Any] | None = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Callable[[Any], tuple[Any, Any]] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(f"axis must be int or list, type given: {type(axis)}")
        self.axis = [axis] if isinstance(axis, int) else list(axis)
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = initializer_of(beta_initializer)
        self.gamma_initializer = initializer_of(gamma_initializer)
        self.moving_mean_initializer = initializer_of(moving_mean_initializer)
        self.moving_variance_initializer = initializer_of(moving_variance_initializer)
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.renorm = renorm
        self.renorm_clipping = dict(renorm_clipping or {})
        self.renorm_momentum = renorm_momentum
        self.fused = fused is None or fused
        self._bessels_correction_test_only = True
        """False makes the moving variance that of the batch itself, as it is without `fused`."""
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        keys = ["rmax", "rmin", "dmax"]
        if renorm and set(self.renorm_clipping) - set(keys):
            raise ValueError(f"renorm_clipping {renorm_clipping} contains keys not in {keys}")

    def build(self, input_shape: Any) -> None:
        """Makes `gamma`, `beta` and the averages."""
        shape = as_shape(input_shape)
        if not shape.rank:
            raise ValueError("Input has undefined rank:", shape)
        self._settle_axes(shape.rank)
        if self.virtual_batch_size is not None:
            self._check_virtual_batches(self.virtual_batch_size)
        self.fused = self.fused and shape.rank == 4 and self._fits_one_operation()
        sizes = shape.as_list()
        known = {axis: sizes[axis] for axis in self.axis}
        if None in known.values():
            raise ValueError("Input has undefined `axis` dimension. Input shape: ", shape)
        self.input_spec = InputSpec(ndim=shape.rank, axes=known)
        if len(known) == 1 and self.virtual_batch_size is None:
            param_shape = [sizes[self.axis[0]]]
        else:
            param_shape = [known.get(axis, 1) for axis in range(shape.rank)]
        if self.virtual_batch_size is not None:
            # The batch becomes two dimensions.
            param_shape.insert(1, 1)
            self.axis = [axis + 1 for axis in self.axis]
        self._add_parameters(param_shape)
        self._add_averages(param_shape)
        self.built = True

    def _settle_axes(self, rank: int) -> None:
        self.axis = [axis + rank if axis < 0 else axis for axis in self.axis]
        for axis in self.axis:
            if axis < 0 or axis >= rank:
                raise ValueError(f"Invalid axis: {axis}")
        if len(self.axis) != len(set(self.axis)):
            raise ValueError(f"Duplicate axis: {self.axis}")

    def _check_virtual_batches(self, size: int) -> None:
        if size <= 0:
            raise ValueError(
                "virtual_batch_size must be a positive integer that divides the true batch size of "
                "the input Tensor"
            )
        if 0 in self.axis:
            raise ValueError(
                "When using virtual_batch_size, the batch dimension must be 0 and thus axis cannot "
                "include 0"
            )
        if self.adjustment is not None:
            raise ValueError("When using virtual_batch_size, adjustment cannot be specified")

    def _fits_one_operation(self) -> bool:
        return (
            not self.renorm
            and self.axis in ([1], [3])
            and self.virtual_batch_size is None
            and self.adjustment is None
            and self.dtype in ("float16", "bfloat16", "float32")
        )

    @property
    def _param_dtype(self) -> dtypes.DType:
        """Parameters of short floats are float32."""
        dtype = dtypes.as_dtype(self.dtype or dtypes.float32)
        return dtypes.float32 if dtype in (dtypes.float16, dtypes.bfloat16) else dtype

    def _add_parameters(self, shape: list[int | None]) -> None:
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                shape=shape,
                dtype=self._param_dtype,
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                shape=shape,
                dtype=self._param_dtype,
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
            )

    def _add_averages(self, shape: list[int | None]) -> None:
        # Updates are of whole variables.
        partitioner = self._scope.partitioner if self._scope else None
        if self._scope:
            self._scope.set_partitioner(None)
        try:
            self.moving_mean = self._add_average("moving_mean", shape, self.moving_mean_initializer)
            self.moving_variance = self._add_average(
                "moving_variance", shape, self.moving_variance_initializer
            )
            if self.renorm:
                self._add_renormalization(shape)
        finally:
            if self._scope:
                self._scope.set_partitioner(partitioner)

    def _add_renormalization(self, shape: list[int | None]) -> None:
        def initial_stddev(*args: Any, **kwargs: Any) -> Any:
            return math_unary.sqrt(self.moving_variance_initializer(*args, **kwargs))

        with scopes.colocate_with(self.moving_variance):
            self.moving_stddev = self._add_average("moving_stddev", shape, initial_stddev)
        with scopes.colocate_with(self.moving_mean):
            self.renorm_mean = self._add_average("renorm_mean", shape, self.moving_mean_initializer)
        with scopes.colocate_with(self.moving_stddev):
            self.renorm_stddev = self._add_average("renorm_stddev", shape, initial_stddev)

    def _add_average(self, name: str, shape: list[int | None], initializer: Any) -> Any:
        return self.add_weight(
            name,
            shape=shape,
            dtype=self._param_dtype,
            initializer=initializer,
            synchronization=VariableSynchronization.ON_READ,
            trainable=False,
            aggregation=VariableAggregation.MEAN,
        )

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The normalized inputs.

        Args:
          inputs: A tensor.
          training: Whether by the batch or by the averages: a truth value or a tensor.
        """
        if self.fused:
            return self._fused(inputs, training)
        if self.virtual_batch_size is None:
            return normalized(self, inputs, training)
        shape = [-1, *inputs.shape.as_list()[1:]]
        split = array_shape.reshape(inputs, [self.virtual_batch_size, -1, *shape[1:]])
        return array_shape.reshape(normalized(self, split, training), shape)

    def _fused(self, inputs: Any, training: Any) -> Tensor:
        data_format = "NCHW" if self.axis == [1] else "NHWC"
        size = inputs.shape.as_list()[self.axis[0]]
        beta = self.beta if self.center else constant(0.0, self._param_dtype, [size])
        gamma = self.gamma if self.scale else constant(1.0, self._param_dtype, [size])

        def by_batch() -> tuple[Tensor, Tensor, Tensor]:
            return fused_batch_norm(
                inputs, gamma, beta, epsilon=self.epsilon, data_format=data_format
            )

        def by_averages() -> tuple[Tensor, Tensor, Tensor]:
            return fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=False,
                data_format=data_format,
            )

        output, mean, variance = choose(training, by_batch, by_averages)
        known = known_truth(training)
        if known is not False:
            momentum = self.momentum
            if known is None:
                # Outside of training an update changes nothing.
                momentum = choose(training, lambda: constant(self.momentum), lambda: constant(1.0))
            if not self._bessels_correction_test_only:
                count = cast(array_shape.size(inputs) / array_shape.size(variance), variance.dtype)
                variance = variance * ((count - 1.0) / count)
            for average, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
                self.add_update(assign_moving_average(average, value, momentum))
        return output  # type: ignore[no-any-return]

    def renormalization(self) -> Renormalization:
        """The averages that batches are corrected towards."""
        return Renormalization(
            self.renorm_mean,
            self.renorm_stddev,
            self.renorm_momentum,
            self.epsilon,
            self.renorm_clipping,
        )

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the input."""
        return as_shape(input_shape)


class BatchNormalization(BatchNormalizationCore, Layer):
    """Batch normalization (Ioffe and Szegedy, 2015).

    In training the inputs are normalized by the mean and variance of the batch, and moving
    averages of these are updated by the operations in the collection `UPDATE_OPS`; otherwise by
    the moving averages.

    Args:
      axis: The axis, or axes, whose elements are normalized each for itself: the channels.
      momentum: Share of the moving averages that an update keeps.
      epsilon: Added to the variance.
      center: Whether `beta` is added.
      scale: Whether there is a factor `gamma`.
      beta_initializer: Initial value of `beta`.
      gamma_initializer: Initial value of `gamma`.
      moving_mean_initializer: Initial value of the moving average of the means.
      moving_variance_initializer: Initial value of that of the variances.
      beta_regularizer: Makes a loss of `beta`.
      gamma_regularizer: Makes a loss of `gamma`.
      beta_constraint: Function that optimizers apply to `beta` after an update.
      gamma_constraint: The same for `gamma`.
      renorm: Batch renormalization (Ioffe, 2017): corrects batches towards averages in training.
      renorm_clipping: Bounds of the corrections: "rmax", "rmin" and "dmax".
      renorm_momentum: Share of the averages for the corrections that an update keeps.
      fused: Whether one operation does it all; None and True take it where it can.
      trainable: Whether optimizers train `beta` and `gamma`; if not, nothing is updated.
      virtual_batch_size: Number of virtual batches' elements: each is normalized for itself.
      adjustment: Function of the input's shape that gives a factor and a summand, applied before
        `gamma` and `beta` in training.
      name: Name of the layer.
      **kwargs: See `Layer`.

    Raises:
      TypeError: `axis` is neither a number nor a list.
      ValueError: `renorm_clipping` has unknown keys.
    """


def batch_normalization(
    inputs: Any,
    axis: Any = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = ZEROS,
    gamma_initializer: Any = ONES,
    moving_mean_initializer: Any = ZEROS,
    moving_variance_initializer: Any = ONES,
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Mapping[str, Any] | None = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Callable[[Any], tuple[Any, Any]] | None = None,
) -> Any:
    """Normalizes the inputs over the batch; see `BatchNormalization`, and its call for `training`.

    With `reuse` it takes the variables of an earlier layer of the same `name`.
    """
    layer = BatchNormalization(
        axis,
        momentum,
        epsilon,
        center,
        scale,
        beta_initializer,
        gamma_initializer,
        moving_mean_initializer,
        moving_variance_initializer,
        beta_regularizer,
        gamma_regularizer,
        beta_constraint,
        gamma_constraint,
        renorm,
        renorm_clipping,
        renorm_momentum,
        fused,
        trainable,
        virtual_batch_size,
        adjustment,
        name,
        _reuse=reuse,
        _scope=name,
    )
    return layer(inputs, training=training)
