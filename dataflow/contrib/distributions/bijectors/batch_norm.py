"""BatchNormalization: the inverse normalizes batches."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.library.layers.normalization import BatchNormalization as Layer
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.moments import moments
from dataflow.ops.reductions.reduce import reduce_sum


def _above_0(gamma: Any) -> Any:
    return relu(gamma) + 1e-6


class BatchNormalization(Bijector):
    """Undoes batch normalization; the inverse is a layer that normalizes (Dinh et al., 2017).

    The function uses the layer's averages, and so does the inverse, unless it trains.
    """

    def __init__(
        self,
        batchnorm_layer: Any = None,
        training: bool = True,
        validate_args: bool = False,
        name: str = "batch_normalization",
    ) -> None:
        """Takes the layer, or None: one whose factors stay above 0.

        Raises:
          ValueError: The layer is no BatchNormalization, or renormalizes or cuts batches.
        """
        layer = batchnorm_layer or Layer(gamma_constraint=_above_0)
        if not isinstance(layer, Layer):
            raise ValueError("batchnorm_layer must be an instance of BatchNormalization layer.")
        if layer.renorm:
            raise ValueError("BatchNorm Bijector does not support renormalization.")
        if layer.virtual_batch_size:
            raise ValueError("BatchNorm Bijector does not support virtual batch sizes.")
        self.batchnorm = layer
        self._training = training
        super().__init__(
            forward_min_event_ndims=len(layer.axis), validate_args=validate_args, name=name
        )

    def _built(self, value: Any) -> Any:
        if not value.shape.is_fully_defined():
            raise ValueError("Input must have shape known at graph construction.")
        if not self.batchnorm.built:
            self.batchnorm.build(value.shape)
        return self.batchnorm

    def _forward(self, x: Any) -> Any:
        layer = self._built(x)
        shape = [1] * x.shape.rank
        for axis in layer.axis:
            shape[axis] = x.shape.as_list()[axis]

        def wide(value: Any) -> Any:
            return array_shape.reshape(value, shape)

        stretch: Any = math_unary.sqrt(wide(layer.moving_variance) + layer.epsilon)
        if layer.scale:
            stretch = stretch / wide(layer.gamma)
        mean = wide(layer.moving_mean)
        return x * stretch + (mean - wide(layer.beta) * stretch if layer.center else mean)

    def _inverse(self, y: Any) -> Any:
        return self.batchnorm.apply(y, training=self._training)

    def _knows(self, way: str) -> bool:
        return True

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        layer = self._built(x)
        return -self._log_factor(layer.moving_variance)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        layer = self._built(y)
        if not self._training:
            return self._log_factor(layer.moving_variance)
        axes = [axis % y.shape.rank for axis in layer.axis]
        rest = [axis for axis in range(y.shape.rank) if axis not in axes]
        return self._log_factor(moments(y, rest, keep_dims=True)[1])

    def _log_factor(self, variance: Any) -> Any:
        """By what normalizing multiplies volumes, its logarithm."""
        layer = self.batchnorm
        spread: Any = -0.5 * reduce_sum(math_unary.log(variance + layer.epsilon))
        return spread + reduce_sum(math_unary.log(layer.gamma)) if layer.scale else spread
