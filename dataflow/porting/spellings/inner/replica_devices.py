"""tensorflow.python.distribute: names of devices, contexts of replicas, and values of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dataflow.control_flow.primitives import as_indexed_slices_list
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.scopes import device as _device
from dataflow.graph.scopes import get_default_graph
from dataflow.library.distribution.context import (
    ReplicaContext,
    get_replica_context,
    get_strategy,
    in_cross_replica_context,
)
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import logical_not
from dataflow.ops.math.rounding import is_finite
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.ops.reductions.sum import add_n
from dataflow.values.devices import DeviceSpec


def canonicalize(d: Any, default: Any = None) -> str:
    """A device's full name.

    Args:
      d: Its name, or a part of it.
      default: The name of a device that says what is not said; what neither says is replica 0,
        task 0 and the first CPU.
    """
    result = DeviceSpec(replica=0, task=0, device_type="CPU", device_index=0)
    for name in (default, d):
        if name:
            result = result.make_merged_spec(DeviceSpec.from_string(name))
    return result.to_string()


class _Asked:
    """Stands for an operation that is asked for its device."""

    def __init__(self) -> None:
        self.device = ""

    def _set_device(self, device: DeviceSpec) -> None:
        self.device = device.to_string()


def current() -> str:
    """The device of the scope that is open, as far as it is said."""
    asked = _Asked()
    get_default_graph()._apply_device_functions(asked)
    return asked.device


def resolve(d: Any) -> str:
    """A device's full name, with what the open scope says."""
    return canonicalize(d, current())


def get_host_for_device(device: Any) -> str:
    """The CPU of a device's task."""
    spec = DeviceSpec.from_string(device)
    return DeviceSpec(
        job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=0
    ).to_string()


def local_devices_from_num_gpus(num_gpus: int) -> tuple[str, ...]:
    """The names of so many GPUs, or that of the CPU if there are none."""
    return tuple(f"/device:GPU:{number}" for number in range(num_gpus)) or ("/device:CPU:0",)


def get_cross_replica_context() -> Any:
    """The strategy whose scope is open, outside of replicas; None inside of one."""
    return get_strategy() if in_cross_replica_context() else None


def get_strategy_and_replica_context() -> tuple[Any, ReplicaContext | None]:
    """The strategy that holds, and the replica whose code runs."""
    return get_strategy(), get_replica_context()


def require_replica_context(replica_ctx: ReplicaContext) -> None:
    """Checks that the code of a replica runs.

    Raises:
      RuntimeError: That of another runs, or of none.
    """
    found = get_replica_context()
    if found is replica_ctx:
        return
    if found is None:
        raise RuntimeError("Need to be inside `call_for_each_replica()`")
    if get_strategy() is replica_ctx.strategy:
        raise RuntimeError("Mismatching ReplicaContext.")
    raise RuntimeError(
        f"Mismatching tf.distribute.Strategy objects: {get_strategy()} is not "
        f"{replica_ctx.strategy}."
    )


def group_device_names(devices: Sequence[str], group_size: int) -> list[list[str]]:
    """Devices in groups of one size, dealt out in turn; some are in two if they do not suffice.

    Raises:
      ValueError: There are fewer than a group takes.
    """
    count = len(devices)
    if group_size > count:
        raise ValueError(f"only {count} devices, but group_size={group_size}")
    groups = -(-count // group_size)
    dealt = [devices[turn % count] for turn in range(groups * group_size)]
    return [dealt[first::groups] for first in range(groups)]


def aggregate_single_gradient_using_copy(
    grad_and_vars: Sequence[tuple[Any, Any]], use_mean: bool, check_inf_nan: bool
) -> tuple[tuple[Any, Any], Any]:
    """The sum or the mean of a variable's gradients, with the first of its variables.

    Args:
      grad_and_vars: A gradient and a variable of each device.
      use_mean: Whether the mean is meant.
      check_inf_nan: Whether the second result says if a gradient is not finite; else it is None.
    """
    grads = [grad for grad, _ in grad_and_vars]
    grad = add_n(grads)
    if use_mean and len(grads) > 1:
        grad = grad * (1.0 / len(grads))
    broken = logical_not(reduce_all(is_finite(grads))) if check_inf_nan else None
    return (grad, grad_and_vars[0][1]), broken


def aggregate_tensors_or_indexed_slices(
    values: Sequence[Any], accumulation_fn: Callable[[Any], Any] = add_n
) -> Any:
    """The sum of tensors, or of slices as slices one behind the other."""
    if not any(isinstance(each, IndexedSlices) for each in values):
        return accumulation_fn(values)
    slices = as_indexed_slices_list(list(values))
    return IndexedSlices(
        concat([each.values for each in slices], 0),
        concat([each.indices for each in slices], 0),
        slices[0].dense_shape,
    )


def divide_by_n_tensors_or_indexed_slices(value: Any, n: Any) -> Any:
    """A tensor, or the values of slices, over a number."""
    if isinstance(value, IndexedSlices):
        return IndexedSlices(value.values / n, value.indices, value.dense_shape)
    return value / n


def copy_tensor_or_indexed_slices_to_device(value: Any, device: Any) -> Any:
    """A tensor, or slices, on a device."""
    with _device(device):
        if not isinstance(value, IndexedSlices):
            return identity(value)
        shape = value.dense_shape
        return IndexedSlices(
            identity(value.values),
            identity(value.indices),
            None if shape is None else identity(shape),
        )


def extract_ranges(
    index_list: Sequence[int], range_size_limit: int = 32
) -> tuple[list[list[int]], list[int]]:
    """Ascending numbers as ranges `[first, last]`, and those that stand alone.

    Args:
      index_list: The numbers.
      range_size_limit: A range whose ends lie further apart takes no more.
    """
    runs: list[list[int]] = []
    for number in index_list:
        if runs and number == runs[-1][1] + 1 and runs[-1][1] - runs[-1][0] <= range_size_limit:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    ranges = [run for run in runs if run[1] > run[0]]
    return ranges, [first for first, last in runs if first == last]


def stitch_values(values_and_indices_list: Iterable[tuple[Any, Any]]) -> list[Any]:
    """The values of several lists, each at the place that is said for it."""
    placed = {
        place: value
        for values, places in values_and_indices_list
        if values
        for value, place in zip(values, places, strict=True)
    }
    return [placed[place] for place in range(len(placed))]
