"""What a cluster takes of Ray's processors, told to Ray: others see it, and are placed elsewhere.

Devices would wait without end for processors that nobody gives back. So they ask for none; beside
them stands a placement group for each machine, of what is free there, and where nothing is free
they share what others have reserved, which the log says.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from ray.util.placement_group import placement_group, remove_placement_group

from dataflow.actors.ray.cluster.machines import Placement
from dataflow.proto.config_pb2 import ConfigProto

_LOGGER = logging.getLogger("dataflow")

_PATIENCE: Final = 1.0
"""Seconds that Ray may take to set aside what it has just called free."""


class Reservation:
    """Processors that are set aside for the devices of a cluster, machine by machine."""

    def __init__(self, cluster: str, placements: Sequence[Placement], config: ConfigProto) -> None:
        """Asks Ray for processors that are free; does not wait for them.

        That is `intra_op_parallelism_threads` for each CPU device. If the options do not say, it is
        one for each, and the last one that is free is left to tasks of the program.
        """
        self._groups: list[tuple[Any, str, int]] = []
        self._short: list[str] = []
        threads = config.intra_op_parallelism_threads
        devices: dict[str, int] = {}
        machines = {placement.machine.node_id: placement.machine for placement in placements}
        for placement in placements:
            node = placement.machine.node_id
            devices[node] = devices.get(node, 0) + placement.cpus
        for machine, count in devices.items():
            there = machines[machine]
            wanted = count * (threads or 1)
            free = there.free_cpus - (0 if threads else 1)
            cpus = max(0, min(wanted, free))
            if cpus < wanted:
                self._short.append(f"{cpus} of {wanted} on {there.address}")
            if cpus:
                group = placement_group(
                    [{"CPU": cpus}],
                    strategy="STRICT_PACK",
                    name=f"{cluster} on {there.address}",
                    _soft_target_node_id=machine,
                )
                self._groups.append((group, there.address, cpus))

    def settle(self) -> None:
        """Gives up what Ray has not set aside by now, as others were faster; and tells of it."""
        kept = []
        for group, address, cpus in self._groups:
            if group.wait(_PATIENCE):
                kept.append((group, address, cpus))
            else:
                remove_placement_group(group)
                self._short.append(f"0 of {cpus} on {address}")
        self._groups = kept
        if self._short:
            _LOGGER.info(
                "Of Ray's processors there were free for this session: %s. It shares the others "
                "with who has reserved them.",
                ", ".join(self._short),
            )

    def end(self) -> None:
        """Gives back what was set aside; a second call does nothing."""
        groups, self._groups = self._groups, []
        for group, _, _ in groups:
            try:
                remove_placement_group(group)
            except Exception as error:
                _LOGGER.debug("A Ray that was shut down has nothing set aside: %s", error)
