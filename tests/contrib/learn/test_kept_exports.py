"""tf.contrib.learn.utils.gc: which of numbered exports stay, as TensorFlow 1.15 says."""

from __future__ import annotations

from pathlib import Path

import pytest

import dataflow as tf
from dataflow.contrib.learn.utils import gc

PATHS = [gc.Path("/foo", 8), gc.Path("/foo", 9), gc.Path("/foo", 10)]


def numbered(*versions: int | None) -> list[gc.Path]:
    return [gc.Path(f"/{version}", version) for version in versions]


def test_largest() -> None:
    assert gc.largest_export_versions(2)(PATHS) == PATHS[1:]
    assert gc.largest_export_versions(0)(PATHS) == []
    assert gc.largest_export_versions(2)([gc.Path("/a", None), *PATHS[:1]]) == PATHS[:1]


def test_one_of_each_interval() -> None:
    kept = gc.one_of_every_n_export_versions(3)
    paths = numbered(0, 1, 2, 3, 4, 5, 7, None)
    assert kept(paths) == numbered(3, 5, 7)
    assert kept(numbered(0, 4)) == numbered(0, 4)


def test_multiples_unions_and_the_rest() -> None:
    by_four, largest = gc.mod_export_version(4), gc.largest_export_versions(1)
    assert by_four(PATHS) == [PATHS[0]]
    assert gc.union(by_four, largest)(PATHS) == [PATHS[0], PATHS[2]]
    assert gc.negation(by_four)(PATHS) == PATHS[1:]
    with pytest.raises(TypeError):
        by_four(numbered(None))


def test_paths_of_a_folder(tmp_path: Path) -> None:
    for name in ("1", "2", "10", "notes"):
        (tmp_path / name).mkdir()

    def parse(path: gc.Path) -> gc.Path | None:
        name = Path(path.path).name
        return path._replace(export_version=int(name)) if name.isdigit() else None

    found = gc.get_paths(str(tmp_path), parse)
    assert [path.export_version for path in found] == [1, 10, 2]
    assert {str(Path(path.path).parent) for path in found} == {str(tmp_path)}
    with pytest.raises(tf.errors.NotFoundError):
        gc.get_paths(str(tmp_path / "none"), parse)
