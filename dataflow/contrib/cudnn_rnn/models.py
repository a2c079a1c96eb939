"""Nets of several layers whose weights lie in one vector, in the order in which cuDNN has them.

The vector holds the weights of each layer and direction, gate by gate: those of the inputs
[units, size], then those of the state [units, units]. The biases follow in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.contrib.cudnn_rnn import layers
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import reshape
from dataflow.ops.array.split import split
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes

CUDNN_RNN_UNIDIRECTION = "unidirectional"
CUDNN_RNN_BIDIRECTION = "bidirectional"
CUDNN_LSTM = "lstm"
CUDNN_GRU = "gru"
CUDNN_RNN_RELU = "rnn_relu"
CUDNN_RNN_TANH = "rnn_tanh"
CUDNN_INPUT_LINEAR_MODE = "linear_input"
CUDNN_INPUT_SKIP_MODE = "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"


class _Model:
    """A net that is given its weights when it is called."""

    _layer: type[layers._CudnnRNN]
    _order: tuple[int, ...] = (0,)

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        dtype: Any = dtypes.float32,
        dropout: float = 0.0,
        seed: int | None = 0,
        num_proj: int | None = None,
    ) -> None:
        if num_proj:
            raise ValueError(
                f"num_proj must be None or 0: outputs are not projected, got {num_proj}"
            )
        self._net = self._layer(
            num_layers,
            num_units,
            input_mode,
            direction,
            dropout,
            seed or None,
            dtypes.as_dtype(dtype),
        )
        self._net._input_size = input_size
        self._net.built = True
        self.num_proj = num_proj

    @property
    def input_mode(self) -> str:
        """As given."""
        return self._net.input_mode

    @property
    def input_size(self) -> int:
        """As given."""
        return self._net.input_size

    @property
    def num_units(self) -> int:
        """As given."""
        return self._net.num_units

    @property
    def num_layers(self) -> int:
        """As given."""
        return self._net.num_layers

    @property
    def rnn_mode(self) -> str:
        """What cuDNN calls the kind of net."""
        return self._net.rnn_mode

    @property
    def direction(self) -> str:
        """As given."""
        return self._net.direction

    def params_size(self) -> Any:
        """Length of the vector of weights and biases, an int32 scalar."""
        return constant(sum(self._sizes()), dtypes.int32)

    def params_to_canonical(self, params: Any) -> tuple[list[Any], list[Any]]:
        """The weights [units, size] and biases [units] that lie in a vector.

        Raises:
          ValueError: The vector has another length than `params_size()`.
        """
        pieces = split(params, self._sizes(), 0)
        shapes = self._net.canonical_weight_shapes
        weights = [reshape(piece, shape) for piece, shape in zip(pieces, shapes, strict=False)]
        return weights, pieces[len(shapes) :]

    def canonical_to_params(self, weights: Any, biases: Any) -> Any:
        """The vector in which these weights and biases lie.

        Raises:
          ValueError: There are not as many as the net has.
        """
        for kind, given, count in (
            ("weights", weights, len(self._net.canonical_weight_shapes)),
            ("biases", biases, len(self._net.canonical_bias_shapes)),
        ):
            if len(given) != count:
                raise ValueError(f"the net has {count} {kind}, got {len(given)}")
        return concat([reshape(each, [-1]) for each in (*weights, *biases)], 0)

    def _sizes(self) -> list[int]:
        net = self._net
        shapes = (*net.canonical_weight_shapes, *net.canonical_bias_shapes)
        return [int(np.prod(shape)) for shape in shapes]

    def _run(
        self,
        inputs: Any,
        states: tuple[Any, ...],
        params: Any,
        sequence_lengths: Any,
        time_major: bool,
        is_training: bool,
    ) -> tuple[Any, ...]:
        """The outputs and the last states, laid out as the inputs and the first ones."""
        net, gates = self._net, self._net._gates
        weights, biases = self.params_to_canonical(params)
        kernels = [transpose(each, [1, 0]) for each in weights]
        made = []
        for first in range(0, len(kernels), 2 * gates):
            middle, last = first + gates, first + 2 * gates
            made.append(
                self._weights(
                    kernels[first:middle],
                    kernels[middle:last],
                    biases[first:middle],
                    biases[middle:last],
                )
            )
        ways = net.num_dirs
        net._weights = [made[at : at + ways] for at in range(0, len(made), ways)]
        if not time_major:
            states = tuple(transpose(each, [1, 0, 2]) for each in states)
        output, ends = net.call(inputs, states, sequence_lengths, time_major, is_training)
        if not time_major:
            ends = tuple(transpose(each, [1, 0, 2]) for each in ends)
        return output, *ends

    def _weights(self, of_input: Any, of_state: Any, b_input: Any, b_state: Any) -> Any:
        """The weights of a layer in one direction, as the layer's cell takes them."""
        return self._joined(self._order, of_input, of_state, b_input, b_state)

    @staticmethod
    def _joined(gates: Any, of_input: Any, of_state: Any, b_input: Any, b_state: Any) -> Any:
        kernel = concat([concat([of_input[gate], of_state[gate]], 0) for gate in gates], 1)
        return kernel, concat([b_input[gate] + b_state[gate] for gate in gates], 0)


