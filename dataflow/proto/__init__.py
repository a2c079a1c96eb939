"""GraphDef messages, wire-compatible with TensorFlow's, in the proto package `dataflow`."""

from __future__ import annotations
