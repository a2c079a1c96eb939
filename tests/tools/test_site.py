"""The documentation builds, needs no network, and its programs print what they say."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tools.documents import site

TUTORIAL = (site.ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def test_programs_of_the_tutorial() -> None:
    program = "".join(re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL))
    promised = re.findall(r"print\(.*\)  # (.*)", program)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=site.ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == promised
    assert len(promised) == 4


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
