"""A server with a model of all kinds of signatures, for the tests of a module that only ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dataflow.serving.options import Limits, ModelSource, ServerOptions
from tests.serving.models import write_factor, write_zoo
from tests.serving.running import Client, serving


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the model with signatures of all kinds; its version is 7."""
    folder = tmp_path_factory.mktemp("zoo")
    write_zoo(folder)
    return folder


@pytest.fixture(scope="session")
def factors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model whose versions 1, 2 and 3 multiply by their numbers."""
    folder = tmp_path_factory.mktemp("factors")
    for version in (1, 2, 3):
        write_factor(folder, version, version)
    return folder


@pytest.fixture(scope="module")
def client(zoo: Path, factors: Path) -> Iterator[Client]:
    """Asks a server that has both; one for each module, since other tests reset the sessions of
    this process."""
    options = ServerOptions(
        (ModelSource("zoo", str(zoo)), ModelSource("m", str(factors))),
        rest_port=0,
        grpc_port=0,
        limits=Limits(request_bytes=1 << 20),
    )
    with serving(options) as found:
        yield found
