"""Variables by an initial value, and which device variables are on."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.ops.array.fill import zeros
from dataflow.training.global_step import assert_global_step, get_global_step
from dataflow.values.devices import DeviceSpec
from dataflow.variables.variable import Variable


def local_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Any:
    """A variable of each session's own, which is not trained."""
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape,
        use_resource=use_resource,
        name=name,
    )


def global_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Any:
    """A variable that is not trained."""
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.GLOBAL_VARIABLES],
        validate_shape=validate_shape,
        use_resource=use_resource,
        name=name,
    )


def zero_initializer(ref: Any, use_locking: bool = True, name: str = "zero_initializer") -> Any:
    """An operation that sets a variable to zeros, without a tensor of them in the graph.

    Args:
      ref: The variable.
      use_locking: Not used.
      name: Name of the operations.
    """
    with scopes.name_scope(name):
        return ref.assign(zeros(ref.get_shape(), ref.dtype.base_dtype)).op


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    """The global step, which is checked.

    Args:
      graph: Where it is looked for; the default graph if None.
      global_step_tensor: The step; looked for if None.

    Raises:
      TypeError: It cannot be one.
    """
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


class VariableDeviceChooser:
    """A device function that puts variables on parameter servers, one after the other."""

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
        replica: int | None = None,
    ) -> None:
        """Takes the job.

        Args:
          num_tasks: How many tasks it has; 0 leaves variables on the program's own.
          job_name: Its name.
          device_type: Of the device of each.
          device_index: Its number.
          replica: In the device's name.
        """
        self._job_name = job_name
        self._device_type = device_type
        self._device_index = device_index
        self._replica = replica
        self._num_tasks = num_tasks
        self._next_task_id = 0

    def __call__(self, op: Any) -> str:
        device = DeviceSpec(
            replica=self._replica, device_type=self._device_type, device_index=self._device_index
        )
        if self._num_tasks > 0:
            task = self._next_task_id
            self._next_task_id = (task + 1) % self._num_tasks
            device = device.replace(job=self._job_name, task=task)
        return device.to_string()
