"""The fixture that runs a module's tests on each of the transports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dataflow.proto.config_pb2 import ConfigProto
from tests.ray.held import hold
from tests.ray.transports import LANES, OBJECT_STORE, switched_to


@pytest.fixture(scope="module", params=[LANES, OBJECT_STORE])
def transport(request: pytest.FixtureRequest, ray_cluster: None) -> Iterator[str]:
    """How what a step needs gets to its devices and from one to the other."""
    with switched_to(request.param):
        hold(ConfigProto(), request.param)
        yield str(request.param)
