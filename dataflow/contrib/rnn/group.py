"""GLSTMCell: an LSTM in groups (Kuchaiev and Ginsburg, 2017, arXiv:1703.10722)."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.linear import Linear
from dataflow.contrib.rnn.parts import LSTMLike
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.bias import bias_add
from dataflow.values.shapes import dimension_value
from dataflow.variables.scope import get_variable, variable_scope


class GLSTMCell(LSTMLike):
    """An LSTM whose groups of units each see their part of inputs and state.

    Args:
      num_units: Size of the memory.
      initializer: Initial value of the weights; the variable scope's default if None.
      num_proj: Size of the output, for which it is projected; None for no projection.
      number_of_groups: Number of groups.
      forget_bias: What is added to the sums of the forget gate.
      activation: Of the memory.
      reuse: Whether variables that exist in the cell's scope are shared.

    Raises:
      ValueError: A size cannot be divided among the groups.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        num_proj: int | None = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Any = tanh,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, num_proj, reuse)
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation
        self._number_of_groups = number_of_groups
        if num_units % number_of_groups:
            raise ValueError("num_units must be divisible by number_of_groups")
        if num_proj and num_proj % number_of_groups:
            raise ValueError("num_proj must be divisible by number_of_groups")
        self._linear1: list[Any] = [None] * number_of_groups
        self._linear2: Any = None

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state.

        Raises:
          ValueError: The size of the inputs is not known, or cannot be divided.
        """
        c, m = state
        groups = self._number_of_groups
        size = dimension_value(inputs.shape[1])
        if size is None:
            raise ValueError("input size must be statically known")
        if size % groups:
            raise ValueError(
                f"input size ({size}) must be divisible by number_of_groups ({groups})"
            )
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            parts = zip(split(inputs, groups, axis=1), split(m, groups, axis=1), strict=True)
            sums = [split(self._group(i, x, h), 4, axis=1) for i, (x, h) in enumerate(parts)]
            admit, new, forget, show = (
                bias_add(
                    concat(list(of_groups), 1),
                    get_variable(
                        f"bias_{name}", [self._num_units], dtype=inputs.dtype, initializer=ZEROS
                    ),
                )
                for name, of_groups in zip("ijfo", zip(*sums, strict=True), strict=True)
            )
        new_c = sigmoid(forget + self._forget_bias) * c + sigmoid(admit) * tanh(new)
        new_m = sigmoid(show) * self._activation(new_c)
        if self._num_proj is not None:
            with variable_scope("projection"):
                if self._linear2 is None:
                    self._linear2 = Linear(new_m, self._num_proj, False)
                new_m = self._linear2(new_m)
        return new_m, LSTMStateTuple(new_c, new_m)

    def _group(self, index: int, x: Tensor, h: Tensor) -> Any:
        """The sums of a group."""
        with variable_scope(f"group{index}"):
            joined = concat([x, h], 1)
            if self._linear1[index] is None:
                units = self._num_units // self._number_of_groups
                self._linear1[index] = Linear(joined, 4 * units, False)
            return self._linear1[index](joined)
