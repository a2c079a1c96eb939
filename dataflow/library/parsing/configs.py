"""What a program expects of a feature: its type and form."""

from __future__ import annotations

from typing import Any, NamedTuple


class VarLenFeature(NamedTuple):
    """A feature of any length, which becomes a sparse tensor."""

    dtype: Any
    """Element type: int64, float32 or string."""


class SparseFeature(NamedTuple):
    """A sparse tensor that several features of an example hold: its indices and its values.

    `VarLenFeature` is simpler, and should do in most cases.
    """

    index_key: Any
    """Key of the indices, or a list of keys, one for each dimension."""
    value_key: Any
    """Key of the values."""
    dtype: Any
    """Their type."""
    size: Any
    """The size of the dimension, or a list of sizes."""
    already_sorted: Any = False
    """Whether the indices are in order, so that nothing needs to be sorted."""


class FixedLenFeature(NamedTuple):
    """A feature with a fixed number of elements."""

    shape: Any
    """Shape of the tensor that it becomes."""
    dtype: Any
    """Element type: int64, float32 or string."""
    default_value: Any = None
    """What stands for it where it is missing; None if it must be there."""


class FixedLenSequenceFeature(NamedTuple):
    """A feature that becomes a tensor whose first dimension may differ between examples."""

    shape: Any
    """Shape without the first dimension."""
    dtype: Any
    """Element type: int64, float32 or string."""
    allow_missing: Any = False
    """Whether it may be missing, and counts as empty then."""
    default_value: Any = None
    """What fills up shorter ones in a batch; 0 or "" if None."""
