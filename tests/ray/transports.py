"""Sessions and servers without lanes, as where none can be opened, for tests that run on both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dataflow.actors.ray.cluster.server import RayServer
from dataflow.actors.ray.session.runtime import RayRuntime
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.tensorflow_server_pb2 import ServerDef

LANES, OBJECT_STORE = "lanes", "object store"
of_lanes = pytest.mark.parametrize("transport", [LANES], indirect=True)
"""A test of what there is on lanes only."""
chiefly_of_lanes = pytest.mark.parametrize(
    "transport", [LANES, pytest.param(OBJECT_STORE, marks=pytest.mark.long)], indirect=True
)
"""A test of what has little to do with the transport; without lanes where there is time."""


def without_lanes(config: ConfigProto) -> ConfigProto:
    """The same options, but for lanes."""
    other = ConfigProto()
    other.CopyFrom(config)
    other.rpc_options.use_rpc_for_inprocess_master = True
    return other


@contextmanager
def switched_to(transport: str) -> Iterator[None]:
    """Sessions and servers that are opened meanwhile use this transport."""
    if transport == LANES:
        yield
        return
    create, start = RayRuntime.create_session, RayServer.__init__

    def create_session(self: RayRuntime, config: ConfigProto) -> str:
        return create(self, without_lanes(config))

    def start_server(self: RayServer, server_def: ServerDef, *arguments: int) -> None:
        other = ServerDef()
        other.CopyFrom(server_def)
        other.default_session_config.CopyFrom(without_lanes(other.default_session_config))
        start(self, other, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RayRuntime, "create_session", create_session)
        patch.setattr(RayServer, "__init__", start_server)
        yield
