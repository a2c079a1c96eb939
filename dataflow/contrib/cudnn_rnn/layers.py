"""Nets of several layers that cuDNN runs in TensorFlow, and that run as other nets here.

Their variables have the names and the layout that TensorFlow gives weights of such nets in
checkpoints, so that those are read and written as they are.
"""

from __future__ import annotations

from typing import Any

from dataflow.contrib.cudnn_rnn.cells import CudnnCompatibleGRUCell
from dataflow.contrib.rnn.block_fused import LSTMBlockFusedCell
from dataflow.contrib.rnn.fused import FusedRNNCellAdaptor, TimeReversedFusedRNN
from dataflow.library.layers.layer import Layer
from dataflow.library.rnn.basic import BasicRNNCell
from dataflow.library.rnn.lstm import BasicLSTMCell, LSTMStateTuple
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.transpose import transpose
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.sparsity import dropout
from dataflow.ops.reductions.sum import add_n
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, dimension_value
from dataflow.variables.initializers import Constant
from dataflow.variables.scaled_initializers import GlorotUniform

_LINEAR = "linear_input"
_DIRECTIONS = {"unidirectional": ("fw",), "bidirectional": ("fw", "bw")}


class _CudnnRNN(Layer):
    """Layers of recurrent nets, each of which sees what the last one gives."""

    _rnn_mode = ""
    _cell = ""
    _gates = 1
    _num_states = 1

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = _LINEAR,
        direction: str = "unidirectional",
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        if direction not in _DIRECTIONS:
            raise ValueError(
                "Only 'unidirectional' and 'bidirectional' directions are allowed, got "
                f"{direction!r}"
            )
        if input_mode not in (_LINEAR, "auto_select"):
            raise ValueError(f"input_mode {input_mode!r} is not here; there is {_LINEAR!r}")
        if dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
            raise ValueError(f"Only support float16, float32, float64, provided {dtype}")
        self._num_layers = num_layers
        self._num_units = num_units
        self._input_mode = input_mode
        self._direction = direction
        self._dropout = dropout
        self._seed = seed
        self._kernel_initializer = kernel_initializer or GlorotUniform(seed=seed)
        self._bias_initializer = bias_initializer or Constant(0.0)
        self._input_size: Any = None

    @property
    def num_layers(self) -> int:
        """Number of layers."""
        return self._num_layers

    @property
    def num_units(self) -> int:
        """Size of a layer's state in one direction."""
        return self._num_units

    @property
    def input_mode(self) -> str:
        """As given."""
        return self._input_mode

    @property
    def input_size(self) -> int:
        """Size of the inputs, once it is known.

        Raises:
          ValueError: It is not.
        """
        if not self._input_size:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return self._input_size  # type: ignore[no-any-return]

    @property
    def rnn_mode(self) -> str:
        """What cuDNN calls the kind of net."""
        return self._rnn_mode

    @property
    def direction(self) -> str:
        """As given."""
        return self._direction

    @property
    def num_dirs(self) -> int:
        """Number of directions."""
        return len(_DIRECTIONS[self._direction])

    @property
    def canonical_weight_shapes(self) -> list[tuple[int, int]]:
        """Shapes of the weights of each gate, layer by layer, as cuDNN has them."""
        found: list[tuple[int, int]] = []
        for layer in range(self._num_layers):
            seen, units = self._seen_by(layer), self._num_units
            one = [(units, seen)] * self._gates + [(units, units)] * self._gates
            found += one * self.num_dirs
        return found

    @property
    def canonical_bias_shapes(self) -> list[list[int]]:
        """Shapes of the biases of each gate, layer by layer, as cuDNN has them."""
        return [[self._num_units]] * (2 * self._gates * self._num_layers * self.num_dirs)

    def _seen_by(self, layer: int) -> int:
        """Size of a layer's inputs."""
        return self.input_size if layer == 0 else self._num_units * self.num_dirs

    def build(self, input_shape: Any) -> None:
        """Makes the variables.

        Raises:
          ValueError: The inputs have not three dimensions, or no size that is known.
        """
        known = TensorShape(input_shape)
        if known.rank != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {known.rank}")
        self._input_size = dimension_value(known[-1])
        if self._input_size is None:
            raise ValueError("The last dimension of the inputs to `CudnnRNN` should be defined.")
        self._weights = [
            [self._made(self._prefix(layer, way), self._seen_by(layer)) for way in self._ways]
            for layer in range(self._num_layers)
        ]
        self.built = True

    @property
    def _ways(self) -> tuple[str, ...]:
        return _DIRECTIONS[self._direction]

    def _prefix(self, layer: int, way: str) -> str:
        if self.num_dirs == 1:
            return f"rnn/multi_rnn_cell/cell_{layer}/{self._cell}"
        return f"stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{way}/{self._cell}"

    def _made(self, prefix: str, size: int) -> Any:
        """The weights of a layer in one direction."""
        kernel = self._gate_kernels(f"{prefix}/kernel", (size, self._num_units), self._gates)
        return kernel, self._gate_biases(f"{prefix}/bias", self._gates, 2)

    def _gate_kernels(self, name: str, rows: tuple[int, ...], gates: int) -> Any:
        units = self._num_units

        def start(size: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            def drawn(count: int) -> Any:
                return transpose(self._kernel_initializer([units, count], dtype=dtype), [1, 0])

            return concat([concat([drawn(count) for count in rows], 0) for _ in range(gates)], 1)

        return self.add_weight(name, shape=[sum(rows), gates * units], initializer=start)

    def _gate_biases(self, name: str, gates: int, count: int) -> Any:
        units = self._num_units

        def start(size: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            def drawn() -> Any:
                return add_n([self._bias_initializer([units], dtype=dtype) for _ in range(count)])

            return concat([drawn() for _ in range(gates)], 0)

        return self.add_weight(name, shape=[gates * units], initializer=start)

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        sequence_lengths: Any = None,
        time_major: bool = True,
        training: bool = True,
    ) -> Any:
        """What the last layer gives in all steps, and the last states of all layers.

        Args:
          inputs: Floats [time, batch, size].
          initial_state: A tuple of states before the first step, each
            [layers * directions, batch, units]: outputs, and memories of an LSTM; zero if None.
          sequence_lengths: Lengths of the sequences, int [batch], or None.
          time_major: False for inputs and outputs [batch, time, ...].
          training: Whether anything is dropped.

        Returns:
          [time, batch, units * directions], and a tuple like `initial_state`.

        Raises:
          TypeError: `initial_state` is no tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {type(initial_state)}, expecting tuple.")
        if not time_major:
            inputs = transpose(inputs, [1, 0, 2])
        ends: list[tuple[Any, ...]] = []
        for layer, weights in enumerate(self._weights):
            if layer and self._dropout and training:
                inputs = dropout(inputs, rate=self._dropout, seed=self._seed)
            found = []
            for way, made in zip(self._ways, weights, strict=True):
                net = self._net(made)
                if way == "bw":
                    net = TimeReversedFusedRNN(net)
                output, state = net(
                    inputs,
                    initial_state=self._first(initial_state, len(ends)),
                    dtype=self.dtype,
                    sequence_length=sequence_lengths,
                )
                found.append(output)
                ends.append(self._parts(state))
            inputs = concat(found, 2)
        states = tuple(stack(list(each)) for each in zip(*ends, strict=True))
        return inputs if time_major else transpose(inputs, [1, 0, 2]), states

    def _net(self, weights: Any) -> Any:
        """A fused cell with these weights."""
        raise NotImplementedError

    def _first(self, state: Any, index: int) -> Any:
        """A layer's state in one direction before the first step, or None."""
        return None if state is None else state[0][index]

    def _parts(self, state: Any) -> tuple[Any, ...]:
        """The states that are returned."""
        return (state,)


class CudnnLSTM(_CudnnRNN):
    """Layers of LSTMs without forget bias.

    Args:
      num_layers: Number of layers.
      num_units: Size of a layer's state in one direction.
      input_mode: "linear_input"; inputs that are not weighted are not there.
      direction: "unidirectional" or "bidirectional".
      dropout: Probability that what a layer but the first sees is dropped, in training.
      seed: Of the dropout.
      dtype: float16, float32 or float64.
      kernel_initializer: Initial value of each gate's weights; Glorot's uniform one if None.
      bias_initializer: Initial value of each of the two biases of a gate; 0 if None.
      name: Name of the layer and of its variable scope.

    Raises:
      ValueError: An argument is not one of those named.
    """

    _rnn_mode = "lstm"
    _cell = "cudnn_compatible_lstm_cell"
    _gates = 4

    def _net(self, weights: Any) -> Any:
        fused: Any = LSTMBlockFusedCell(self._num_units, forget_bias=0)
        if self.dtype == dtypes.float64:
            fused = BasicLSTMCell(self._num_units, forget_bias=0)
        fused._kernel, fused._bias = weights
        fused._diagonals, fused.built = None, True
        if self.dtype == dtypes.float64:
            return FusedRNNCellAdaptor(fused, use_dynamic_rnn=True)
        return lambda x, **options: fused(x, **_unscoped(options))

    def _first(self, state: Any, index: int) -> Any:
        return None if state is None else LSTMStateTuple(state[1][index], state[0][index])

    def _parts(self, state: Any) -> tuple[Any, ...]:
        return state.h, state.c


def _unscoped(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "scope"}


class CudnnGRU(_CudnnRNN):
    """Layers of GRUs.

    Args:
      num_layers: Number of layers.
      num_units: Size of a layer's state in one direction.
      input_mode: "linear_input"; inputs that are not weighted are not there.
      direction: "unidirectional" or "bidirectional".
      dropout: Probability that what a layer but the first sees is dropped, in training.
      seed: Of the dropout.
      dtype: float16, float32 or float64.
      kernel_initializer: Initial value of each gate's weights; Glorot's uniform one if None.
      bias_initializer: Initial value of each of the two biases of a gate; 0 if None.
      name: Name of the layer and of its variable scope.

    Raises:
      ValueError: An argument is not one of those named.
    """

    _rnn_mode = "gru"
    _cell = "cudnn_compatible_gru_cell"
    _gates = 3

    def _made(self, prefix: str, size: int) -> Any:
        units, inner = self._num_units, f"{prefix}/candidate"
        return (
            self._gate_kernels(f"{prefix}/gates/kernel", (size, units), 2),
            self._gate_biases(f"{prefix}/gates/bias", 2, 2),
            self._gate_kernels(f"{inner}/input_projection/kernel", (size,), 1),
            self._gate_biases(f"{inner}/input_projection/bias", 1, 1),
            self._gate_kernels(f"{inner}/hidden_projection/kernel", (units,), 1),
            self._gate_biases(f"{inner}/hidden_projection/bias", 1, 1),
        )

    def _net(self, weights: Any) -> Any:
        cell = CudnnCompatibleGRUCell(self._num_units)
        cell._gate_weights, cell._input_weights, cell._state_weights = (
            weights[:2],
            weights[2:4],
            weights[4:],
        )
        cell.built = True
        return FusedRNNCellAdaptor(cell, use_dynamic_rnn=True)


class _Plain(_CudnnRNN):
    _cell = "cudnn_compatible_rnn_cell"
    _activation: Any = None

    def _net(self, weights: Any) -> Any:
        cell = BasicRNNCell(self._num_units, activation=type(self)._activation)
        cell._kernel, cell._bias = weights
        cell.built = True
        return FusedRNNCellAdaptor(cell, use_dynamic_rnn=True)


class CudnnRNNTanh(_Plain):
    """Layers of plain nets with tanh.

    Args:
      num_layers: Number of layers.
      num_units: Size of a layer's state in one direction.
      input_mode: "linear_input"; inputs that are not weighted are not there.
      direction: "unidirectional" or "bidirectional".
      dropout: Probability that what a layer but the first sees is dropped, in training.
      seed: Of the dropout.
      dtype: float16, float32 or float64.
      kernel_initializer: Initial value of each gate's weights; Glorot's uniform one if None.
      bias_initializer: Initial value of each of the two biases of a gate; 0 if None.
      name: Name of the layer and of its variable scope.

    Raises:
      ValueError: An argument is not one of those named.
    """

    _rnn_mode = "rnn_tanh"
    _activation = staticmethod(tanh)


class CudnnRNNRelu(_Plain):
    """Layers of plain nets with relu.

    Args:
      num_layers: Number of layers.
      num_units: Size of a layer's state in one direction.
      input_mode: "linear_input"; inputs that are not weighted are not there.
      direction: "unidirectional" or "bidirectional".
      dropout: Probability that what a layer but the first sees is dropped, in training.
      seed: Of the dropout.
      dtype: float16, float32 or float64.
      kernel_initializer: Initial value of each gate's weights; Glorot's uniform one if None.
      bias_initializer: Initial value of each of the two biases of a gate; 0 if None.
      name: Name of the layer and of its variable scope.

    Raises:
      ValueError: An argument is not one of those named.
    """

    _rnn_mode = "rnn_relu"
    _activation = staticmethod(relu)
