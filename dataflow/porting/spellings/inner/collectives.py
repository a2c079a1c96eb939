"""tensorflow.python.ops.collective_ops: members on several devices have each other's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single


def all_reduce(
    t: Tensor,
    group_size: int,
    group_key: int,
    instance_key: int,
    merge_op: str,
    final_op: str,
    subdiv_offsets: Sequence[int] = (0,),
    communication_hint: str = "auto",
) -> Tensor:
    """The tensors of all members as one, for each of them.

    Members of a group run in one step, each on a device of its own, which may belong to other
    tasks.

    Args:
      t: This member's tensor, on the member's device.
      group_size: How many members there are.
      group_key: Says which members belong together.
      instance_key: Says which of a group's collectives this is.
      merge_op: "Add", "Mul", "Max" or "Min".
      final_op: "Id", or "Div" to divide by the number of members.
      subdiv_offsets: Where parts of the tensor begin; nothing depends on it.
      communication_hint: Nothing depends on it.

    Raises:
      ValueError: There are fewer than two members, or the tensor has no device.
    """
    _check(t.device, group_size, "all_reduce")
    return single(
        "CollectiveReduce",
        t,
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        merge_op=merge_op,
        final_op=final_op,
        subdiv_offsets=list(subdiv_offsets),
        communication_hint=communication_hint,
    )


def all_gather(
    t: Tensor,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
) -> Tensor:
    """The tensors of all members one after the other along the first dimension, for each of them.

    See `all_reduce` for the arguments.

    Raises:
      ValueError: There are fewer than two members, or the tensor has no device.
    """
    _check(t.device, group_size, "all_gather")
    return single(
        "CollectiveGather",
        t,
        shape=[0],
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        communication_hint=communication_hint,
    )


def broadcast_send(
    t: Any,
    shape: Any,
    dtype: Any,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
) -> Tensor:
    """Gives a tensor to the other members of a group, and has it itself.

    Args:
      t: The tensor.
      shape: Its shape.
      dtype: Its element type.
      group_size: How many members there are, with this one; see `all_reduce` for the others.
      group_key: Says which members belong together.
      instance_key: Says which of a group's collectives this is.
      communication_hint: Nothing depends on it.

    Raises:
      ValueError: There are fewer than two members, the tensor has no device, or is of another
        shape or type than said.
    """
    _check(t.device, group_size, "broadcast_send")
    if t.shape != shape:
        raise ValueError("Shape of broadcast_send tensor not equal to delcared shape")
    if t.dtype != dtype:
        raise ValueError("Type of broadcast_send tensor not equal to declared type")
    return single(
        "CollectiveBcastSend",
        t,
        shape=shape,
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        communication_hint=communication_hint,
    )


def broadcast_recv(
    shape: Any,
    dtype: Any,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
) -> Tensor:
    """The tensor that another member of a group sends.

    Args:
      shape: Its shape.
      dtype: Its element type.
      group_size: How many members there are; see `all_reduce` for the others.
      group_key: Says which members belong together.
      instance_key: Says which of a group's collectives this is.
      communication_hint: Nothing depends on it.

    Raises:
      ValueError: There are fewer than two members.
    """
    _check_size(group_size, "broadcast_send")
    return single(
        "CollectiveBcastRecv",
        shape=shape,
        T=dtype,
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        communication_hint=communication_hint,
    )


def _check(device: str, group_size: int, name: str) -> None:
    if not device:
        raise ValueError("Device assignment required for collective ops")
    _check_size(group_size, name)


def _check_size(group_size: int, name: str) -> None:
    if group_size <= 1:
        raise ValueError(f"Parameter group_size to {name} must be at least 2.")
