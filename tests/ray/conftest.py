"""The fixture that runs a module's tests on each of the transports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dataflow.actors.ray.cluster.connection import open_connection
from dataflow.proto.config_pb2 import ConfigProto
from tests.ray.transports import LANES, OBJECT_STORE, switched_to, without_lanes


@pytest.fixture(scope="module", params=[LANES, OBJECT_STORE])
def transport(request: pytest.FixtureRequest, ray_cluster: None) -> Iterator[str]:
    """How what a step needs gets to its devices and from one to the other."""
    with switched_to(request.param):
        if request.param == LANES:
            yield LANES
            return
        # Those of `ray_cluster` have lanes; these spare the tests the start of others.
        lease = open_connection("ray", without_lanes(ConfigProto()))
        yield OBJECT_STORE
        lease.end()
