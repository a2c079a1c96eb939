"""What auto-regressive models make predictions with: dense layers, or a recurrent net."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.rnn.block_fused import LSTMBlockFusedCell
from dataflow.keras.engine.sequential import Sequential
from dataflow.keras.engine.training import Model
from dataflow.keras.layers.adapted import Dense, Flatten
from dataflow.ops.array.concat import concat
from dataflow.ops.array.transpose import transpose
from dataflow.ops.math.unary import exp
from dataflow.ops.nn.activation import relu


class FlatPredictionModel(Model):
    """Dense layers over a window as one vector."""

    def __init__(
        self,
        num_features: int,
        input_window_size: int,
        output_window_size: int,
        hidden_layer_sizes: Sequence[int] | None = None,
    ) -> None:
        """Takes sizes.

        Args:
          num_features: How many values a time has.
          input_window_size: How many times there are before those that are predicted.
          output_window_size: How many are predicted.
          hidden_layer_sizes: The sizes of layers between, with relu.
        """
        super().__init__()
        self._input_flatten = Flatten()
        self._output_flatten = Flatten()
        self._hidden_layers = None
        if hidden_layer_sizes:
            self._hidden_layers = Sequential(
                [Dense(size, activation=relu) for size in hidden_layer_sizes]
            )
        size = num_features * output_window_size
        self._mean_transform = Dense(size, name="predicted_mean")
        self._covariance_transform = Dense(size, name="log_sigma_square")
        self._prediction_shape = [-1, output_window_size, num_features]

    def call(  # type: ignore[override]
        self, input_window_features: Any, output_window_features: Any
    ) -> dict[str, Any]:
        """Means and variances.

        Args:
          input_window_features: Windows, times before those that are predicted, features.
          output_window_features: Windows, predicted times, features.
        """
        # Without a size of zero there is nothing to flatten, and layers would not know their sizes.
        if input_window_features.shape.dims[1].value == 0:
            activation = self._output_flatten(output_window_features)
        elif output_window_features.shape.dims[2].value == 0:
            activation = self._input_flatten(input_window_features)
        else:
            activation = concat(
                [
                    self._input_flatten(input_window_features),
                    self._output_flatten(output_window_features),
                ],
                axis=1,
            )
        if self._hidden_layers:
            activation = self._hidden_layers(activation)
        mean = array_shape.reshape(self._mean_transform(activation), self._prediction_shape)
        variance = exp(self._covariance_transform(activation))
        return {
            "mean": mean,
            "covariance": array_shape.reshape(variance, self._prediction_shape),
        }


class LSTMPredictionModel(Model):
    """An LSTM that reads the times before, and one that goes on with those that are predicted."""

    def __init__(
        self,
        num_features: int,
        input_window_size: int,
        output_window_size: int,
        num_units: int = 128,
    ) -> None:
        """Takes sizes; see `FlatPredictionModel`.

        Args:
          num_features: See there.
          input_window_size: See there.
          output_window_size: See there.
          num_units: The size of both.
        """
        super().__init__()
        self._encoder = LSTMBlockFusedCell(num_units=num_units, name="encoder")
        self._decoder = LSTMBlockFusedCell(num_units=num_units, name="decoder")
        self._mean_transform = Dense(num_features, name="mean_transform")
        self._covariance_transform = Dense(num_features, name="covariance_transform")

    def call(  # type: ignore[override]
        self, input_window_features: Any, output_window_features: Any
    ) -> dict[str, Any]:
        """Means and variances; see `FlatPredictionModel`."""
        before = transpose(input_window_features, [1, 0, 2])
        after = transpose(output_window_features, [1, 0, 2])
        _, state = self._encoder(before, dtype=self.dtype)
        outputs, _ = self._decoder(after, dtype=self.dtype, initial_state=state)
        outputs = transpose(outputs, [1, 0, 2])
        return {
            "mean": self._mean_transform(outputs),
            "covariance": exp(self._covariance_transform(outputs)),
        }
