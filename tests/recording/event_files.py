"""The events of a folder's files, as TensorFlow reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as oracle


def events(folder: Path) -> list[Any]:
    """The events of all files, in the order of the files' names."""
    return [
        event
        for path in sorted(folder.glob("events*"))
        for event in oracle.train.summary_iterator(str(path))
    ]


def plain(folder: Path) -> list[str]:
    """The events as text, without what tells when and by whom they were written."""
    found = []
    for event in events(folder):
        assert event.wall_time > 1e9
        event.ClearField("wall_time")
        event.ClearField("source_metadata")
        event.ClearField("meta_graph_def")
        found.append(str(event))
    return found
