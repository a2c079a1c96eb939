"""Which exports of a folder are kept, as TensorFlow 1.15's `estimator.gc` has it."""

from __future__ import annotations

from pathlib import Path

from dataflow.porting.spellings.util import export_versions as kept

PATHS = [kept.Path(f"/exports/{n}", n) for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)]


def _numbers(paths: list[kept.Path]) -> list[int]:
    return [path.export_version for path in paths]


def test_filters() -> None:
    largest = kept._largest_export_versions(3)
    assert _numbers(largest([*PATHS, kept.Path("/exports/x", None)])) == [7, 8, 9]
    assert _numbers(kept._one_of_every_n_export_versions(3)(PATHS)) == [3, 6, 9]
    assert _numbers(kept._one_of_every_n_export_versions(5)(PATHS[:1])) == [0]
    both = kept._union(largest, kept._mod_export_version(4))
    assert _numbers(both(PATHS)) == [0, 4, 7, 8, 9]
    assert _numbers(kept._negation(both)(PATHS)) == [1, 2, 3, 5, 6]


def test_paths_of_a_folder(tmp_path: Path) -> None:
    for name in ("7", "12", "temp-3"):
        (tmp_path / name).mkdir()

    def number(path: kept.Path) -> kept.Path | None:
        name = Path(path.path).name
        return path._replace(export_version=int(name)) if name.isdigit() else None

    assert _numbers(kept._get_paths(str(tmp_path), number)) == [12, 7]
