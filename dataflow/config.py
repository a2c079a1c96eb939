"""Session and run options, the messages of `config.proto`, under TensorFlow 1's names."""

from __future__ import annotations

from dataflow.proto.config_pb2 import (
    CallableOptions,
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RPCOptions,
    RunMetadata,
    RunOptions,
    SessionMetadata,
    TensorConnection,
    ThreadPoolOptionProto,
)

__all__ = [
    "CallableOptions",
    "ConfigProto",
    "GPUOptions",
    "GraphOptions",
    "OptimizerOptions",
    "RPCOptions",
    "RunMetadata",
    "RunOptions",
    "SessionMetadata",
    "TensorConnection",
    "ThreadPoolOptionProto",
]
