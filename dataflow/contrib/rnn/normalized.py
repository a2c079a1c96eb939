"""LSTMs whose sums are normalized (Ba et al., 2016, arXiv:1607.06450)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.contrib.rnn.linear import linear
from dataflow.contrib.rnn.parts import LSTMLike, input_size, layer_normalized
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.clipping import clip_by_value
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.nn.moments import l2_normalize
from dataflow.ops.nn.sparsity import dropout
from dataflow.variables.scope import get_variable, variable_scope

_GATES = ("input", "transform", "forget", "output")


class LayerNormBasicLSTMCell(LSTMLike):
    """An LSTM with layer normalization and dropout of new values (Semeniuta et al., 2016).

    Args:
      num_units: Size of memory and output.
      forget_bias: What is added to the sums of the forget gate.
      input_size: Not used.
      activation: Of new values and of the memory.
      layer_norm: Whether sums and memory are normalized; if not, there is a bias.
      norm_gain: Initial factor of what is normalized.
      norm_shift: Initial value of what is added to it.
      dropout_keep_prob: Probability, a number or a scalar, that a new value is kept.
      dropout_prob_seed: Of the random numbers.
      reuse: Whether variables that exist in the cell's scope are shared.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Any = tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, None, reuse)
        self._activation = activation
        self._forget_bias = forget_bias
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        c, h = state
        joined = concat([inputs, h], 1)
        size = [input_size(joined), 4 * self._num_units]
        sums: Any = matmul(joined, get_variable("kernel", size, dtype=joined.dtype))
        if not self._layer_norm:
            sums = bias_add(sums, get_variable("bias", size[1:], dtype=joined.dtype))
        admit, new, forget, show = (
            self._normed(each, scope)
            for each, scope in zip(split(sums, 4, axis=1), _GATES, strict=True)
        )
        new = self._activation(new)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new = dropout(new, self._keep_prob, seed=self._seed)
        new_c = self._normed(
            c * sigmoid(forget + self._forget_bias) + sigmoid(admit) * new, "state"
        )
        new_h = self._activation(new_c) * sigmoid(show)
        return new_h, LSTMStateTuple(new_c, new_h)

    def _normed(self, values: Any, scope: str) -> Any:
        if not self._layer_norm:
            return values
        return layer_normalized(values, scope, self._norm_gain, self._norm_shift)


