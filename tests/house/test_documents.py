"""What the documents say holds: README's program runs, links lead somewhere, commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_program_of_the_readme_prints_what_it_says() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", _text("README.md"), re.DOTALL)
    (promised,) = re.findall(r"print\(.*\)  # (.*)", program)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == promised


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_to_files(name: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", _text(name))
    assert not [link for link in links if not (ROOT / link).exists()]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_named_files_exist(name: str) -> None:
    """Paths in backquotes, but for patterns and places where a name is to be filled in."""
    known = r"`((?:dataflow|actors|kernels|tests|examples|benchmarks)/[\w./]*)`"
    paths = re.findall(known, _text(name))
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_named_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", _text("Makefile"), re.MULTILINE))
    named = {
        t
        for name in DOCUMENTS
        for t in re.findall(r"\bmake (demo|test|lint|proto|bench)\b", _text(name))
    }
    assert named
    assert named <= targets


def test_examples_named_in_commands_exist() -> None:
    named = set(re.findall(r"examples/\w+\.py", _text("README.md") + _text("Makefile")))
    assert named
    assert not [name for name in named if not (ROOT / name).exists()]


def test_license_is_apache_2() -> None:
    text = _text("LICENSE")
    assert "Apache License" in text.splitlines()[1]
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert Path(ROOT / "pyproject.toml").read_text().count('license = "Apache-2.0"') == 1


def test_one_version_is_told() -> None:
    """By the wheel, by the newest entry of CHANGELOG.md, and by what is cited."""
    (version,) = re.findall(r'^version = "(.*)"$', _text("pyproject.toml"), re.MULTILINE)
    newest = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", _text("CHANGELOG.md"), re.MULTILINE)[0]
    (cited,) = re.findall(r"^version: (\S+)$", _text("CITATION.cff"), re.MULTILINE)
    assert newest == cited == version
