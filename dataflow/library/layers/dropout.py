"""Dropout: sets a share of the inputs to zero in training."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.layers.base import BaseLayer
from dataflow.library.layers.layer import Layer
from dataflow.library.layers.training import choose
from dataflow.ops.basic.identity import identity
from dataflow.ops.nn import sparsity


class DropoutCore(BaseLayer):
    """What `Dropout` computes, of tf.layers and of tf.keras."""

    supports_masking = True

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueError(
                f"Invalid value {rate} received for `rate`, expected a value between 0 and 1."
            )
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, some of them zero if `training`, a truth value or a tensor, is true."""

        def dropped() -> Any:
            shape = self._noise_shape_of(inputs)
            return sparsity.dropout(inputs, noise_shape=shape, seed=self.seed, rate=self.rate)

        return choose(training, dropped, lambda: identity(inputs))

    def _noise_shape_of(self, inputs: Any) -> Any:
        if self.noise_shape is None:
            return None
        known = array_shape.shape(inputs)
        return convert_to_tensor(
            [known[axis] if size is None else size for axis, size in enumerate(self.noise_shape)]
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape


class Dropout(DropoutCore, Layer):
    """Sets each input to zero with probability `rate` in training, and scales up the others.

    Args:
      rate: Probability to be zero, a number or a tensor.
      noise_shape: Shape of the random decisions, which broadcast; None stands for the input's
        size in a dimension. Every input has its own if this is None.
      seed: Seed of the operation.
      name: Name of the layer.
      **kwargs: See `Layer`.
    """


def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> Any:
    """Sets inputs to zero with probability `rate` if `training` is true; see `Dropout`."""
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)
