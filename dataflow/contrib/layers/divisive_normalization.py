"""Generalized divisive normalization (Ballé et al., Density Modeling of Images using a Generalized
Normalization Transformation, 2016)."""

from __future__ import annotations

from typing import Any

from dataflow.differentiation.custom_gradient import custom_gradient
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.ops.array.fill import ones
from dataflow.ops.array.shape import reshape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.diag import eye
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import greater_equal, less, logical_or
from dataflow.ops.math.unary import sqrt, square
from dataflow.ops.nn.convolution import convolution
from dataflow.values.shapes import TensorShape, as_shape, dimension_value

_AXES = {"channels_first": 1, "channels_last": -1}


class GDN(Layer):
    """Divides by the root of a weighted sum of all channels' squares, or multiplies by it.

    The output in channel i is x[i] / sqrt(beta[i] + sum_j(gamma[j, i] x[j]^2)).

    Args:
      inverse: Whether it multiplies, which undoes another layer nearly.
      beta_min: The least that beta may be.
      gamma_init: The diagonal of gamma at first.
      reparam_offset: Offset of the variables, whose squares beta and gamma are.
      data_format: "channels_last" or "channels_first".
      activity_regularizer: Makes a loss of the output.
      trainable: Whether optimizers train the variables.
      name: Name of the layer.
      **kwargs: See `tf.layers.Layer`.

    Raises:
      ValueError: There is no such format; when called, the input does not have 3 to 5 axes, or its
        channels are not known.
    """

    beta: Any
    gamma: Any

    def __init__(
        self,
        inverse: bool = False,
        beta_min: float = 1e-6,
        gamma_init: float = 0.1,
        reparam_offset: float = 2**-18,
        data_format: str = "channels_last",
        activity_regularizer: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        if data_format not in _AXES:
            raise ValueError(f"Unsupported `data_format` for GDN layer: {data_format}.")
        self.inverse = inverse
        self.data_format = data_format
        self._beta_min = beta_min
        self._gamma_init = gamma_init
        self._offset = reparam_offset
        self.input_spec = InputSpec(min_ndim=3, max_ndim=5)

    def build(self, input_shape: Any) -> None:
        """Makes `reparam_beta` and `reparam_gamma`."""
        shape, axis = as_shape(input_shape), _AXES[self.data_format]
        channels = dimension_value(shape[axis])
        if channels is None:
            raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")
        self.input_spec = InputSpec(ndim=shape.ndims, axes={axis: channels})
        pedestal = self._offset**2

        def first_beta(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return sqrt(ones(shape, dtype=dtype) + pedestal)

        def first_gamma(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return sqrt(self._gamma_init * eye(shape[0], dtype=dtype) + pedestal)

        beta = self.add_weight("reparam_beta", [channels], initializer=first_beta)
        self.beta = square(_at_least(beta, (self._beta_min + pedestal) ** 0.5)) - pedestal
        gamma = self.add_weight("reparam_gamma", [channels, channels], initializer=first_gamma)
        self.gamma = square(_at_least(gamma, self._offset)) - pedestal
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The normalized inputs."""
        inputs = convert_to_tensor(inputs, dtype=self.dtype)
        spatial = inputs.shape.ndims - 2
        channels = self.beta.shape[0].value
        filters = reshape(self.gamma, [1] * spatial + [channels, channels])
        is_first = self.data_format == "channels_first"
        layout = f"NC{'DHW'[-spatial:]}" if is_first else None
        sums = convolution(square(inputs), filters, "VALID", data_format=layout)
        sums += reshape(self.beta, [channels] + [1] * spatial if is_first else [channels])
        root = sqrt(sums)
        outputs = inputs * root if self.inverse else inputs / root
        outputs.set_shape(inputs.shape)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """That of the input."""
        shape = as_shape(input_shape)
        if shape.ndims not in (3, 4, 5):
            raise ValueError("`input_shape` must be of rank 3 to 5, inclusive.")
        if dimension_value(shape[_AXES[self.data_format]]) is None:
            raise ValueError("The channel dimension of `input_shape` must be defined.")
        return shape


def gdn(
    inputs: Any,
    inverse: bool = False,
    beta_min: float = 1e-6,
    gamma_init: float = 0.1,
    reparam_offset: float = 2**-18,
    data_format: str = "channels_last",
    activity_regularizer: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """Generalized divisive normalization of a tensor; see `GDN`."""
    layer = GDN(
        inverse,
        beta_min,
        gamma_init,
        reparam_offset,
        data_format,
        activity_regularizer,
        trainable,
        name,
        dtype=inputs.dtype.base_dtype,
        _scope=name,
        _reuse=reuse,
    )
    return layer.apply(inputs)


def _at_least(values: Any, bound: float) -> Any:
    """Values, or the bound where they are less; gradients pass where they lead back."""

    @custom_gradient
    def bounded(values: Any) -> Any:
        least = constant(bound, values.dtype)

        def gradient(grad: Any) -> Any:
            passes = logical_or(greater_equal(values, least), less(grad, 0))
            return cast(passes, grad.dtype) * grad

        return maximum(values, least), gradient

    return bounded(convert_to_tensor(values))
