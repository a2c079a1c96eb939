"""Layers of few lines: activations with numbers, noise, global pooling, embeddings."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.backend.settings import format_of
from dataflow.keras.engine.base_layer import Layer
from dataflow.library.layers.input_spec import InputSpec
from dataflow.values.shapes import TensorShape, as_shape


class _Elementwise(Layer):
    """A function element by element."""

    supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape


class ReLU(_Elementwise):
    """Zero below a threshold, or a slope there; no more than a greatest value."""

    max_value: Any
    negative_slope: Any
    threshold: Any

    @takes_arguments
    def __init__(
        self, max_value: Any = None, negative_slope: Any = 0, threshold: Any = 0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.0:
            raise ValueError(f"max_value of Relu layer cannot be negative value: {max_value}")
        if negative_slope < 0.0:
            raise ValueError(
                f"negative_slope of Relu layer cannot be negative value: {negative_slope}"
            )

    def call(self, inputs: Any) -> Any:
        """See above."""
        return K.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(_Elementwise):
    """A slope below zero."""

    alpha: float

    @takes_arguments
    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Any) -> Any:
        """See above."""
        return K.relu(inputs, alpha=self.alpha)


class ELU(_Elementwise):
    """`alpha * (exp(x) - 1)` below zero."""

    alpha: float

    @takes_arguments
    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Any) -> Any:
        """See above."""
        return K.elu(inputs, self.alpha)


class ThresholdedReLU(_Elementwise):
    """Zero up to a threshold."""

    theta: float

    @takes_arguments
    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Any) -> Any:
        """See above."""
        return inputs * ops.cast(ops.greater(inputs, self.theta), inputs.dtype)


class PReLU(_Elementwise):
    """A slope below zero that is learnt, for each place or shared along axes."""

    alpha_initializer: Any
    alpha_regularizer: Any
    alpha_constraint: Any
    shared_axes: Any

    @takes_arguments
    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if shared_axes is not None and not isinstance(shared_axes, (list, tuple)):
            self.shared_axes = [shared_axes]

    def build(self, input_shape: Any) -> None:
        """Makes `alpha`."""
        shape = as_shape(input_shape).as_list()[1:]
        for axis in self.shared_axes or ():
            shape[axis - 1] = 1
        self.alpha = self.add_weight(
            "alpha",
            shape,
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """See above."""
        return ops.relu(inputs) - self.alpha * ops.relu(-inputs)


class GaussianNoise(_Elementwise):
    """Adds noise of a normal distribution in training."""

    stddev: float

    @takes_arguments
    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Any, training: Any = None) -> Any:
        """See above."""

        def noised() -> Any:
            return inputs + K.random_normal(ops.shape(inputs), 0.0, self.stddev, inputs.dtype)

        return K.in_train_phase(noised, inputs, training=training)


class GaussianDropout(_Elementwise):
    """Multiplies by noise around 1 in training."""

    rate: float

    @takes_arguments
    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Any, training: Any = None) -> Any:
        """See above."""
        if not 0 < self.rate < 1:
            return inputs

        def noised() -> Any:
            deviation = np.sqrt(self.rate / (1.0 - self.rate))
            return inputs * K.random_normal(ops.shape(inputs), 1.0, deviation, inputs.dtype)

        return K.in_train_phase(noised, inputs, training=training)


class AlphaDropout(_Elementwise):
    """Dropout that keeps mean and variance, for nets of SELU (Klambauer et al., 2017)."""

    rate: float
    noise_shape: Any
    seed: Any

    @takes_arguments
    def __init__(
        self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Any, training: Any = None) -> Any:
        """See above."""
        if not 0.0 < self.rate < 1.0:
            return inputs
        low = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946
        shape = ops.shape(inputs) if self.noise_shape is None else self.noise_shape

        def dropped() -> Any:
            kept = K.random_uniform(shape, seed=self.seed) >= self.rate
            kept = ops.cast(kept, inputs.dtype)
            scale = ((1 - self.rate) * (1 + self.rate * low**2)) ** -0.5
            return scale * (inputs * kept + low * (1 - kept)) - scale * low * self.rate

        return K.in_train_phase(dropped, inputs, training=training)


class _GlobalPooling(Layer):
    """One value for each channel."""

    _rank: ClassVar[int]
    _greatest: ClassVar[bool] = False
    data_format: Any

    def _settle(self) -> None:
        self.data_format = format_of(self.data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    @property
    def _axes(self) -> list[int]:
        first = 1 if self.data_format == "channels_last" else 2
        return list(range(first, first + self._rank))

    def call(self, inputs: Any) -> Any:
        """The greatest or the mean."""
        return (ops.reduce_max if self._greatest else ops.reduce_mean)(inputs, axis=self._axes)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The sizes of batch and channels."""
        shape = as_shape(input_shape).as_list()
        return TensorShape([shape[0], shape[-1 if self.data_format == "channels_last" else 1]])


