"""Says that there is no tf.compat.v2."""

from __future__ import annotations

from dataflow.compat import NO_V2

raise ImportError(NO_V2)
