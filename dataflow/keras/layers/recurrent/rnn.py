"""RNN: a cell in a loop over the steps of sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.backend.questions import convert_shapes
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.engine.node import history_of
from dataflow.keras.layers.recurrent.cells import (
    StackedRNNCells,
    initial_state_of,
    is_tf_cell,
    output_size_of,
    step_of,
)
from dataflow.library.layers.input_spec import InputSpec
from dataflow.values import nest
from dataflow.values.shapes import TensorShape, as_shape


def of_layers(further: list[Any], whose: str) -> bool:
    """Whether states and constants are tensors of layers, which a model then begins with.

    Raises:
      ValueError: Some are, and others are not.
    """
    known = {history_of(each) is not None for each in further}
    if len(known) > 1:
        raise ValueError(
            f"The initial state or constants of a {whose} layer cannot be specified with a mix of "
            'Keras tensors and non-Keras tensors (a "Keras tensor" is a tensor that was returned '
            "by a Keras layer, or by `Input`)"
        )
    return known == {True}


def _given(initial_state: Any, constants: Any) -> dict[str, Any]:
    both = {"initial_state": initial_state, "constants": constants}
    return {name: value for name, value in both.items() if value is not None}


class RNN(Layer):
    """A cell, called for each step of sequences.

    Args:
      cell: A cell, or a list of them.
      return_sequences: Whether the outputs of all steps are given instead of the last one.
      return_state: Whether the states behind the last step are given, too.
      go_backwards: Whether the last step comes first.
      stateful: Whether a batch goes on with the states of the one before it.
      unroll: Whether there are operations for each step instead of a loop.
      time_major: Whether the steps come before the batch.
      **kwargs: See `Layer`.

    Raises:
      ValueError: The cell has no `call` or no `state_size`.
    """

    _input_rank = 3

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call"):
            raise ValueError(f"`cell` should have a `call` method. The RNN was passed: {cell}")
        if not hasattr(cell, "state_size"):
            raise ValueError(
                "The RNN cell should have an attribute `state_size` (tuple of integers, one "
                "integer per RNN state)."
            )
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        if "input_shape" not in kwargs and ("input_dim" in kwargs or "input_length" in kwargs):
            kwargs["input_shape"] = (
                kwargs.pop("input_length", None), kwargs.pop("input_dim", None)
            )  # fmt: skip
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = go_backwards, stateful
        self.unroll, self.time_major = unroll, time_major
        self.supports_masking = True
        self._states: Any = None
        self.state_spec: Any = None
        self._num_constants = 0

    @property
    def states(self) -> Any:
        """The states that a batch goes on with."""
        if self._states is None:
            return [None] * len(nest.flatten(self.cell.state_size))
        return list(self._states)

    def build(self, input_shape: Any) -> None:
        """Builds the cell, and the variables of states that are kept."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        shapes = convert_shapes(input_shape, to_tuples=False)
        self._input_shape_known = nest.flatten(shapes)[0].as_list()
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build(nest.map_structure(self._without_steps, shapes))
            self.cell.built = True
        self._check_states()
        if self.stateful and self._states is None:
            self.reset_states()
        self.built = True

    def _without_steps(self, shape: TensorShape) -> TensorShape:
        """The shape of what a cell gets."""
        first, second, *inner = shape.as_list()
        return TensorShape([second if self.time_major else first, *inner])

    def _check_states(self) -> None:
        """Raises ValueError unless the states that were given have the sizes of the cell's."""
        inner = self._input_shape_known[2:]
        shapes = [[None, *self._sizes(each, inner)] for each in nest.flatten(self.cell.state_size)]
        if self.state_spec is None:
            self.state_spec = [InputSpec(shape=each) for each in shapes]
            return
        specs = nest.flatten(self.state_spec)
        if len(specs) != len(shapes) or not all(
            TensorShape(spec.shape)[1:].is_compatible_with(shape[1:])
            for spec, shape in zip(specs, shapes, strict=True)
        ):
            raise ValueError(
                "An `initial_state` was passed that is not compatible with `cell.state_size`. "
                f"Received `state_spec`={self.state_spec}; however `cell.state_size` is "
                f"{self.cell.state_size}"
            )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output, and those of states if they are given."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        first, second, *inner = _first_shape(input_shape).as_list()
        batch, steps = (second, first) if self.time_major else (first, second)
        ends = [steps, batch] if self.time_major else [batch, steps]
        before = ends if self.return_sequences else [batch]
        outputs = [
            TensorShape([*before, *self._sizes(each, inner)])
            for each in nest.flatten(output_size_of(self.cell))
        ]
        if not self.return_state:
            return outputs[0] if len(outputs) == 1 else outputs
        states = nest.flatten(self.cell.state_size)
        return [*outputs, *(TensorShape([batch, *self._sizes(each, inner)]) for each in states)]

    def _sizes(self, size: Any, inner: list[Any]) -> list[Any]:
        """The dimensions of an output or state of some size, for steps of some dimensions."""
        return as_shape(size).as_list()

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the steps, if they are given."""
        known = nest.flatten(mask)[0] if mask is not None else None
        output = known if self.return_sequences else None
        if not self.return_state:
            return output
        return [output, *[None] * len(self.states)]

    def get_initial_state(self, inputs: Any) -> Any:
        """The states before the first step."""
        first = nest.flatten(inputs)[0]
        if self.time_major:
            first = ops.transpose(first, [1, 0, *range(2, first.shape.rank)])
        made = initial_state_of(self.cell, first[:, 0], None, None)
        return (
            list(made) if isinstance(made, (list, tuple)) and not is_tf_cell(self.cell) else [made]
        )

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        """The outputs of sequences.

        Args:
          inputs: (batch, steps, ...), or a list of it, the initial states and the constants.
          initial_state: The states before the first step.
          constants: Tensors that the cell gets at each step.
          **kwargs: `mask`, `training`.
        """
        if isinstance(inputs, list) and initial_state is None and constants is None:
            inputs = list(inputs)
            if self._num_constants:
                constants = inputs[-self._num_constants :]
                inputs = inputs[: -self._num_constants]
            initial_state = inputs[1:] or None
            inputs = inputs[0]
        if initial_state is not None:
            self.state_spec = nest.map_structure(
                lambda each: InputSpec(shape=K.int_shape(each)), initial_state
            )
        if constants is not None:
            self._num_constants = len(nest.flatten(constants))
        further = [
            part
            for each in (initial_state, constants)
            if each is not None
            for part in nest.flatten(each)
        ]
        if not of_layers(further, type(self).__name__):
            return super().__call__(inputs, **kwargs, **_given(initial_state, constants))
        spec, self.input_spec = self.input_spec, None
        try:
            return super().__call__([inputs, *further], **kwargs)
        finally:
            self.input_spec = spec

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        """The output of the last step or of all, and the states if they are wanted."""
        if isinstance(inputs, list):
            inputs, *further = inputs
            if self._num_constants:
                constants = further[-self._num_constants :]
                further = further[: -self._num_constants]
            initial_state = further or initial_state
        mask = nest.flatten(mask)[0] if mask is not None else None
        if self.unroll and nest.flatten(inputs)[0].shape.as_list()[not self.time_major] is None:
            raise ValueError(
                "Cannot unroll a RNN if the time dimension is undefined. \n- If using a Sequential "
                "model, specify the time dimension by passing an `input_shape` or "
                "`batch_input_shape` argument to your first layer. If your first layer is an "
                "Embedding, you can also use the `input_length` argument.\n- If using the "
                "functional API, specify the time dimension by passing a `shape` or `batch_shape` "
                "argument to your Input layer."
            )
        initial_state = self._started(inputs, initial_state)
        for reset in ("reset_dropout_mask", "reset_recurrent_dropout_mask"):
            for each in getattr(self.cell, "cells", [self.cell]):
                getattr(each, reset, lambda: None)()
        constants = None if constants is None else nest.flatten(constants)
        count = len(constants or ())

        def step(given: Any, states: Any) -> Any:
            kept = states[-count:] if count else None
            own = states[:-count] if count else states
            if is_tf_cell(self.cell):
                own = own[0] if len(own) == 1 else own
            more = {"training": training} if training is not None else {}
            output, after = step_of(self.cell, given, own, kept, more)
            if not isinstance(after, (list, tuple)) or is_tf_cell(self.cell):
                after = [after]
            return output, after

        last, outputs, states = K.rnn(
            step,
            inputs,
            initial_state,
            constants=constants,
            go_backwards=self.go_backwards,
            mask=mask,
            unroll=self.unroll,
            time_major=self.time_major,
            zero_output_for_mask=self.zero_output_for_mask,
        )
        if self.stateful:
            self.add_update(
                [
                    ops.assign(kept, state)
                    for kept, state in zip(self._states, nest.flatten(states), strict=True)
                ]
            )
        output = outputs if self.return_sequences else last
        if not self.return_state:
            return output
        return [*(output if isinstance(output, list) else [output]), *states]

    def _started(self, inputs: Any, initial_state: Any) -> Any:
        if initial_state is not None:
            sizes = self.cell.state_size
            if isinstance(sizes, (list, tuple)) and any(
                isinstance(each, (list, tuple)) for each in sizes
            ):
                return nest.pack_sequence_as(list(sizes), nest.flatten(initial_state))
            return list(nest.flatten(initial_state))
        if self.stateful:
            kept = [ops.identity(each) for each in self._states]
            sizes = self.cell.state_size
            nested = isinstance(sizes, (list, tuple))
            return nest.pack_sequence_as(list(sizes), kept) if nested else kept
        return self.get_initial_state(inputs)

    def reset_states(self, states: Any = None) -> None:
        """Sets the states that are kept to zero, or to some values.

        Raises:
          AttributeError: The layer keeps none.
          ValueError: The size of the batch is not known, or the values do not fit.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        sizes = nest.flatten(self.cell.state_size)
        known: Any = getattr(self, "_input_shape_known", None)
        batch = known[1 if self.time_major else 0] if known else None
        if not batch:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size. Specify the batch size of "
                "your input tensors: \n- If using a Sequential model, specify the batch size by "
                "passing a `batch_input_shape` argument to your first layer.\n- If using the "
                "functional API, specify the batch size by passing a `batch_shape` argument to "
                "your Input layer."
            )
        shapes = [[batch, *self._sizes(each, known[2:])] for each in sizes]
        if self._states is None:
            made = [K.zeros(shape) for shape in shapes]
            object.__setattr__(self, "_states", made)
        elif states is None:
            K.batch_set_value([(k, np.zeros(s)) for k, s in zip(self._states, shapes, strict=True)])
        if states is not None:
            K.batch_set_value(self._fitting(nest.flatten(states), shapes))

    def _fitting(self, values: list[Any], shapes: list[Any]) -> list[tuple[Any, Any]]:
        """The states, each with the value that it is to have."""
        if len(values) != len(shapes):
            raise ValueError(
                f"Layer {self.name} expects {len(shapes)} states, but it received {len(values)} "
                f"state values. Input received: {values}"
            )
        for place, (value, shape) in enumerate(zip(values, shapes, strict=True)):
            if list(np.shape(value)) != shape:
                raise ValueError(
                    f"State {place} is incompatible with layer {self.name}: expected "
                    f"shape={tuple(shape)}, found shape={np.shape(value)}"
                )
        return list(zip(self._states, values, strict=True))

    def get_config(self) -> dict[str, Any]:
        """The cell and the arguments."""
        from dataflow.keras.objects import serialize_keras_object

        config = {**self._base_config(), **self._loop_config()}
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = True
        return {**config, "cell": serialize_keras_object(self.cell)}

    def _loop_config(self) -> dict[str, Any]:
        names = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll",
                 "time_major")  # fmt: skip
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """The layer once more."""
        from dataflow.keras.layers import deserialize

        config = dict(config)
        cell = deserialize(config.pop("cell"), custom_objects)
        constants = config.pop("num_constants", 0)
        layer = cls(cell, **config)
        layer._num_constants = constants
        return layer


def _first_shape(shapes: Any) -> TensorShape:
    """The first shape of a structure of them."""
    try:
        return as_shape(shapes)
    except (TypeError, ValueError):
        return _first_shape(next(iter(shapes.values() if isinstance(shapes, dict) else shapes)))
