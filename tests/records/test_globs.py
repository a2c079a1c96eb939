"""Patterns of paths: what TensorFlow's file system finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dataflow.records.globs import matching_paths

NAMES = (".hid", "a1", "b^", "c]", "d!", "[z]", "B\\", "sub/.x", "sub/y", "dir.d/.f/g")
"""What `tf.io.matching_files` of TensorFlow 2.21 finds among these stands in each row below."""


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", [".hid", "B\\", "[z]", "a1", "b^", "c]", "d!", "dir.d", "sub"]),
        (".*", [".hid"]),
        ("[^a]*", [".hid", "B\\", "[z]", "b^", "c]", "d!", "dir.d", "sub"]),
        ("[!a-d]*", [".hid", "B\\", "[z]", "sub"]),
        ("[a-c]?", ["a1", "b^", "c]"]),
        ("b[^]", []),
        ("b[^^]", []),
        ("?[]]", ["c]"]),
        ("[z-a]*", []),
        ("[a-", []),
        ("*/*", ["dir.d/.f", "sub/.x", "sub/y"]),
        ("*/*/*", ["dir.d/.f/g"]),
        ("**", [".hid", "B\\", "[z]", "a1", "b^", "c]", "d!", "dir.d", "sub"]),
        (r"\[z\]", ["[z]"]),
        ("[[]z]", ["[z]"]),
        ("B\\\\", ["B\\"]),
        (r"?[\!]", ["d!"]),
        (r"[\w]*", []),
        ("[.]hid", [".hid"]),
        ("{a,b}1", []),
        ("./a?", ["./a1"]),
        ("sub/y", ["sub/y"]),
        ("sub/z", []),
        ("a1/*", []),
    ],
)
def test_what_a_pattern_finds(
    pattern: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert matching_paths(f"{tmp_path}/{pattern}") == [f"{tmp_path}/{name}" for name in found]
    monkeypatch.chdir(tmp_path)
    assert matching_paths(pattern) == found
