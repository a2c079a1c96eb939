"""framework.tensor_conversion and ops: the conversion to a tensor by its versions' names."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor

convert_to_tensor_v1_with_dispatch = convert_to_tensor


def convert_to_tensor_v2_with_dispatch(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """`tf.convert_to_tensor`, with the arguments in TensorFlow 2's order."""
    return convert_to_tensor(value, dtype=dtype, dtype_hint=dtype_hint, name=name)
