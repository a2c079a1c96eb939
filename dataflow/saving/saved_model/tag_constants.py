"""Tags of the MetaGraphs in a SavedModel."""

from __future__ import annotations

from typing import Final

SERVING: Final = "serve"
TRAINING: Final = "train"
EVAL: Final = "eval"
GPU: Final = "gpu"
TPU: Final = "tpu"
