"""Versions as TensorFlow counts them: of the GraphDef format, and the release whose names are here.

The version of this library itself is that of its distribution, `dataflow-ray`.
"""

from __future__ import annotations

import sys
from typing import Final

from dataflow.proto.versions_pb2 import VersionDef

GRAPH_DEF_VERSION: Final = 2474
"""What this library writes: the format of TensorFlow 2.21."""
GRAPH_DEF_VERSION_MIN_CONSUMER: Final = 0
GRAPH_DEF_VERSION_MIN_PRODUCER: Final = 0

VERSION: Final = "1.15.5"
"""The release whose names this library has."""
GIT_VERSION: Final = f"v{VERSION}-0-gdataflow"
COMPILER_VERSION: Final = sys.version.partition("[")[2].rstrip("]")
"""What Python was built with; nothing here is compiled."""
CXX11_ABI_FLAG: Final = 1
CXX_VERSION: Final = 201703
MONOLITHIC_BUILD: Final = 0


def merge(versions: VersionDef, added: VersionDef) -> None:
    """A graph is as old as its oldest node, and needs what its neediest node needs."""
    versions.producer = min(versions.producer, added.producer)
    versions.min_consumer = max(versions.min_consumer, added.min_consumer)
    bad = sorted({*versions.bad_consumers, *added.bad_consumers})
    del versions.bad_consumers[:]
    versions.bad_consumers.extend(bad)
