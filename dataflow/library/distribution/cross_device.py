"""How values of several devices become one; of one replica there is one, which stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class CrossDeviceOps:
    """Gives each value that is reduced or broadcast as it is."""

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """The value."""
        return self.reduce_implementation(reduce_op, per_replica_value, destinations, options)

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any
    ) -> Any:
        """What `reduce` does; subclasses may do something else."""
        return per_replica_value

    def batch_reduce(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """The values."""
        return self.batch_reduce_implementation(reduce_op, value_destination_pairs, options)

    def batch_reduce_implementation(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any
    ) -> list[Any]:
        """What `batch_reduce` does; subclasses may do something else."""
        return [value for value, _ in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """The tensor."""
        return self.broadcast_implementation(tensor, destinations)

    def broadcast_implementation(self, tensor: Any, destinations: Any) -> Any:
        """What `broadcast` does; subclasses may do something else."""
        return tensor


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """See `CrossDeviceOps`."""

    def __init__(self, num_packs: int = 1) -> None:
        """Takes how many parts values are sent in, which is not used."""


class NcclAllReduce(CrossDeviceOps):
    """See `CrossDeviceOps`."""

    def __init__(self, num_packs: int = 1) -> None:
        """Takes how many parts values are sent in, which is not used."""


class ReductionToOneDevice(CrossDeviceOps):
    """See `CrossDeviceOps`."""

    def __init__(
        self, reduce_to_device: Any = None, accumulation_fn: Callable[..., Any] | None = None
    ) -> None:
        """Takes where values are added up, and how; neither is used."""