class _Global1D(_GlobalPooling):
    _rank = 1

    @takes_arguments
    def __init__(self, data_format: str = "channels_last", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._settle()


class _Global2D(_GlobalPooling):
    _rank = 2

    @takes_arguments
    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._settle()


class _Global3D(_Global2D):
    _rank = 3


class GlobalAveragePooling1D(_Global1D):
    """The mean of all steps, of those that are not masked."""

    supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The mean."""
        if mask is None:
            return super().call(inputs)
        axis = self._axes[0]
        kept = ops.expand_dims(ops.cast(mask, inputs.dtype), 2 if axis == 1 else 1)
        return ops.reduce_sum(inputs * kept, axis=axis) / ops.reduce_sum(kept, axis=axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """None: there are no steps any more."""
        return None


class GlobalMaxPooling1D(_Global1D):
    """The greatest of all steps."""

    _greatest = True


class GlobalAveragePooling2D(_Global2D):
    """The mean of each channel of images."""


class GlobalMaxPooling2D(_Global2D):
    """The greatest of each channel of images."""

    _greatest = True


class GlobalAveragePooling3D(_Global3D):
    """The mean of each channel of volumes."""


class GlobalMaxPooling3D(_Global3D):
    """The greatest of each channel of volumes."""

    _greatest = True


class Embedding(Layer):
    """Rows of a table, `embeddings`, by their numbers.

    Args:
      input_dim: Number of rows.
      output_dim: Length of a row.
      embeddings_initializer: Initial value of the table, or its name.
      embeddings_regularizer: Makes a loss of the table.
      activity_regularizer: Makes a loss of the output.
      embeddings_constraint: Function that optimizers apply to the table after an update.
      mask_zero: Whether the number 0 is masked.
      input_length: The number of steps, if all sequences have the same.
      **kwargs: See `Layer`.
    """

    input_dim: int
    output_dim: int
    embeddings_initializer: Any
    embeddings_regularizer: Any
    embeddings_constraint: Any
    mask_zero: bool
    input_length: Any

    @takes_arguments
    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            kwargs["input_shape"] = (
                (None,) if not input_length else tuple(np.atleast_1d(input_length).tolist())
            )
        dtype = kwargs.pop("dtype", K.floatx())
        super().__init__(dtype=dtype, activity_regularizer=activity_regularizer, **kwargs)
        self.supports_masking = mask_zero

    def build(self, input_shape: Any) -> None:
        """Makes the table."""
        self.embeddings = self.add_weight(
            "embeddings",
            (self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where the number is not 0."""
        return ops.not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the input, and the length of a row."""
        return as_shape(input_shape).concatenate(self.output_dim)

    def call(self, inputs: Any) -> Any:
        """The rows; numbers of another type than int32 and int64 become int32."""
        if K.dtype(inputs) not in ("int32", "int64"):
            inputs = ops.cast(inputs, "int32")
        return ops.embedding_lookup(self.embeddings, inputs)
