"""Cells around a cell: its outputs with its inputs added, and its operations on a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph import scopes
from dataflow.library.layers.arguments import told
from dataflow.library.rnn.cell import RNNCell, assert_like_rnncell
from dataflow.values import nest
from dataflow.variables.tracked import is_trackable


class RNNCellWrapper(RNNCell):
    """A cell that calls another; subclasses override `_step`.

    Args:
      cell: The other cell.
      **kwargs: See `RNNCell`.

    Raises:
      TypeError: `cell` is no cell.
    """

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        assert_like_rnncell("cell", cell)
        self.cell = cell
        if is_trackable(cell):
            self._track_trackable(cell, "cell")

    def get_config(self) -> dict[str, Any]:
        """The arguments: of the cell its class and arguments, functions as they are."""
        own = {name: getattr(self, f"_{name}") for name in self._arguments}
        return {**super().get_config(), **own, "cell": told(self.cell)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A wrapper of what `get_config` gave, with a cell in the place of what it tells of one.

        Raises:
          ValueError: There is no cell.
        """
        try:
            assert_like_rnncell("cell", config["cell"])
        except TypeError as error:
            raise ValueError(
                "RNNCellWrapper cannot reconstruct the wrapped cell. Please overwrite the cell in "
                "the config with a RNNCell instance."
            ) from error
        return cls(**config)

    @property
    def state_size(self) -> Any:
        """Size of the cell's state."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """Size of the cell's outputs."""
        return self.cell.output_size

    def build(self, inputs_shape: Any) -> None:
        """Makes the cell's variables."""
        self.cell.build(inputs_shape)
        self.built = True

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's state of zeros."""
        with scopes.name_scope(f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """One step; `scope` is the cell's."""
        return self._step(inputs, state, self.cell.__call__, scope=scope)

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        """One step by the cell's own `call`."""
        return self._step(inputs, state, self.cell.call, **kwargs)

    def _step(
        self, inputs: Any, state: Any, step: Callable[..., Any], **kwargs: Any
    ) -> tuple[Any, Any]:
        """Outputs and next state; `step` calls the cell."""
        raise NotImplementedError


class ResidualWrapper(RNNCellWrapper):
    """A cell whose inputs are added to its outputs.

    Args:
      cell: The cell.
      residual_fn: Makes the outputs of the cell's inputs and outputs, in place of the sum.
      **kwargs: See `RNNCell`.
    """

    _arguments = ("residual_fn",)

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _step(
        self, inputs: Any, state: Any, step: Callable[..., Any], **kwargs: Any
    ) -> tuple[Any, Any]:
        outputs, new_state = step(inputs, state, **kwargs)
        return (self._residual_fn or _sums)(inputs, outputs), new_state


def _sums(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    for one, other in zip(nest.flatten(inputs), nest.flatten(outputs), strict=True):
        one.shape.assert_is_compatible_with(other.shape)
    return nest.map_structure(lambda one, other: one + other, inputs, outputs)


class DeviceWrapper(RNNCellWrapper):
    """A cell whose operations are on a device.

    Args:
      cell: The cell.
      device: What `tf.device` takes.
      **kwargs: See `RNNCell`.
    """

    _arguments = ("device",)

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's state of zeros, on the device."""
        with (
            scopes.name_scope(f"{type(self).__name__}ZeroState"),
            scopes.device(self._device),
        ):
            return self.cell.zero_state(batch_size, dtype)

    def _step(
        self, inputs: Any, state: Any, step: Callable[..., Any], **kwargs: Any
    ) -> tuple[Any, Any]:
        with scopes.device(self._device):
            return step(inputs, state, **kwargs)  # type: ignore[no-any-return]