class LayerNormLSTMCell(LSTMLike):
    """`tf.nn.rnn_cell.LSTMCell` with layer normalization.

    Args:
      num_units: Size of the memory.
      use_peepholes: Whether the gates see the memory.
      cell_clip: The memory stays between this and its negative; None for no limits.
      initializer: Initial value of the weights; the variable scope's default if None.
      num_proj: Size of the output, for which it is projected; None for no projection.
      proj_clip: Like `cell_clip`, for a projected output.
      forget_bias: What is added to the sums of the forget gate.
      activation: Of new values and of the memory; tanh if None.
      layer_norm: Whether sums and memory are normalized.
      norm_gain: Initial factor of what is normalized.
      norm_shift: Initial value of what is added to it.
      reuse: Whether variables that exist in the cell's scope are shared.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: Any = None,
        forget_bias: float = 1.0,
        activation: Any = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, num_proj, reuse)
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = activation or tanh
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        c, m = state
        units, dtype = self._num_units, inputs.dtype
        input_size(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            rows = input_size(inputs) + self.output_size
            kernel = get_variable("kernel", [rows, 4 * units], dtype=dtype)
            bias = get_variable("bias", [4 * units], dtype=dtype, initializer=ZEROS)
            sums: Any = matmul(concat([inputs, m], 1), kernel)
            if not self._layer_norm:
                sums = bias_add(sums, bias)
            admit, new, forget, show = (
                self._normed(each, scope)
                for each, scope in zip(split(sums, 4, axis=1), _GATES, strict=True)
            )
            forget = forget + self._forget_bias
            if self._use_peepholes:
                see_f, see_i, see_o = (
                    get_variable(name, [units], dtype=dtype)
                    for name in ("w_f_diag", "w_i_diag", "w_o_diag")
                )
                forget, admit = forget + see_f * c, admit + see_i * c
            new_c = sigmoid(forget) * c + sigmoid(admit) * self._activation(new)
            new_c = self._normed(new_c, "state")
            if self._cell_clip is not None:
                new_c = clip_by_value(new_c, -self._cell_clip, self._cell_clip)
            if self._use_peepholes:
                show = show + see_o * new_c
            new_m = sigmoid(show) * self._activation(new_c)
            if self._num_proj is not None:
                with variable_scope("projection"):
                    new_m = linear(new_m, self._num_proj, False)
                if self._proj_clip is not None:
                    new_m = clip_by_value(new_m, -self._proj_clip, self._proj_clip)
        return new_m, LSTMStateTuple(new_c, new_m)

    def _normed(self, values: Any, scope: str) -> Any:
        if not self._layer_norm:
            return values
        return layer_normalized(values, scope, self._norm_gain, self._norm_shift)


class WeightNormLSTMCell(LSTMLike):
    """An LSTM whose weights are directions and lengths (Salimans and Kingma, 2016).

    Args:
      num_units: Size of the memory.
      norm: Whether weights are normalized.
      use_peepholes: Whether the gates see the memory.
      cell_clip: The memory stays between this and its negative; None for no limits.
      initializer: Initial value of the weights; the variable scope's default if None.
      num_proj: Size of the output, for which it is projected; None for no projection.
      proj_clip: Like `cell_clip`, for a projected output.
      forget_bias: What is added to the sums of the forget gate.
      activation: Of new values and of the memory; tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
    """

    def __init__(
        self,
        num_units: int,
        norm: bool = True,
        use_peepholes: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: Any = None,
        forget_bias: float = 1,
        activation: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, num_proj, reuse)
        self._norm = norm
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = activation or tanh

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        c, h = state
        units, dtype = self._num_units, inputs.dtype
        with variable_scope("wn_lstm_cell", initializer=self._initializer):
            sums = self._weighted([inputs, h], 4 * units)
            bias = get_variable("bias", [4 * units], dtype=dtype, initializer=ZEROS)
            admit, new, forget, show = split(bias_add(sums, bias), 4, axis=1)
            forget = forget + self._forget_bias
            if self._use_peepholes:
                see_f, see_i, see_o = (
                    get_variable(name, [units], dtype=dtype)
                    for name in ("w_f_diag", "w_i_diag", "w_o_diag")
                )
                forget, admit = forget + see_f * c, admit + see_i * c
            new_c = sigmoid(forget) * c + sigmoid(admit) * self._activation(new)
            if self._cell_clip is not None:
                new_c = clip_by_value(new_c, -self._cell_clip, self._cell_clip)
            if self._use_peepholes:
                show = show + see_o * new_c
            new_h = sigmoid(show) * self._activation(new_c)
            if self._num_proj is not None:
                with variable_scope("projection"):
                    new_h = self._weighted([new_h], self._num_proj)
                if self._proj_clip is not None:
                    new_h = clip_by_value(new_h, -self._proj_clip, self._proj_clip)
        return new_h, LSTMStateTuple(new_c, new_h)

    def _weighted(self, args: Sequence[Any], size: int) -> Any:
        """Sums of arguments, each by a kernel whose columns have lengths of their own."""
        dtype = args[0].dtype
        rows = [input_size(each) for each in args]
        kernel: Any = get_variable("kernel", [sum(rows), size], dtype=dtype)
        if self._norm:
            # As in TensorFlow 1.15, whose checkpoints are read, all parts begin at the first row.
            normed = [
                l2_normalize(kernel[:count], axis=0)
                * get_variable(f"norm_{index}", [size], dtype=dtype)
                for index, count in enumerate(rows)
            ]
            kernel = concat(normed, 0)
        return matmul(concat(list(args), 1), kernel)
