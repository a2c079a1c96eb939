"""Cells of tf.keras around a cell: with dropout, with the inputs added, or on a device."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from dataflow.keras.layers.recurrent.cells import AbstractRNNCell
from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object
from dataflow.library.rnn import dropout, wrappers

_FUNCTIONS = {"dropout_state_filter_visitor": "dropout_fn", "residual_fn": "residual_fn"}
"""Argument -> what it is called in a configuration."""


class _Around(AbstractRNNCell):
    """A cell that does with another what a wrapper of tf.nn.rnn_cell does.

    Args:
      cell: The other cell.
      *args: What the wrapper takes.
      **kwargs: The same by name, `name`, `dtype` and `trainable`.
    """

    _wrapper: ClassVar[Any]

    def __init__(self, cell: Any, *args: Any, **kwargs: Any) -> None:
        parameters = list(inspect.signature(self._wrapper.__init__).parameters)[2:]
        given = {**dict(zip(parameters, args, strict=False)), **kwargs}
        own = {key: value for key, value in given.items() if key in parameters and key != "kwargs"}
        of_layer = {key: value for key, value in given.items() if key not in parameters}
        if "dtype" in own:
            of_layer["dtype"] = own["dtype"]
        super().__init__(**of_layer)
        self.cell = cell
        self._own = own
        # Only its step is kept, since it is no layer of this one.
        self._step_around = self._wrapper(cell, **own)._step

    @property
    def state_size(self) -> Any:
        """The sizes of the cell's states."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The size of the cell's output."""
        return self.cell.output_size

    def build(self, inputs_shape: Any) -> None:
        """Makes the cell's variables."""
        self.cell.build(inputs_shape)
        self.built = True

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """The output of a step, and the states after it."""
        return self._step_around(inputs, state, self.cell.call, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments; of functions their names."""
        config = self._base_config()
        for name, parameter in list(inspect.signature(self._wrapper.__init__).parameters.items())[
            2:
        ]:
            value = self._own.get(name, parameter.default)
            if name in _FUNCTIONS:
                if value is not None:
                    told = _FUNCTIONS[name]
                    config |= {told: value.__name__, f"{told}_type": "function"}
                    config[f"{told}_module"] = value.__module__
            elif name not in ("kwargs", "dtype"):
                config[name] = value
        return {**config, "cell": serialize_keras_object(self.cell)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """The cell once more; functions are those of their names in `custom_objects`."""
        from dataflow.keras.layers import deserialize

        config = dict(config)
        cell = deserialize(config.pop("cell"), custom_objects)
        for name, told in _FUNCTIONS.items():
            if told in config:
                config.pop(f"{told}_type")
                config.pop(f"{told}_module", None)
                config[name] = deserialize_keras_object(
                    config.pop(told), None, custom_objects, "function in wrapper"
                )
        return cls(cell, **config)


class DropoutWrapper(_Around):
    """A cell some of whose inputs, states and outputs are zero; see `tf.nn.rnn_cell`."""

    _wrapper = dropout.DropoutWrapper


class ResidualWrapper(_Around):
    """A cell whose inputs are added to its outputs; see `tf.nn.rnn_cell`."""

    _wrapper = wrappers.ResidualWrapper


class DeviceWrapper(_Around):
    """A cell whose operations are on a device; see `tf.nn.rnn_cell`."""

    _wrapper = wrappers.DeviceWrapper
