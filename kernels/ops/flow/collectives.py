"""Kernels of collectives: what members have of each other, and members that are alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text

_MERGES = {"Add": "add", "Mul": "multiply", "Max": "maximum", "Min": "minimum"}


@kernel("_CollectiveJoin")
def collective_join(node: KernelNode, xp: Any) -> Callable[..., Any]:
    join, divides = node.attr("join").decode(), node.attr("divide")
    devices = [device.decode() for device in node.attr("devices")]
    if join == "Broadcast":
        return _broadcast(node)
    merge = getattr(xp, _MERGES[join]) if join in _MERGES else None

    def run(*values: Any) -> Any:
        _check_shapes(values, devices, node.attr("instance_key"))
        if merge is None:
            return xp.concatenate(values)
        total = reduce(merge, values)
        return _divided(total, len(values), xp) if divides else total

    return run


def _divided(total: Any, by: int, xp: Any) -> Any:
    """The quotient; of integers it is rounded towards 0."""
    if total.dtype.kind == "i":
        return xp.sign(total) * (xp.abs(total) // total.dtype.type(by))
    return total / total.dtype.type(by)


def _broadcast(node: KernelNode) -> Callable[..., Any]:
    declared = node.attr("shape")

    def run(value: Any) -> Any:
        if not declared.is_compatible_with(value.shape):
            raise invalid(
                f"Declared shape of op is {shape_text(tuple(declared.as_list()))} but shape of "
                f"input is {shape_text(value.shape)}"
            )
        return value

    return run


def _check_shapes(values: Sequence[Any], devices: Sequence[str], instance: int) -> None:
    for value, device in zip(values, devices, strict=True):
        if value.shape != values[-1].shape:
            raise invalid(
                f"Shape mismatch in the collective instance {instance}. Op at device {device} "
                f"expected shape {shape_text(value.shape)} but another member in the group "
                f"expected shape {shape_text(values[-1].shape)}. This is likely due to different "
                "input shapes at different members of the collective op."
            )


@kernel("CollectiveReduce")
@kernel("CollectiveGather")
@kernel("CollectiveBcastSend")
@kernel("CollectiveBcastRecv")
def member(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A member whose group could not be put together."""
    size, key, instance = (node.attr(name) for name in ("group_size", "group_key", "instance_key"))

    def run(*_: Any) -> Any:
        raise invalid(
            f"The collective group {key} has {size} members, each on a device of its own; not all "
            f"of them run in this step, in the same loop, for the instance {instance}."
        )

    return run
