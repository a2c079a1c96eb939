"""Version numbers of the GraphDef format, as TensorFlow counts them."""

from __future__ import annotations

from typing import Final

from dataflow.proto.versions_pb2 import VersionDef

GRAPH_DEF_VERSION: Final = 2474
"""What this library writes: the format of TensorFlow 2.21."""
GRAPH_DEF_VERSION_MIN_CONSUMER: Final = 0
GRAPH_DEF_VERSION_MIN_PRODUCER: Final = 0


def merge(versions: VersionDef, added: VersionDef) -> None:
    """A graph is as old as its oldest node, and needs what its neediest node needs."""
    versions.producer = min(versions.producer, added.producer)
    versions.min_consumer = max(versions.min_consumer, added.min_consumer)
    bad = sorted({*versions.bad_consumers, *added.bad_consumers})
    del versions.bad_consumers[:]
    versions.bad_consumers.extend(bad)
