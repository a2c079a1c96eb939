"""The table of TPUs: where programs look for what estimators and optimizers of theirs need."""

from __future__ import annotations

from typing import Final

_SOURCES: Final = ("dataflow.tpu", "dataflow.contrib.tpu", "dataflow.contrib.tpu.context")
_PATHS: Final = (
    "tensorflow.python.tpu",
    "tensorflow.python.tpu.bfloat16",
    "tensorflow.python.tpu.device_assignment",
    "tensorflow.python.tpu.topology",
    "tensorflow.python.tpu.tpu",
    "tensorflow.python.tpu.tpu_feed",
    "tensorflow.python.tpu.training_loop",
    "tensorflow.python.tpu.tpu_config",
    "tensorflow.python.tpu.tpu_estimator",
    "tensorflow.python.tpu.tpu_function",
    "tensorflow.python.tpu.tpu_optimizer",
    "tensorflow.python.tpu.ops.tpu_ops",
    "tensorflow.contrib.tpu",
    "tensorflow.contrib.tpu.python.ops.tpu_ops",
    "tensorflow.contrib.tpu.python.tpu.async_checkpoint",
    "tensorflow.contrib.tpu.python.tpu.bfloat16",
    "tensorflow.contrib.tpu.python.tpu.device_assignment",
    "tensorflow.contrib.tpu.python.tpu.topology",
    "tensorflow.contrib.tpu.python.tpu.tpu",
    "tensorflow.contrib.tpu.python.tpu.tpu_feed",
    "tensorflow.contrib.tpu.python.tpu.training_loop",
    "tensorflow.contrib.tpu.python.tpu.tpu_config",
    "tensorflow.contrib.tpu.python.tpu.tpu_estimator",
    "tensorflow.contrib.tpu.python.tpu.tpu_function",
    "tensorflow.contrib.tpu.python.tpu.tpu_optimizer",
    "tensorflow.tpu",
)


def tpu_sources() -> dict[str, tuple[str, ...]]:
    """Path -> the modules that are asked for its names."""
    return dict.fromkeys(_PATHS, _SOURCES)
