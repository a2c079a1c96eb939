"""Actors of lone sessions that stay from one test to the next: each takes a second of a core to
start. A test that harms actors, or watches them end, asks for options that nobody else has."""

from __future__ import annotations

from dataflow.actors.ray.cluster.connection import Lease, open_connection
from dataflow.proto.config_pb2 import ConfigProto
from tests.ray.transports import LANES, without_lanes


class HeldActors:
    """Holds on to the actors of sessions, by their options."""

    def __init__(self) -> None:
        self._leases: dict[bytes, Lease] = {}

    def hold(self, config: ConfigProto, transport: str = LANES) -> ConfigProto:
        """Has the sessions that are opened with these options, which it gives, share actors.

        They are started now, unless they are there and all alive.
        """
        self.bury()
        asked = config if transport == LANES else without_lanes(config)
        key = asked.SerializeToString(deterministic=True)
        if key not in self._leases:
            self._leases[key] = open_connection("ray", asked)
        return config

    def bury(self) -> None:
        """Lets go of actors of which one has died."""
        for key, lease in list(self._leases.items()):
            if not lease.connection.is_usable:
                self._leases.pop(key).end()

    def let_go(self) -> None:
        """Lets go of all of them."""
        while self._leases:
            self._leases.popitem()[1].end()


OF_THE_RUN = HeldActors()
"""Those that stay until the tests of the run are over."""
hold = OF_THE_RUN.hold
