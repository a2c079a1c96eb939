"""What tests of clusters share."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf
from dataflow.actors.fusion.compiled.node import CompiledNode
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from tests.actors.fusion.merged import session_config


def ops_of(clusters: list[CompiledNode]) -> set[str]:
    return {node.op for cluster in clusters for node in cluster.nodes}


def config(fuses: bool) -> ConfigProto:
    made = session_config(fuses, threads=1)
    made.graph_options.rewrite_options.constant_folding = RewriterConfig.OFF
    return made


def same_bits(left: Any, right: Any) -> bool:
    """True if two arrays are the same to the bit, all NaNs taken as one."""
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind == "f":
        both = np.isnan(left) & np.isnan(right)
        left, right = np.where(both, 0, left), np.where(both, 0, right)
    return left.tobytes() == right.tobytes()


def led_up_to(x: Any, neutral: Any) -> Any:
    """The value, behind nodes that change nothing but make a cluster worth while."""
    for _ in range(10):
        x = tf.logical_and(x, neutral) if x.dtype == tf.bool else x * neutral
    return x
