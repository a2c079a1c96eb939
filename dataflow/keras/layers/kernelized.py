"""RandomFourierFeatures: rows mapped so that their products come near a kernel's values."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.keras import initializers, ops
from dataflow.keras.engine.base_layer import Layer
from dataflow.library.layers.input_spec import InputSpec
from dataflow.values.shapes import TensorShape, as_shape

_KERNELS: Final = ["gaussian", "laplacian"]


class RandomFourierFeatures(Layer):
    """`cos(inputs @ kernel / scale + bias)` with random numbers that are not trained.

    Args:
      output_dim: Number of features.
      kernel_initializer: "gaussian" or "laplacian", or an initializer.
      scale: Width of the kernel; for the gaussian one the root of half of the inputs' size, or
        else 1, if None.
      trainable: Whether the width is trained.
      name: Name of the layer.
      **kwargs: See `Layer`.

    Raises:
      ValueError: A size or width is not positive, or there is no such kernel.
    """

    def __init__(
        self,
        output_dim: int,
        kernel_initializer: Any = "gaussian",
        scale: float | None = None,
        trainable: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if output_dim <= 0:
            raise ValueError(f"`output_dim` should be a positive integer. Given: {output_dim}.")
        if isinstance(kernel_initializer, str) and kernel_initializer.lower() not in _KERNELS:
            raise ValueError(
                f"Unsupported kernel type: '{kernel_initializer}'. Supported kernel types: "
                f"{_KERNELS}."
            )
        if scale is not None and scale <= 0.0:
            raise ValueError(f"When provided, `scale` should be a positive float. Given: {scale}.")
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.output_dim, self.kernel_initializer, self.scale = output_dim, kernel_initializer, scale

    def build(self, input_shape: Any) -> None:
        """Makes the random numbers and the width.

        Raises:
          ValueError: The inputs are no rows of a known size.
        """
        shape = as_shape(input_shape)
        if shape.rank != 2:
            raise ValueError(f"The rank of the input tensor should be 2. Got {shape.rank} instead.")
        size = shape.as_list()[1]
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `RandomFourierFeatures` should be defined. "
                "Found `None`."
            )
        self.input_spec = InputSpec(ndim=2, axes={1: size})
        unscaled = self.add_weight(
            "unscaled_random_features",
            (size, self.output_dim),
            "float32",
            self._start((size, self.output_dim)),
            trainable=False,
        )
        self.bias = self.add_weight(
            "random_features_bias",
            (self.output_dim,),
            "float32",
            initializers.RandomUniform(0.0, 2 * np.pi),
            trainable=False,
        )
        if self.scale is None:
            self.scale = np.sqrt(size / 2.0) if self._kernel == "gaussian" else 1.0
        scale = self.add_weight(
            "random_features_scale",
            (1,),
            "float32",
            initializers.Constant(self.scale),
            trainable=True,
            constraint="NonNeg",
        )
        self.kernel = (1.0 / scale) * unscaled
        super().build(input_shape)

    @property
    def _kernel(self) -> str | None:
        given = self.kernel_initializer
        return given.lower() if isinstance(given, str) else None

    def _start(self, shape: tuple[int, int]) -> Any:
        if self._kernel == "gaussian":
            return initializers.RandomNormal(stddev=1.0)
        if self._kernel == "laplacian":
            chances = np.random.uniform(0.0, 1.0, size=shape)
            return initializers.Constant(np.tan(np.pi * (chances - 0.5)))
        return self.kernel_initializer

    def call(self, inputs: Any) -> Any:
        """The features."""
        rows = ops.cast(ops.convert_to_tensor(inputs), "float32")
        return ops.cos(ops.bias_add(ops.matmul(rows, self.kernel), self.bias))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """One row of features for each row.

        Raises:
          ValueError: The size of the rows is not known.
        """
        shape = as_shape(input_shape).with_rank(2)
        if shape.as_list()[-1] is None:
            raise ValueError(
                f"The innermost dimension of input shape must be defined. Given: {shape}"
            )
        return TensorShape([shape.as_list()[0], self.output_dim])

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        kernel = self.kernel_initializer
        if not isinstance(kernel, str):
            kernel = initializers.serialize(kernel)
        own = {"output_dim": self.output_dim, "kernel_initializer": kernel, "scale": self.scale}
        return {**self._base_config(), **own}
