"""Cells around a cell: projections, embeddings, highways, compilation."""

from __future__ import annotations

import math
from typing import Any

from dataflow.contrib.rnn.linear import Linear
from dataflow.contrib.rnn.parts import input_size
from dataflow.graph.scopes import device, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.embedding import embedding_lookup
from dataflow.library.rnn.cell import RNNCell, assert_like_rnncell
from dataflow.ops.array.shape import reshape
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.bias import xw_plus_b
from dataflow.values import nest
from dataflow.variables.initializers import Constant, RandomUniform
from dataflow.variables.scope import get_variable


class _Around(RNNCell):
    """A cell with the state and the outputs of another."""

    def __init__(self, cell: Any, reuse: Any = None) -> None:
        super().__init__(_reuse=reuse)
        assert_like_rnncell("cell", cell)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        """Size of the cell's state."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """Size of the cell's outputs."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's state of zeros."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return self._cell.zero_state(batch_size, dtype)


class InputProjectionWrapper(_Around):
    """A cell whose inputs are projected.

    Args:
      cell: An `RNNCell`.
      num_proj: Size of what the cell sees.
      activation: Of the projection; None for none.
      input_size: Not used.
      reuse: Whether variables that exist in the cell's scope are shared.

    Raises:
      TypeError: `cell` is no cell.
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Any = None,
        input_size: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        self._num_proj = num_proj
        self._activation = activation
        self._linear: Any = None

    def call(self, inputs: Any, state: Any) -> Any:
        """The cell's outputs and new state."""
        if self._linear is None:
            self._linear = Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        if self._activation:
            projected = self._activation(projected)
        return self._cell(projected, state)


class OutputProjectionWrapper(_Around):
    """A cell whose outputs are projected.

    Args:
      cell: An `RNNCell`.
      output_size: Size of the projection.
      activation: Of the projection; None for none.
      reuse: Whether variables that exist in the cell's scope are shared.

    Raises:
      TypeError: `cell` is no cell.
      ValueError: `output_size` is not positive.
    """

    def __init__(
        self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = activation
        self._linear: Any = None

    @property
    def output_size(self) -> Any:
        """Size of the projection."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """The projected outputs and the new state."""
        outputs, new_state = self._cell(inputs, state)
        if self._linear is None:
            self._linear = Linear(outputs, self._output_size, True)
        projected = self._linear(outputs)
        if self._activation:
            projected = self._activation(projected)
        return projected, new_state


class EmbeddingWrapper(_Around):
    """A cell whose inputs are tokens, int [batch] or [batch, 1].

    Args:
      cell: An `RNNCell`.
      embedding_classes: Number of tokens.
      embedding_size: Size of a token's vector.
      initializer: Initial value of the vectors; the variable scope's default if None, or uniform
        with variance 1 if it has none.
      reuse: Whether variables that exist in the cell's scope are shared.

    Raises:
      TypeError: `cell` is no cell.
      ValueError: A number is not positive.
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._embedding_classes = embedding_classes
        self._embedding_size = embedding_size
        self._initializer = initializer

    def call(self, inputs: Any, state: Any) -> Any:
        """The cell's outputs and new state."""
        with device("/cpu:0"):
            start = self._initializer or get_variable_scope().initializer
            if start is None:
                start = RandomUniform(-math.sqrt(3), math.sqrt(3))
            embedding = get_variable(
                "embedding",
                [self._embedding_classes, self._embedding_size],
                initializer=start,
                dtype=nest.flatten(state)[0].dtype,
            )
            embedded = embedding_lookup(embedding, reshape(inputs, [-1]))
        return self._cell(embedded, state)


class HighwayWrapper(_Around):
    """A cell whose outputs are mixed with its inputs by a gate (Srivastava et al., 2015).

    Args:
      cell: An `RNNCell`.
      couple_carry_transform_gates: Whether what is not carried is what is transformed.
      carry_bias_init: Initial bias of the gate of what is carried; the other's is its negative.

    Raises:
      TypeError: `cell` is no cell.
    """

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__(cell)
        self._couple_carry_transform_gates = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The mixed outputs and the new state; `scope` is the cell's.

        Raises:
          TypeError: Inputs and outputs are different structures.
          ValueError: They have different shapes.
        """
        outputs, new_state = self._cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        for one, other in zip(nest.flatten(inputs), nest.flatten(outputs), strict=True):
            one.shape.assert_is_compatible_with(other.shape)
        return nest.map_structure(self._highway, inputs, outputs), new_state

    def _highway(self, inputs: Tensor, outputs: Tensor) -> Any:
        carried: Any = sigmoid(self._gate("carry", inputs, self._carry_bias_init))
        if self._couple_carry_transform_gates:
            transformed = 1 - carried
        else:
            transformed = sigmoid(self._gate("transform", inputs, -self._carry_bias_init))
        return inputs * carried + outputs * transformed

    def _gate(self, name: str, inputs: Tensor, bias: float) -> Any:
        size = input_size(inputs)
        return xw_plus_b(
            inputs,
            get_variable(f"{name}_w", [size, size]),
            get_variable(f"{name}_b", [size], initializer=Constant(bias)),
        )


class CompiledWrapper(_Around):
    """A cell that TensorFlow would compile; here it runs as it is.

    Args:
      cell: An `RNNCell`.
      compile_stateful: Not used.

    Raises:
      TypeError: `cell` is no cell.
    """

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        super().__init__(cell)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The cell's outputs and new state."""
        return self._cell(inputs, state, scope=scope)
