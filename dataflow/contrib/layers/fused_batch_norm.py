"""Batch normalization in one operation, of rows too, whose updates go where they are asked to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.layers.hand_made_batch_norm import HandMadeBatchNorm
from dataflow.control_flow.smart_cond import smart_cond, smart_constant_value
from dataflow.graph import scopes
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.nn.batch_norm import fused_batch_norm
from dataflow.values import dtypes


@dataclass(frozen=True)
class FusedBatchNorm(HandMadeBatchNorm):
    """What `batch_norm` was asked for, where one operation can do it."""

    def __call__(self, inputs: Any) -> Any:
        """The normalized inputs, of rank 2 or 4.

        Raises:
          ValueError: The number of channels is not known.
        """
        whole, is_first = inputs, self.data_format == "NCHW"
        if inputs.shape.rank == 2:
            channels = inputs.shape[1].value
            if channels is None:
                raise ValueError("`C` dimension must be known but is None")
            inputs = array_shape.reshape(
                inputs, [-1, channels, 1, 1] if is_first else [-1, 1, 1, channels]
            )
        shape = inputs.shape[1:2] if is_first else inputs.shape[3:]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name} has undefined `C` dimension {shape}.")
        beta, gamma, averages = self.variables(shape, dtypes.float32)

        def normalized(**known: Any) -> Any:
            return fused_batch_norm(
                inputs, gamma, beta, epsilon=self.epsilon, data_format=self.data_format, **known
            )

        outputs, mean, variance = smart_cond(
            self.is_training,
            normalized,
            lambda: normalized(mean=averages[0], variance=averages[1], is_training=False),
        )
        if smart_constant_value(self.is_training) not in (False, 0):
            outputs = self._updating(outputs, averages, mean, variance)
        if inputs is not whole:
            outputs = array_shape.reshape(outputs, array_shape.shape(whole))
        outputs.set_shape(whole.shape)
        return outputs

    def _instead_of_variable(self, value: float, shape: Any, dtype: Any) -> Any:
        return constant(value, dtype=dtype, shape=shape)

    def _updating(self, outputs: Any, averages: Any, mean: Any, variance: Any) -> Any:
        """The outputs, which wait for the updates unless these go into a collection."""

        def updated() -> Any:
            return self.moved(averages, mean, variance)

        def after_updates() -> Any:
            with scopes.control_dependencies(list(updated())):
                return identity(outputs)

        if self.updates_collections is None:
            return smart_cond(self.is_training, after_updates, lambda: outputs)
        for update in smart_cond(self.is_training, updated, lambda: averages):
            scopes.add_to_collections(self.updates_collections, update)
        return outputs
