"""Means and variances of batches: how inputs are normalized by them, and their averages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.training import choose, known_truth
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity, stop_gradient
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.moments import batch_normalization, moments
from dataflow.ops.state.reference import assign, assign_sub

if TYPE_CHECKING:
    from dataflow.library.layers.normalization import BatchNormalizationCore


def assign_moving_average(variable: Any, value: Any, momentum: Any) -> Any:
    """Moves a variable towards a value, by the share `1 - momentum` of the difference."""
    with scopes.name_scope("AssignMovingAvg") as scope, scopes.colocate_with(variable):
        decay = convert_to_tensor(1.0 - momentum, name="decay")
        if decay.dtype != variable.dtype.base_dtype:
            decay = cast(decay, variable.dtype.base_dtype)
        delta = (variable - cast(value, variable.dtype.base_dtype)) * decay
        return assign_sub(variable, delta, name=scope)


@dataclass(frozen=True)
class Renormalization:
    """Averages of means and deviations that batches are corrected towards, and bounds."""

    mean: Any
    stddev: Any
    momentum: float
    epsilon: float
    clipping: Mapping[str, Any]

    def corrections(self, mean: Any, variance: Any, training: Any) -> tuple[Any, Any, Any, Any]:
        """Corrects a batch towards the averages, and updates these.

        Returns:
          Factor and summand for the normalized inputs, and the mean and variance of the batch, both
          after the averages have been updated.
        """
        stddev = math_unary.sqrt(variance + self.epsilon)
        # A deviation of the batch has epsilon in it; an average that started at zero has not.
        least = math_unary.sqrt(stddev.dtype.as_numpy_dtype(self.epsilon))
        average_stddev = math_binary.maximum(self.stddev, least)
        factor = stddev / average_stddev
        summand = (mean - self.mean) / average_stddev
        with scopes.control_dependencies([factor, summand]):
            new_mean, stddev = identity(mean), identity(stddev)
        rmin, rmax, dmax = (self.clipping.get(key) for key in ("rmin", "rmax", "dmax"))
        if rmin is not None:
            factor = math_binary.maximum(factor, rmin)
        if rmax is not None:
            factor = math_binary.minimum(factor, rmax)
        if dmax is not None:
            summand = math_binary.minimum(math_binary.maximum(summand, -dmax), dmax)
        corrected = factor, summand
        factor = choose(training, lambda: corrected[0], lambda: array_fill.ones_like(corrected[0]))
        summand = choose(
            training, lambda: corrected[1], lambda: array_fill.zeros_like(corrected[1])
        )
        updates = [
            self._updated(self.mean, new_mean, training),
            self._updated(self.stddev, stddev, training),
        ]
        with scopes.control_dependencies(updates):
            return factor, summand, identity(new_mean), identity(variance)

    def _updated(self, average: Any, value: Any, training: Any) -> Any:
        value = identity(value)
        return choose(
            training,
            lambda: assign_moving_average(average, value, self.momentum),
            lambda: identity(average),
        )


def normalized(layer: BatchNormalizationCore, inputs: Any, training: Any) -> Tensor:
    """The inputs normalized as a layer says, whose averages are to be updated in training."""
    rank = len(inputs.shape)
    is_virtual = layer.virtual_batch_size is not None
    others = [axis for axis in range(rank) if axis not in layer.axis]
    if is_virtual:
        del others[1]

    def broadcast(value: Any) -> Any:
        """A vector along the axis as a tensor of the inputs' rank, where it needs to be."""
        if value is None or len(value.shape) == rank or others == [*range(rank - 1)]:
            return value
        shape = [1] * rank
        shape[layer.axis[0]] = inputs.shape.as_list()[layer.axis[0]]
        return array_shape.reshape(value, shape)

    scale, offset = broadcast(layer.gamma), broadcast(layer.beta)
    mean, variance = layer.moving_mean, layer.moving_variance
    if known_truth(training) is not False:
        if layer.adjustment is not None:
            factor, summand = _adjustment(layer.adjustment, inputs, training)
            scale, offset = _composed(factor, summand, scale, offset)
        mean, variance = moments(
            cast(inputs, layer.moving_mean.dtype.base_dtype),
            others,
            keep_dims=is_virtual or len(layer.axis) > 1,
        )
        batch = mean, variance
        mean = choose(training, lambda: batch[0], lambda: convert_to_tensor(layer.moving_mean))
        variance = choose(
            training, lambda: batch[1], lambda: convert_to_tensor(layer.moving_variance)
        )
        new_mean, new_variance = mean, variance
        if is_virtual:
            new_mean = reductions.reduce_mean(mean, axis=1, keepdims=True)
            new_variance = reductions.reduce_mean(variance, axis=1, keepdims=True)
        if layer.renorm:
            factor, summand, new_mean, new_variance = layer.renormalization().corrections(
                new_mean, new_variance, training
            )
            factor = broadcast(stop_gradient(factor, name="renorm_r"))
            summand = broadcast(stop_gradient(summand, name="renorm_d"))
            scale, offset = _composed(factor, summand, scale, offset)
        _update(layer, layer.moving_mean, new_mean, training)
        if layer.renorm:
            _update_renormalized(layer, new_variance, training)
        else:
            _update(layer, layer.moving_variance, new_variance, training)
    dtype = inputs.dtype.base_dtype
    outputs = batch_normalization(
        inputs,
        _as_type(broadcast(mean), dtype),
        _as_type(broadcast(variance), dtype),
        _as_type(offset, dtype),
        _as_type(scale, dtype),
        layer.epsilon,
    )
    outputs.set_shape(inputs.shape)
    return outputs


def _adjustment(adjustment: Any, inputs: Any, training: Any) -> tuple[Any, Any]:
    factor, summand = adjustment(array_shape.shape(inputs))
    return (
        choose(training, lambda: factor, lambda: array_fill.ones_like(factor)),
        choose(training, lambda: summand, lambda: array_fill.zeros_like(summand)),
    )


def _composed(scale: Any, offset: Any, then_scale: Any, then_offset: Any) -> tuple[Any, Any]:
    """Two scalings and shifts as one."""
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset


def _update(layer: BatchNormalizationCore, average: Any, value: Any, training: Any) -> None:
    layer.add_update(
        choose(
            training,
            lambda: assign_moving_average(average, value, layer.momentum),
            lambda: convert_to_tensor(average),
        )
    )


def _update_renormalized(layer: BatchNormalizationCore, variance: Any, training: Any) -> None:
    """Deviations are what is averaged, with epsilon in them as in training; variances follow."""

    def update() -> Any:
        stddev = assign_moving_average(
            layer.moving_stddev, math_unary.sqrt(variance + layer.epsilon), layer.momentum
        )
        # Rounding may take a small variance below zero.
        value = relu(stddev * stddev - layer.epsilon)
        with (
            scopes.name_scope("AssignNewValue") as scope,
            scopes.colocate_with(layer.moving_variance),
        ):
            return assign(layer.moving_variance, value, name=scope)

    layer.add_update(choose(training, update, lambda: convert_to_tensor(layer.moving_variance)))


def _as_type(value: Any, dtype: Any) -> Any:
    return None if value is None else cast(value, dtype)
