"""Version numbers of the GraphDef format, as TensorFlow counts them."""

from __future__ import annotations

from typing import Final

GRAPH_DEF_VERSION: Final = 2474
"""What this library writes: the format of TensorFlow 2.21."""
GRAPH_DEF_VERSION_MIN_CONSUMER: Final = 0
GRAPH_DEF_VERSION_MIN_PRODUCER: Final = 0
