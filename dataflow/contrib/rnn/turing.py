"""NTMCell: a neural Turing machine (Graves et al., 2014, arXiv:1410.5401; arXiv:1807.08518)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from dataflow.control_flow.cond import cond
from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_value
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.cell import SizedCell, assert_like_rnncell
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import shape, squeeze
from dataflow.ops.array.split import split
from dataflow.ops.array.transpose import reverse
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.compare import equal
from dataflow.ops.math.power import pow as power
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.math.unary import exp, sqrt, square
from dataflow.ops.nn.activation import softplus
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, dimension_value
from dataflow.variables.initializers import Constant, TruncatedNormal
from dataflow.variables.scaled_initializers import GlorotUniform


class NTMControllerState(NamedTuple):
    """The state of an `NTMCell`."""

    controller_state: Any
    read_vector_list: Any
    w_list: Any
    M: Any
    time: Any


class NTMCell(SizedCell):
    """A cell that reads and writes the rows of a memory, which it addresses by content and place.

    Args:
      controller: The cell that says what is read and written.
      memory_size: Number of rows of the memory.
      memory_vector_dim: Size of a row.
      read_head_num: How many rows are read at a time.
      write_head_num: How many are written.
      shift_range: How far an address may move in a step.
      output_dim: Size of the outputs; that of the inputs if None.
      clip_value: The largest magnitude of outputs, and of what the controller says.
      dtype: Element type of the variables.
      name: Name of the cell and of its variable scope.

    Raises:
      TypeError: The controller is no cell.
    """

    def __init__(
        self,
        controller: Any,
        memory_size: int,
        memory_vector_dim: int,
        read_head_num: int,
        write_head_num: int,
        shift_range: int = 1,
        output_dim: int | None = None,
        clip_value: float = 20,
        dtype: Any = dtypes.float32,
        name: Any = None,
    ) -> None:
        super().__init__(None, None, None, name, dtype)
        assert_like_rnncell("NTM RNN controller cell", controller)
        self.controller = controller
        self.memory_size = memory_size
        self.memory_vector_dim = memory_vector_dim
        self.read_head_num = read_head_num
        self.write_head_num = write_head_num
        self.clip_value = clip_value
        self.output_dim = output_dim
        self.shift_range = shift_range
        self.num_parameters_per_head = memory_vector_dim + 2 * shift_range + 4
        self.num_heads = read_head_num + write_head_num
        self.total_parameter_num = (
            self.num_parameters_per_head * self.num_heads + memory_vector_dim * 2 * write_head_num
        )

    @property
    def state_size(self) -> Any:
        """An `NTMControllerState` of sizes."""
        return NTMControllerState(
            self.controller.state_size,
            [self.memory_vector_dim] * self.read_head_num,
            [self.memory_size] * self.num_heads,
            TensorShape([self.memory_size * self.memory_vector_dim]),
            TensorShape([]),
        )

    @property
    def output_size(self) -> Any:
        """Size of the outputs; None before the first call, unless it was given."""
        return self.output_dim

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state of which the first step makes the initial one."""
        rows, size = self.memory_size, self.memory_vector_dim
        return NTMControllerState(
            self.controller.zero_state(batch_size, dtype),
            [zeros([batch_size, size]) for _ in range(self.read_head_num)],
            [zeros([batch_size, rows]) for _ in range(self.num_heads)],
            zeros([batch_size, rows, size]),
            0,
        )

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables.

        Raises:
          ValueError: The size of the inputs is unknown, and no other is given for the outputs.
        """
        if self.output_dim is None:
            self.output_dim = self._self_input_size(inputs_shape)
        said = self.controller.output_size
        read = said + self.memory_vector_dim * self.read_head_num
        self._parameters_kernel, self._parameters_bias = self._linear(
            "parameters", said, self.total_parameter_num
        )
        self._output_kernel, self._output_bias = self._linear("output", read, self.output_dim)
        self._init_read_vectors = [
            self._start(f"initial_read_vector_{index}", self.memory_vector_dim)
            for index in range(self.read_head_num)
        ]
        self._init_address_weights = [
            self._start(f"initial_address_weights_{index}", self.memory_size)
            for index in range(self.num_heads)
        ]
        sizes = [self.memory_size, self.memory_vector_dim]
        self._M = self.add_weight("memory", sizes, initializer=Constant(1e-6))
        self.built = True

    def _linear(self, name: str, rows: int, columns: Any) -> tuple[Any, Any]:
        start = TruncatedNormal(stddev=1.0 / math.sqrt(rows))
        kernel = self.add_weight(f"{name}_kernel", [rows, columns], initializer=start)
        return kernel, self.add_weight(f"{name}_bias", [columns], initializer=ZEROS)

    def _start(self, name: str, size: int) -> Any:
        return self.add_weight(name, [1, size], initializer=GlorotUniform())

    def call(self, x: Any, prev_state: Any) -> tuple[Any, Any]:
        """Outputs and new state."""
        static = dimension_value(x.shape[0])
        batch = shape(x)[0] if static is None else static
        is_first = equal(prev_state.time, 0)

        def initially(values: Sequence[Any], otherwise: Sequence[Any]) -> list[Any]:
            """One for each of the batch of the values, in the first step."""
            if not values:
                return []

            def repeated() -> list[Any]:
                return [tile(value[None], [batch] + [1] * value.shape.rank) for value in values]

            found = cond(is_first, repeated, lambda: list(otherwise))
            return found if isinstance(found, list) else [found]

        vectors = [tanh(each[0]) for each in self._init_read_vectors]
        addresses = [softmax(each[0]) for each in self._init_address_weights]
        read_before = initially(vectors, prev_state.read_vector_list)
        said, controller_state = self.controller(
            concat([x, *read_before], 1), prev_state.controller_state
        )
        heads, changes = self._parameters(said)
        at_before = initially(addresses, prev_state.w_list)
        (memory,) = initially([self._M], [prev_state.M])
        at = [
            self._address(head, memory, before)
            for head, before in zip(heads, at_before, strict=True)
        ]
        read = [
            reduce_sum(place[:, :, None] * memory, axis=1) for place in at[: self.read_head_num]
        ]
        for index, place in enumerate(at[self.read_head_num :]):
            erased, added = changes[2 * index : 2 * index + 2]
            column = place[:, :, None]
            memory = memory * (1 - matmul(column, sigmoid(erased)[:, None]))
            memory = memory + matmul(column, tanh(added)[:, None])
        output = matmul(concat([said, *read], 1), self._output_kernel)
        output = self._clipped(bias_add(output, self._output_bias))
        time = prev_state.time + 1
        return output, NTMControllerState(controller_state, read, at, memory, time)

    def _clipped(self, values: Tensor) -> Tensor:
        limited: Tensor = clip_by_value(values, -self.clip_value, self.clip_value)
        return limited

    def _parameters(self, said: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        """What the controller says to each head, and what those that write erase and add."""
        sums = bias_add(matmul(said, self._parameters_kernel), self._parameters_bias)
        parameters = self._clipped(sums)
        of_heads = self.num_parameters_per_head * self.num_heads
        heads = split(parameters[:, :of_heads], self.num_heads, axis=1)
        if not self.write_head_num:
            return heads, []
        return heads, split(parameters[:, of_heads:], 2 * self.write_head_num, axis=1)

    def _address(self, said: Tensor, memory: Tensor, before: Tensor) -> Tensor:
        """How much of each row a head takes, [batch, memory_size] (section 3.3 of the paper)."""
        size, reach, rows = self.memory_vector_dim, self.shift_range, self.memory_size
        key = tanh(said[:, :size])[:, :, None]
        strength = softplus(said[:, size])[:, None]
        gate = sigmoid(said[:, size + 1])[:, None]
        shifts = softmax(said[:, size + 2 : size + 2 * reach + 3])
        sharpness = (softplus(said[:, -1]) + 1)[:, None]
        lengths = [
            sqrt(reduce_sum(square(memory), axis=2, keepdims=True)),
            sqrt(reduce_sum(square(key), axis=1, keepdims=True)),
        ]
        likeness = squeeze(matmul(memory, key) / (lengths[0] * lengths[1] + 1e-8), [2])
        amplified = exp(strength * likeness)
        by_content = amplified / reduce_sum(amplified, axis=1, keepdims=True)
        gated = gate * by_content + (1 - gate) * before
        batch = dimension_value(shifts.shape[0])
        gap = zeros([shape(shifts)[0] if batch is None else batch, rows - 2 * reach - 1])
        turned = reverse(concat([shifts[:, : reach + 1], gap, shifts[:, reach + 1 :]], 1), [1])
        twice = concat([turned, turned], 1)
        moves = stack([twice[:, rows - row - 1 : 2 * rows - row - 1] for row in range(rows)], 1)
        sharpened = power(reduce_sum(gated[:, None] * moves, axis=2), sharpness)
        return sharpened / reduce_sum(sharpened, axis=1, keepdims=True)
