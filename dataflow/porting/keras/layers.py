"""tf.keras.layers: the layers of tf.layers, and those that need no variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as _concat
import dataflow.ops.array.shape as _shapes
import dataflow.ops.array.transpose as _transpose
import dataflow.ops.math.binary as _binary
import dataflow.ops.nn.activation as _activation
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding import embedding_lookup
from dataflow.library.layers.arguments import activation_of
from dataflow.library.layers.base import Layer as Layer
from dataflow.library.layers.convolution import Conv1D as Conv1D
from dataflow.library.layers.convolution import Conv2D as Conv2D
from dataflow.library.layers.convolution import Conv3D as Conv3D
from dataflow.library.layers.dense import Dense as Dense
from dataflow.library.layers.dropout import Dropout as Dropout
from dataflow.library.layers.flatten import Flatten as Flatten
from dataflow.library.layers.input_spec import InputSpec as InputSpec
from dataflow.library.layers.normalization import BatchNormalization as BatchNormalization
from dataflow.library.layers.pooling import AveragePooling1D as AveragePooling1D
from dataflow.library.layers.pooling import AveragePooling2D as AveragePooling2D
from dataflow.library.layers.pooling import AveragePooling3D as AveragePooling3D
from dataflow.library.layers.pooling import MaxPooling1D as MaxPooling1D
from dataflow.library.layers.pooling import MaxPooling2D as MaxPooling2D
from dataflow.library.layers.pooling import MaxPooling3D as MaxPooling3D
from dataflow.library.layers.separable import SeparableConv1D as SeparableConv1D
from dataflow.library.layers.separable import SeparableConv2D as SeparableConv2D
from dataflow.library.layers.transposed import Conv2DTranspose as Conv2DTranspose
from dataflow.library.layers.transposed import Conv3DTranspose as Conv3DTranspose
from dataflow.ops.basic.cast import cast
from dataflow.porting.keras.initializers import get as _initializer_by_name
from dataflow.values import dtypes

AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution2DTranspose = Conv2DTranspose
Convolution3D = Conv3D
Convolution3DTranspose = Conv3DTranspose
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D


class Wrapper(Layer):
    """A layer around another, `layer`, that is built with it."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        """Takes the layer."""
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer inside, unless it is built."""
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True


class Activation(Layer):
    """A function of one tensor, element by element, or its name."""

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        """Takes the function."""
        super().__init__(**kwargs)
        self.activation = activation_of(activation)

    def call(self, inputs: Any) -> Any:
        """The function of the inputs."""
        return inputs if self.activation is None else self.activation(inputs)


class Lambda(Layer):
    """Any function as a layer, with further arguments by their names."""

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Takes the function, and what it gets besides the inputs."""
        super().__init__(**kwargs)
        self.function = function
        self.arguments = arguments or {}

    def call(self, inputs: Any) -> Any:
        """The function of the inputs."""
        return self.function(inputs, **self.arguments)


class Reshape(Layer):
    """Another shape for each element of the batch; one size may be -1."""

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        """Takes the shape without the batch."""
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Tensor:
        """The inputs in the new shape."""
        return _shapes.reshape(inputs, (_shapes.shape(inputs)[0], *self.target_shape))


class Permute(Layer):
    """Another order of the dimensions behind the batch, counted from 1."""

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        """Takes the order."""
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs: Any) -> Tensor:
        """The inputs with their dimensions in the new order."""
        return _transpose.transpose(inputs, (0, *self.dims))


class Concatenate(Layer):
    """Several tensors, one behind the other."""

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        """Takes the dimension."""
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Tensor:
        """The inputs, joined."""
        return _concat.concat(inputs, self.axis)


class _Folded(Layer):
    """Several tensors, taken together two by two."""

    def call(self, inputs: Any) -> Any:
        """What `_join` makes of the first two, then of that and the third, and so on."""
        result = inputs[0]
        for each in inputs[1:]:
            result = self._join(result, each)
        return result

    def _join(self, first: Any, second: Any) -> Any:
        raise NotImplementedError


class Add(_Folded):
    """The sum of several tensors."""

    def _join(self, first: Any, second: Any) -> Any:
        return first + second


class Subtract(_Folded):
    """The difference of two tensors."""

    def _join(self, first: Any, second: Any) -> Any:
        return first - second


class Multiply(_Folded):
    """The product of several tensors, element by element."""

    def _join(self, first: Any, second: Any) -> Any:
        return first * second


class Maximum(_Folded):
    """The greatest of several tensors, element by element."""

    def _join(self, first: Any, second: Any) -> Any:
        return _binary.maximum(first, second)


class Minimum(_Folded):
    """The least of several tensors, element by element."""

    def _join(self, first: Any, second: Any) -> Any:
        return _binary.minimum(first, second)


class Average(_Folded):
    """The mean of several tensors."""

    def call(self, inputs: Any) -> Any:
        """The sum of the inputs over their number."""
        return super().call(inputs) / len(inputs)

    def _join(self, first: Any, second: Any) -> Any:
        return first + second


class ReLU(Layer):
    """Zero below a threshold, or a slope there; no more than a greatest value."""

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **kwargs: Any,
    ) -> None:
        """Takes the greatest value, if there is one, the slope and the threshold."""
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs: Any) -> Any:
        """See above."""
        x = convert_to_tensor(inputs)
        above = x if not self.threshold else x * cast(x > self.threshold, x.dtype)
        result = _activation.relu(above)
        if self.max_value is not None:
            result = _binary.minimum(result, self.max_value)
        if self.negative_slope:
            result -= self.negative_slope * _activation.relu(self.threshold - x)
        return result


class LeakyReLU(Layer):
    """A slope below zero."""

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        """Takes the slope."""
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any) -> Any:
        """See above."""
        return _activation.leaky_relu(inputs, self.alpha)


class Embedding(Layer):
    """Rows of a table, `embeddings`, by their numbers.

    Args:
      input_dim: Number of rows.
      output_dim: Length of a row.
      embeddings_initializer: Initial value of the table, or its name.
      embeddings_regularizer: Makes a loss of the table.
      activity_regularizer: Makes a loss of the output.
      embeddings_constraint: Function that optimizers apply to the table after an update.
      mask_zero: Not looked at: there are no masks.
      input_length: Not looked at.
      **kwargs: See `Layer`.
    """

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
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.input_dim, self.output_dim = input_dim, output_dim
        self._initializer = _initializer_by_name(embeddings_initializer)
        self._regularizer, self._constraint = embeddings_regularizer, embeddings_constraint

    def build(self, input_shape: Any) -> None:
        """Makes the table."""
        self.embeddings = self.add_weight(
            "embeddings",
            (self.input_dim, self.output_dim),
            dtypes.float32,
            self._initializer,
            self._regularizer,
            constraint=self._constraint,
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The rows; numbers of another type than int32 and int64 become int32."""
        ids = convert_to_tensor(inputs)
        if ids.dtype not in (dtypes.int32, dtypes.int64):
            ids = cast(ids, dtypes.int32)
        return embedding_lookup(self.embeddings, ids)
