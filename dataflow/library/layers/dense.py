"""Dense: every output is a weighted sum of all inputs."""

from __future__ import annotations

from typing import Any

from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.arguments import ZEROS, activation_of, initializer_of
from dataflow.library.layers.base import BaseLayer
from dataflow.library.layers.functional import function_of
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.tensordot import tensordot
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.sparse.matmul import sparse_tensor_dense_matmul
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, as_shape, dimension_value


class DenseCore(BaseLayer):
    """What `Dense` computes, of tf.layers and of tf.keras."""

    supports_masking = True

    kernel: Any
    bias: Any

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        if self.units < 0:
            raise ValueError(
                f"Received an invalid value for `units`, expected a positive integer, got {units}."
            )
        self.activation = activation_of(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` and `bias`."""
        dtype = dtypes.as_dtype(self.dtype or dtypes.float32)
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(f"Unable to build `Dense` layer with non-floating point dtype {dtype}")
        size = dimension_value(as_shape(input_shape)[-1])
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            shape=[size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """The weighted sums, with bias and activation."""
        dtype = dtypes.as_dtype(self._compute_dtype or dtypes.float32)
        if inputs.dtype.base_dtype != dtype:
            inputs = cast(inputs, dtype)
        rank = inputs.shape.rank
        if isinstance(inputs, SparseTensor):
            outputs = sparse_tensor_dense_matmul(inputs, self.kernel)
        elif rank == 2 or rank is None:
            outputs = single("MatMul", inputs, self.kernel)
        else:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the input with `units` as the last size."""
        shape = as_shape(input_shape).with_rank_at_least(2)
        if dimension_value(shape[-1]) is None:
            raise ValueError(
                f"The innermost dimension of input_shape must be defined, but saw: {shape}"
            )
        return shape[:-1].concatenate(self.units)


class Dense(DenseCore, Layer):
    """`activation(inputs @ kernel + bias)`, along the last dimension of the inputs.

    Args:
      units: Number of outputs.
      activation: Function of the sums, or its name; None for none.
      use_bias: Whether there is a `bias`.
      kernel_initializer: Initial value of `kernel`; the variable scope's default if None.
      bias_initializer: Initial value of `bias`.
      kernel_regularizer: Makes a loss of `kernel`.
      bias_regularizer: Makes a loss of `bias`.
      activity_regularizer: Makes a loss of the output.
      kernel_constraint: Function that optimizers apply to `kernel` after an update.
      bias_constraint: The same for `bias`.
      trainable: Whether optimizers train the variables.
      name: Name of the layer.
      **kwargs: See `Layer`.

    >>> layer = tf.layers.Dense(3, activation=tf.nn.relu)
    >>> layer(tf.zeros([5, 2])).shape.as_list(), layer.kernel.shape.as_list()
    ([5, 3], [2, 3])
    """


dense = function_of(Dense)
