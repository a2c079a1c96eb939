"""Choices that options of pipelines take, and the old names of specs."""

from __future__ import annotations

import enum
from typing import Any

from dataflow.library.datasets.specs import SparseTensorSpec, TensorSpec


class AutoShardPolicy(enum.IntEnum):
    """By what elements are divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What is done about state outside of a pipeline when its place is saved."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How numbers are found that nobody gave."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


def tensor_structure(dtype: Any, shape: Any) -> TensorSpec:
    """Describes a tensor."""
    return TensorSpec(shape, dtype)


def sparse_tensor_structure(dtype: Any, shape: Any) -> SparseTensorSpec:
    """Describes a sparse tensor."""
    return SparseTensorSpec(shape, dtype)
