"""tensorflow.python.keras.layers.recurrent: arguments and first states of recurrent layers."""

from __future__ import annotations

from typing import Any

from dataflow.keras.layers.recurrent.cells import zero_states
from dataflow.values.shapes import TensorShape


def _standardize_args(
    inputs: Any, initial_state: Any, constants: Any, num_constants: int | None
) -> tuple[Any, list[Any] | None, list[Any] | None]:
    """Inputs, first states and constants, which may all come in one list of inputs.

    Args:
      inputs: A tensor, or a list of inputs, states and constants.
      initial_state: States, unless they are in the list.
      constants: Constants, unless they are in the list.
      num_constants: How many constants the list ends with.
    """
    if isinstance(inputs, list):
        assert initial_state is None and constants is None
        if num_constants:
            inputs, constants = inputs[:-num_constants], inputs[-num_constants:]
        initial_state = inputs[1:] or None
        inputs = inputs[0]
    return inputs, _listed(initial_state), _listed(constants)


def _listed(values: Any) -> list[Any] | None:
    if values is None or isinstance(values, list):
        return values
    return [*values] if isinstance(values, tuple) else [values]


def _is_multiple_state(state_size: Any) -> bool:
    """True of the sizes of several states."""
    return hasattr(state_size, "__len__") and not isinstance(state_size, TensorShape)


def _generate_zero_filled_state_for_cell(
    cell: Any, inputs: Any, batch_size: Any, dtype: Any
) -> Any:
    """Zeros for a cell's states, for as many sequences as there are inputs."""
    return zero_states(cell.state_size, inputs, batch_size, dtype)


def _generate_zero_filled_state(batch_size_tensor: Any, state_size: Any, dtype: Any) -> Any:
    """Zeros for states of these sizes."""
    return zero_states(state_size, None, batch_size_tensor, dtype)
