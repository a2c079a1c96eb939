"""Batch normalization by single operations: weighted examples, corrected averages, own updates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.framework.variables import model_variable
from dataflow.contrib.layers.collections import get_variable_collections
from dataflow.control_flow.smart_cond import smart_cond, smart_constant_value
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.basic.identity import identity
from dataflow.ops.nn.moments import batch_normalization, moments, weighted_moments
from dataflow.training.moving_averages import assign_moving_average
from dataflow.variables.initializers import Ones, Zeros
from dataflow.variables.scope import variable_scope


@dataclass(frozen=True)
class HandMadeBatchNorm:
    """What `batch_norm` was asked for; its arguments have the same names."""

    decay: float
    center: bool
    scale: bool
    epsilon: float
    initializers: Mapping[str, Any]
    regularizers: Mapping[str, Any]
    updates_collections: Any
    is_training: Any
    variables_collections: Any
    trainable: bool
    batch_weights: Any
    data_format: str
    zero_debias: bool

    def __call__(self, inputs: Any) -> Any:
        """The normalized inputs.

        Raises:
          ValueError: The rank or the number of channels is not known, or the weights do not fit.
        """
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        channel = 1 if self.data_format == "NCHW" else rank - 1
        shape = inputs.shape[channel : channel + 1]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {shape}.")
        dtype = inputs.dtype.base_dtype
        beta, gamma, averages = self.variables(shape, dtype)
        mean, variance = self._moments(inputs, channel, averages)
        if self.data_format == "NCHW":
            broad = [1, shape[0].value, *([1] * (rank - 2))]
            mean, variance, beta, gamma = (
                None if each is None else array_shape.reshape(each, broad)
                for each in (mean, variance, beta, gamma)
            )
        outputs = batch_normalization(inputs, mean, variance, beta, gamma, self.epsilon)
        outputs.set_shape(inputs.shape)
        return outputs

    def variables(self, shape: Any, dtype: Any) -> tuple[Any, Any, tuple[Any, Any]]:
        """`beta` and `gamma`, or what stands for them, and the averages of means and variances."""
        trained = {"shape": shape, "dtype": dtype, "trainable": self.trainable}
        beta = (
            self._variable("beta", Zeros(), **trained)
            if self.center
            else self._instead_of_variable(0.0, shape, dtype)
        )
        gamma = (
            self._variable("gamma", Ones(), **trained)
            if self.scale
            else self._instead_of_variable(1.0, shape, dtype)
        )
        with variable_scope(get_variable_scope()) as inside:
            inside.set_partitioner(None)
            kept = {"shape": shape, "dtype": dtype, "trainable": False}
            averages = (
                self._variable("moving_mean", Zeros(), **kept),
                self._variable("moving_variance", Ones(), **kept),
            )
        return beta, gamma, averages

    def moved(self, averages: tuple[Any, Any], mean: Any, variance: Any) -> tuple[Any, Any]:
        """The updates of the averages."""
        return (
            assign_moving_average(averages[0], mean, self.decay, self.zero_debias),
            assign_moving_average(averages[1], variance, self.decay, zero_debias=False),
        )

    def _instead_of_variable(self, value: float, shape: Any, dtype: Any) -> Any:
        """What stands for a parameter that was not asked for; single operations leave it out."""
        return None

    def _variable(self, kind: str, initializer: Any, **arguments: Any) -> Any:
        return model_variable(
            kind,
            initializer=self.initializers.get(kind, initializer),
            regularizer=self.regularizers.get(kind),
            collections=get_variable_collections(self.variables_collections, kind),
            **arguments,
        )

    def _moments(self, inputs: Any, channel: int, averages: tuple[Any, Any]) -> Any:
        """What is normalized by: the batch's moments in training, else the averages."""
        if smart_constant_value(self.is_training) in (False, 0):
            return averages
        axes = [axis for axis in range(inputs.shape.rank) if axis != channel]
        if self.batch_weights is None:
            mean, variance = moments(inputs, axes)
        else:
            weights = convert_to_tensor(self.batch_weights)
            inputs.shape[:1].assert_is_compatible_with(weights.shape)
            weights = array_shape.reshape(weights, [-1, *([1] * (inputs.shape.rank - 1))])
            mean, variance = weighted_moments(inputs, axes, weights)

        def updated() -> tuple[Any, Any]:
            return self.moved(averages, mean, variance)

        def after_updates() -> tuple[Any, Any]:
            with scopes.control_dependencies(list(updated())):
                return identity(mean), identity(variance)

        def unchanged() -> tuple[Any, Any]:
            return averages

        if self.updates_collections is None:
            return smart_cond(self.is_training, after_updates, unchanged)
        for update in smart_cond(self.is_training, updated, unchanged):
            scopes.add_to_collections(self.updates_collections, update)
        return smart_cond(self.is_training, lambda: (mean, variance), unchanged)
