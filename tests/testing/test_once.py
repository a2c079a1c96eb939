"""What is made once: the processes of a run share it, and one that failed leaves it to the next."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from tests.once import made_once


def _ask(name: str) -> None:
    made_once(name, _count)


def _count(folder: Path) -> None:
    with (folder / "calls").open("a") as calls:
        calls.write("x")


def test_processes_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    forked = multiprocessing.get_context("fork")
    askers = [forked.Process(target=_ask, args=("shared",)) for _ in range(3)]
    for each in askers:
        each.start()
    for each in askers:
        each.join(60)
        assert each.exitcode == 0
    assert (made_once("shared", _count) / "calls").read_text() == "x"


def test_the_next_tries_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fail(folder: Path) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        made_once("failing", fail)
    assert (made_once("failing", _count) / "calls").read_text() == "x"
