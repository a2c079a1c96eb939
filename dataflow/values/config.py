"""Session and run options, the messages of `config.proto`, under TensorFlow 1's names."""

from __future__ import annotations

from dataflow.proto.config_pb2 import (
    CallableOptions,
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
    SessionMetadata,
    TensorConnection,
    ThreadPoolOptionProto,
)
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.proto.rpc_options_pb2 import RPCOptions

__all__ = [
    "CallableOptions",
    "ConfigProto",
    "GPUOptions",
    "GraphOptions",
    "OptimizerOptions",
    "RPCOptions",
    "RewriterConfig",
    "RunMetadata",
    "RunOptions",
    "SessionMetadata",
    "TensorConnection",
    "ThreadPoolOptionProto",
]