class _OneState(_Model):
    """A net without memory beside its outputs."""

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        dtype: Any = dtypes.float32,
        dropout: float = 0.0,
        seed: int | None = 0,
    ) -> None:
        super().__init__(
            num_layers, num_units, input_size, input_mode, direction, dtype, dropout, seed
        )

    def __call__(
        self,
        input_data: Any,
        input_h: Any,
        params: Any,
        sequence_lengths: Any = None,
        time_major: bool = True,
        is_training: bool = True,
    ) -> tuple[Any, ...]:
        """What the last layer gives in all steps, and the last outputs of all layers.

        Args:
          input_data: Floats [time, batch, size].
          input_h: Outputs before the first step [layers * directions, batch, units].
          params: Weights and biases in one vector of length `params_size()`.
          sequence_lengths: Lengths of the sequences, int [batch], or None.
          time_major: False for batches as the first dimension, of states as well.
          is_training: Whether anything is dropped.

        Returns:
          [time, batch, units * directions], and a tensor like `input_h`.
        """
        return self._run(input_data, (input_h,), params, sequence_lengths, time_major, is_training)


class CudnnLSTM(_Model):
    """Layers of LSTMs without forget bias; gates lie as input, forget, candidate, output.

    Args:
      num_layers: Number of layers.
      num_units: Size of a layer's state in one direction.
      input_size: Size of the inputs.
      input_mode: "linear_input"; inputs that are not weighted are not there.
      direction: "unidirectional" or "bidirectional".
      dtype: float16, float32 or float64.
      dropout: Probability that what a layer but the first sees is dropped, in training.
      seed: Of the dropout.
      num_proj: None or 0.

    Raises:
      ValueError: An argument is not one of those named.
    """

    _layer = layers.CudnnLSTM
    _order = (0, 2, 1, 3)

    def __call__(
        self,
        input_data: Any,
        input_h: Any,
        input_c: Any,
        params: Any,
        sequence_lengths: Any = None,
        time_major: bool = True,
        is_training: bool = True,
    ) -> tuple[Any, ...]:
        """What the last layer gives in all steps, and the last states of all layers.

        Args:
          input_data: Floats [time, batch, size].
          input_h: Outputs before the first step [layers * directions, batch, units].
          input_c: Memories before the first step, like `input_h`.
          params: Weights and biases in one vector of length `params_size()`.
          sequence_lengths: Lengths of the sequences, int [batch], or None.
          time_major: False for batches as the first dimension, of states as well.
          is_training: Whether anything is dropped.

        Returns:
          [time, batch, units * directions], and tensors like `input_h` and `input_c`.
        """
        states = input_h, input_c
        return self._run(input_data, states, params, sequence_lengths, time_major, is_training)


class CudnnGRU(_OneState):
    """Layers of GRUs, whose gates lie as reset, update, candidate; arguments are CudnnLSTM's."""

    _layer = layers.CudnnGRU

    def _weights(self, of_input: Any, of_state: Any, b_input: Any, b_state: Any) -> Any:
        gates = self._joined((0, 1), of_input, of_state, b_input, b_state)
        return *gates, of_input[2], b_input[2], of_state[2], b_state[2]


class CudnnRNNTanh(_OneState):
    """Layers of plain nets with tanh; arguments are CudnnLSTM's."""

    _layer = layers.CudnnRNNTanh


class CudnnRNNRelu(_OneState):
    """Layers of plain nets with relu; arguments are CudnnLSTM's."""

    _layer = layers.CudnnRNNRelu
