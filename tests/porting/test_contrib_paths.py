"""Paths inside parts of tf.contrib: the parts themselves are there, too."""

from __future__ import annotations

from dataflow.porting.contrib_paths import contrib_sources
from dataflow.porting.paths import SOURCES


def test_a_part_whose_paths_are_listed_is_listed_itself() -> None:
    paths = [path for path in contrib_sources() if path.count(".") > 1]
    parts = {".".join(path.split(".")[:3]) for path in paths}
    assert [part for part in sorted(parts) if not SOURCES.get(part)] == []
