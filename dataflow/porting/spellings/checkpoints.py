"""tensorflow.python.training.checkpoint_management: the files of checkpoints."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from dataflow.saving.state import update_checkpoint_state


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """The file of the MetaGraph of a checkpoint, or of one of its shards."""
    shard = re.compile(r"-[\d\?]+-of-\d+$")
    return f"{shard.sub('', checkpoint_filename)}.{meta_graph_suffix}"


def update_checkpoint_state_internal(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: Any = None,
) -> None:
    """`tf.train.update_checkpoint_state`; paths may be written as seen from the folder."""

    def seen(path: str) -> str:
        inside = save_relative_paths and os.path.isabs(path)
        return os.path.relpath(path, save_dir) if inside else path

    update_checkpoint_state(
        save_dir,
        seen(model_checkpoint_path),
        [seen(path) for path in all_model_checkpoint_paths or ()],
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
