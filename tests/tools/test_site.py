"""The documentation builds, needs no network, and its programs print what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving.test_lifecycle import started
from tools.documents import site


def _blocks(page: str, language: str) -> list[str]:
    text = (site.ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def _runs(program: str, folder: Path, lines: int) -> None:
    """A program prints what its comments promise, so many lines."""
    promised = re.findall(r"print\(.*\)  # (.*)", program)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site.ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == promised
    assert len(promised) == lines


def test_programs_of_the_tutorial(tmp_path: Path) -> None:
    _runs("".join(_blocks("tutorial.md", "python")), tmp_path, 6)


def test_what_the_page_on_serving_does(tmp_path: Path) -> None:
    save, *ask = _blocks("serving.md", "python")
    _runs(save, tmp_path, 0)
    (command,) = _blocks("serving.md", "bash")
    _, _, _, _, *arguments = command.split()
    assert arguments.pop(0) == "models/line"
    with started(str(tmp_path / "models" / "line"), *arguments) as (_, _, told):
        _runs("".join(ask).replace(":8501", f":{told['rest']}"), tmp_path, 4)


def test_the_site(capfd: pytest.CaptureFixture[str]) -> None:
    assert site.main() == 0, capfd.readouterr().err
    made = site.ROOT / "site"
    reference = (made / "reference.html").read_text(encoding="utf-8")
    for name in ("tf.matmul", "tf.train.AdamOptimizer", "tf.profiler.profile"):
        assert f"<code>{name}</code>" in reference
    for page in made.glob("*.html"):
        loaded = re.findall(r'<(?:script|img)[^>]* src="(https?:[^"]*)"', page.read_text("utf-8"))
        assert not loaded, page
    # What is linked lies there.
    links = re.findall(r'href="([\w./]+\.html)', (made / "index.html").read_text("utf-8"))
    assert links
    assert not [link for link in links if not (made / link).exists()]
