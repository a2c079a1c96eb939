"""Cells: what a step makes of its input and the states before it."""

from __future__ import annotations

import inspect
from typing import Any

from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.layers.recurrent.masks import DropoutRNNCellMixin
from dataflow.values import nest
from dataflow.values.shapes import as_shape


def zero_states(state_size: Any, inputs: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros of the sizes of states."""
    if inputs is not None:
        batch_size, dtype = ops.shape(inputs)[0], inputs.dtype
    if batch_size is None or dtype is None:
        raise ValueError(
            "batch_size and dtype cannot be None while constructing initial state: "
            f"batch_size={batch_size}, dtype={dtype}"
        )

    def zeros(size: Any) -> Any:
        sizes = as_shape(size).as_list() if not isinstance(size, int) else [size]
        return ops.zeros(ops.stack([batch_size, *sizes]), dtype=dtype)

    if isinstance(state_size, (list, tuple)):
        return nest.map_structure(zeros, state_size)
    return zeros(state_size)


class AbstractRNNCell(Layer):
    """The base of a program's own cells: `call(inputs, states)`, `state_size`, `output_size`."""

    def call(self, inputs: Any, states: Any) -> Any:
        """The output of a step, and the states after it."""
        raise NotImplementedError("Abstract method")

    @property
    def state_size(self) -> Any:
        """The sizes of the states."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Zeros."""
        return zero_states(self.state_size, inputs, batch_size, dtype)


class GatedCell(DropoutRNNCellMixin, Layer):
    """Cells with one kernel for the inputs, one for the state, and a bias, for some gates."""

    _gates = 1
    units: int
    activation: Any
    use_bias: bool
    kernel_initializer: Any
    recurrent_initializer: Any
    bias_initializer: Any
    kernel_regularizer: Any
    recurrent_regularizer: Any
    bias_regularizer: Any
    kernel_constraint: Any
    recurrent_constraint: Any
    bias_constraint: Any

    def _settle(self) -> None:
        self.dropout = min(1.0, max(0.0, self.dropout))
        self.recurrent_dropout = min(1.0, max(0.0, self.recurrent_dropout))
        self.state_size: Any = self.units
        self.output_size = self.units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`."""
        width = self.units * self._gates
        inner = as_shape(input_shape).as_list()[-1]
        self.kernel = self._weight("kernel", "kernel", (inner, width))
        self.recurrent_kernel = self._weight("recurrent_kernel", "recurrent", (self.units, width))
        self.bias = self._weight("bias", "bias", self._bias_shape) if self.use_bias else None
        self.built = True

    @property
    def _bias_shape(self) -> tuple[int, ...]:
        return (self.units * self._gates,)

    def _weight(self, name: str, kind: str, shape: Any) -> Any:
        initializer = getattr(self, f"{kind}_initializer")
        return self.add_weight(
            name,
            shape,
            initializer=self._bias_start if name == "bias" else initializer,
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
        )

    @property
    def _bias_start(self) -> Any:
        return self.bias_initializer

    def _dropped(self, values: Any, kind: str, training: Any) -> list[Any]:
        """The values once for each gate, some of them zero in training."""
        masks = self._mask_of(kind, values, training, self._gates)
        if masks is None:
            return [values] * self._gates
        return [values * each for each in (masks if self._gates > 1 else [masks])]

    _gate_axis = -1

    def _products(self, inputs: list[Any], kernel: Any, bias: Any) -> list[Any]:
        """Each gate's inputs times its part of a kernel, plus its part of a bias."""
        recurrent = kernel is self.recurrent_kernel
        if all(each is inputs[0] for each in inputs):
            whole = self._product(inputs[0], kernel, bias, recurrent)
            return (
                ops.split(whole, self._gates, axis=self._gate_axis) if self._gates > 1 else [whole]
            )
        kernels = ops.split(kernel, self._gates, axis=-1)
        biases = [None] * self._gates if bias is None else ops.split(bias, self._gates, axis=0)
        return [
            self._product(each, part, own, recurrent)
            for each, part, own in zip(inputs, kernels, biases, strict=True)
        ]

    def _product(self, inputs: Any, kernel: Any, bias: Any, recurrent: bool) -> Any:
        product = ops.matmul(inputs, kernel)
        return product if bias is None else ops.bias_add(product, bias)

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Zeros."""
        return zero_states(self.state_size, inputs, batch_size, dtype)


class SimpleRNNCell(GatedCell):
    """`activation(inputs @ kernel + state @ recurrent_kernel + bias)`, which is the state, too."""

    @takes_arguments
    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._settle()

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        """The output of a step, and the state after it."""
        given = self._dropped(inputs, "dropout", training)
        before = self._dropped(states[0], "recurrent_dropout", training)
        total = self._products(given, self.kernel, self.bias)[0]
        total = total + ops.matmul(before[0], self.recurrent_kernel)
        output = self.activation(total)
        return output, [output]


class GRUCell(GatedCell):
    """Gated recurrent unit (Cho et al., 2014).

    With `reset_after`, the reset gate applies behind the recurrent product, which has a bias of
    its own: so do CuDNN's units.
    """

    _gates = 3
    recurrent_activation: Any
    implementation: int
    reset_after: bool

    @takes_arguments
    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._settle()

    @property
    def _bias_shape(self) -> tuple[int, ...]:
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def _biases(self) -> tuple[Any, Any]:
        """Those of the product with the inputs and of that with the state."""
        if self.use_bias and self.reset_after:
            first, second = ops.unstack(self.bias)
            return first, second
        return self.bias, None

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        """The output of a step, and the state after it."""
        state = states[0]
        given = self._dropped(inputs, "dropout", training)
        before = self._dropped(state, "recurrent_dropout", training)
        bias, recurrent_bias = self._biases()
        update, reset, new = self._products(given, self.kernel, bias)
        if self.reset_after:
            kernel = self.recurrent_kernel
            more = self._products(before, kernel, recurrent_bias)
            update = self.recurrent_activation(update + more[0])
            reset = self.recurrent_activation(reset + more[1])
            output = self.activation(new + reset * more[2])
        else:
            kernels = ops.split(ops.identity(self.recurrent_kernel), 3, axis=1)
            update = self.recurrent_activation(update + ops.matmul(before[0], kernels[0]))
            reset = self.recurrent_activation(reset + ops.matmul(before[1], kernels[1]))
            output = self.activation(new + ops.matmul(reset * before[2], kernels[2]))
        output = update * state + (1 - update) * output
        return output, [output]


class LSTMCell(GatedCell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): gates in the order i, f, c, o."""

    _gates = 4
    recurrent_activation: Any
    unit_forget_bias: bool
    implementation: int

    @takes_arguments
    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._settle()
        self.state_size = [self.units, self.units]

    @property
    def _bias_start(self) -> Any:
        if not self.unit_forget_bias:
            return self.bias_initializer
        return forget_bias_of(self.bias_initializer, self.units)

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        """The output of a step, and the states after it: output and memory."""
        given = self._dropped(inputs, "dropout", training)
        before = self._dropped(states[0], "recurrent_dropout", training)
        first = self._products(given, self.kernel, self.bias)
        second = self._products(before, self.recurrent_kernel, None)
        i, f, c, o = (one + two for one, two in zip(first, second, strict=True))
        memory = self._remember(i, f, c, states[1])
        output = self._tell(o, memory) * self.activation(memory)
        return output, [output, memory]

    def _remember(self, i: Any, f: Any, c: Any, memory: Any) -> Any:
        kept = self.recurrent_activation(f) * memory
        return kept + self.recurrent_activation(i) * self.activation(c)

    def _tell(self, o: Any, memory: Any) -> Any:
        return self.recurrent_activation(o)


def forget_bias_of(initializer: Any, units: int) -> Any:
    """Initial values of the bias of four gates: 1 for that of forgetting."""

    def start(shape: Any, dtype: Any = None, **_: Any) -> Any:
        return ops.concat(
            [
                initializer((units,), dtype=dtype),
                ops.ones((units,), dtype=dtype),
                initializer((units * 2,), dtype=dtype),
            ],
            axis=0,
        )

    return start


class PeepholeLSTMCell(LSTMCell):
    """LSTM whose gates see the memory (Gers and Schmidhuber, 2000)."""

    def build(self, input_shape: Any) -> None:
        """Makes the weights of the memory besides."""
        super().build(input_shape)
        self.input_gate_peephole_weights, self.forget_gate_peephole_weights, \
            self.output_gate_peephole_weights = (
                self.add_weight(f"{gate}_gate_peephole_weights", (self.units,),
                                initializer=self.kernel_initializer)
                for gate in ("input", "forget", "output")
            )  # fmt: skip

    def _remember(self, i: Any, f: Any, c: Any, memory: Any) -> Any:
        return super()._remember(
            i + self.input_gate_peephole_weights * memory,
            f + self.forget_gate_peephole_weights * memory,
            c,
            memory,
        )

    def _tell(self, o: Any, memory: Any) -> Any:
        return self.recurrent_activation(o + self.output_gate_peephole_weights * memory)


class StackedRNNCells(Layer):
    """Cells one above the other, as one."""

    cells: list[Any]

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        for each in cells:
            if not hasattr(each, "call"):
                raise ValueError("All cells must have a `call` method. received cells:", cells)
            if not hasattr(each, "state_size"):
                raise ValueError(
                    "All cells must have a `state_size` attribute. received cells:", cells
                )
        self.reverse_state_order = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def _in_order(self) -> list[Any]:
        return self.cells[::-1] if self.reverse_state_order else self.cells

    @property
    def state_size(self) -> Any:
        """Those of the cells."""
        return tuple(each.state_size for each in self._in_order)

    @property
    def output_size(self) -> Any:
        """That of the last cell."""
        return output_size_of(self.cells[-1])

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Those of the cells."""
        return tuple(initial_state_of(each, inputs, batch_size, dtype) for each in self._in_order)

    def build(self, input_shape: Any) -> None:
        """Builds the cells."""
        shape = as_shape(input_shape).as_list()
        for each in self.cells:
            if isinstance(each, Layer) and not each.built:
                each.build(tuple(shape))
                each.built = True
            shape = [shape[0], *as_shape(output_size_of(each)).as_list()]
        self.built = True

    def call(self, inputs: Any, states: Any, constants: Any = None, **kwargs: Any) -> Any:
        """The output of the last cell, and the states of all."""
        sizes = self.state_size
        nested = nest.pack_sequence_as(sizes, nest.flatten(states))
        if self.reverse_state_order:
            nested = nested[::-1]
        after = []
        for cell, state in zip(self.cells, nested, strict=True):
            inputs, state = step_of(cell, inputs, state, constants, kwargs)
            after.append(state)
        if self.reverse_state_order:
            after = after[::-1]
        return inputs, nest.pack_sequence_as(sizes, nest.flatten(after))

    def get_config(self) -> dict[str, Any]:
        """The cells."""
        from dataflow.keras.objects import serialize_keras_object

        return {**self._base_config(), "cells": [serialize_keras_object(c) for c in self.cells]}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """The cells once more."""
        from dataflow.keras.layers import deserialize

        config = dict(config)
        cells = [deserialize(each, custom_objects) for each in config.pop("cells")]
        return cls(cells, **config)


def output_size_of(cell: Any) -> Any:
    """The size of a cell's output."""
    if getattr(cell, "output_size", None) is not None:
        return cell.output_size
    size = cell.state_size
    return size[0] if isinstance(size, (list, tuple)) else size


def initial_state_of(cell: Any, inputs: Any, batch_size: Any, dtype: Any) -> Any:
    """The states of a cell before the first step."""
    made = getattr(cell, "get_initial_state", None)
    if made is not None:
        return made(inputs=inputs, batch_size=batch_size, dtype=dtype)
    if hasattr(cell, "zero_state"):
        return cell.zero_state(ops.shape(inputs)[0], inputs.dtype)
    return zero_states(cell.state_size, inputs, batch_size, dtype)


def step_of(cell: Any, inputs: Any, states: Any, constants: Any, more: dict[str, Any]) -> Any:
    """A cell's output and states of a step; cells of tf.nn take a single state as it is."""
    names = inspect.signature(cell.call).parameters
    any_name = any(each.kind is each.VAR_KEYWORD for each in names.values())
    kwargs = {key: value for key, value in more.items() if key in names or any_name}
    if constants is not None and "constants" in names:
        kwargs["constants"] = constants
    listed = list(states) if isinstance(states, (list, tuple)) else [states]
    if is_tf_cell(cell):
        output, after = cell(inputs, listed[0] if len(listed) == 1 else states)
        return output, after
    return cell.call(inputs, listed, **kwargs)


def is_tf_cell(cell: Any) -> bool:
    """Whether it is a cell of tf.nn.rnn_cell."""
    return hasattr(cell, "zero_state")
