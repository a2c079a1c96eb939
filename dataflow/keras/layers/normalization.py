"""LayerNormalization: to mean 0 and variance 1 along axes, then scaled and shifted."""

from __future__ import annotations

from typing import Any

from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.engine.base_layer import Layer
from dataflow.values.shapes import as_shape


class LayerNormalization(Layer):
    """Layer normalization (Ba et al., 2016): each sample along some axes."""

    supports_masking = True
    axis: Any
    epsilon: float
    center: bool
    scale: bool
    beta_initializer: Any
    gamma_initializer: Any
    beta_regularizer: Any
    gamma_regularizer: Any
    beta_constraint: Any
    gamma_constraint: Any

    @takes_arguments
    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise ValueError(
                "Expected an int or a list/tuple of ints for the argument 'axis', but "
                f"received instead: {axis}"
            )

    def build(self, input_shape: Any) -> None:
        """Makes `gamma` and `beta`."""
        shape = as_shape(input_shape).as_list()
        rank = len(shape)
        axes = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        self.axis = [axis + rank if axis < 0 else axis for axis in axes]
        for axis in self.axis:
            if axis < 0 or axis >= rank:
                raise ValueError(f"Invalid axis: {axis}")
        if len(self.axis) != len(set(self.axis)):
            raise ValueError(f"Duplicate axis: {tuple(self.axis)}")
        sizes = [shape[axis] for axis in self.axis]
        self.gamma = self.beta = None
        for name, wanted in (("gamma", self.scale), ("beta", self.center)):
            if wanted:
                made = self.add_weight(
                    name,
                    sizes,
                    initializer=getattr(self, f"{name}_initializer"),
                    regularizer=getattr(self, f"{name}_regularizer"),
                    constraint=getattr(self, f"{name}_constraint"),
                )
                setattr(self, name, made)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The normalized inputs."""
        mean, variance = ops.moments(inputs, self.axis, keep_dims=True)
        known = inputs.shape.as_list()
        wide = [known[at] if at in self.axis else 1 for at in range(len(known))]

        def spread(value: Any) -> Any:
            if value is None or len(wide) == 1 or self.axis == [len(wide) - 1]:
                return value
            return ops.reshape(value, wide)

        return ops.batch_normalization(
            inputs, mean, variance, spread(self.beta), spread(self.gamma), self.epsilon
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape
