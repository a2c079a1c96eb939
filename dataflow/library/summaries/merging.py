"""tf.summary.merge and merge_all: several summaries as one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.summaries.tags import clean_tag, collect
from dataflow.ops.basic.single import single


def merge(
    inputs: Sequence[Any], collections: Sequence[Any] | None = None, name: str | None = None
) -> Tensor:
    """The values of several summaries in one; a step fails if two of them have one tag.

    Args:
      inputs: Strings: serialized Summaries.
      collections: Keys of the collections that it is added to; none if None.
      name: Name of the operation.

    Returns:
      A scalar string: a serialized Summary.
    """
    cleaned = clean_tag(name)
    with scopes.name_scope(cleaned, "Merge", inputs):
        summary = single("MergeSummary", inputs, name=cleaned)
        collect(summary, collections, ())
    return summary


def merge_all(
    key: Any = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """Merges all summaries of a collection of the default graph.

    Args:
      key: The collection.
      scope: Takes those only whose names it matches at the beginning, a regular expression.
      name: Name of the operation.

    Returns:
      A scalar string, a serialized Summary; None if there are no summaries.
    """
    found = scopes.get_collection(key, scope)
    return merge(found, name=name) if found else None
