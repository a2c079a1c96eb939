"""What a forest was told of how it grows: a TensorForestParams message."""

from __future__ import annotations

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.tensor_forest_params_pb2 import DepthDependentParam, TensorForestParams


def read_parameters(serialized: bytes) -> TensorForestParams:
    """The message.

    Raises:
      InvalidArgumentError: The bytes are none.
    """
    try:
        return TensorForestParams.FromString(serialized)
    except DecodeError:
        raise invalid("Unable to parse the forest's TensorForestParams.") from None


def at_depth(param: DepthDependentParam, depth: int, name: str) -> np.float32:
    """A parameter's value for nodes of a depth.

    Raises:
      InvalidArgumentError: It has none.
    """
    kind = param.WhichOneof("ParamType")
    if kind == "constant_value":
        return np.float32(param.constant_value)
    if kind == "linear":
        line = param.linear
        value = np.float32(depth) * np.float32(line.slope) + np.float32(line.y_intercept)
        return np.float32(min(max(float(value), line.min_val), line.max_val))
    if kind == "exponential":
        curve = param.exponential
        power = np.float32(
            float(curve.base) ** float(np.float32(curve.depth_multiplier) * np.float32(depth))
        )
        return np.float32(np.float32(curve.bias) + np.float32(curve.multiplier) * power)
    if kind == "threshold":
        step = param.threshold
        return np.float32(step.on_value if depth >= step.threshold else step.off_value)
    raise invalid(f"The forest's parameter {name} has no value: unknown parameter type")
