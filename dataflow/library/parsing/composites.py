"""Tensors that are made of several features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.library.parsing.configs import RaggedFeature, SparseFeature
from dataflow.library.parsing.ragged_parts import cut
from dataflow.ops.sparse.merge import sparse_merge


def assembled(features: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """A tensor for each feature, from the tensors of those that were read.

    Args:
      features: What was asked for.
      found: What was read: also features that only serve to make others.
    """
    made: dict[str, Any] = {}
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            one = isinstance(feature.index_key, str)
            made[key] = sparse_merge(
                found[feature.index_key] if one else [found[each] for each in feature.index_key],
                found[feature.value_key],
                vocab_size=feature.size,
                already_sorted=feature.already_sorted,
            )
        elif isinstance(feature, RaggedFeature):
            made[key] = cut(key, feature, found)
    return {key: made.get(key, found.get(key)) for key in [*found, *made] if key in features}
