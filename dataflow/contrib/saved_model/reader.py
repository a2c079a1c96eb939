"""What graphs a SavedModel has."""

from __future__ import annotations

from typing import Any

from dataflow.saving.saved_model.files import parse_saved_model


def get_saved_model_tag_sets(saved_model_dir: Any) -> list[list[str]]:
    """The tags of each graph, sorted.

    Raises:
      OSError: There is no SavedModel, or it cannot be read.
    """
    read = parse_saved_model(saved_model_dir)
    return sorted(sorted(each.meta_info_def.tags) for each in read.meta_graphs)
