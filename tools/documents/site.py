"""Makes the documentation, a folder `site/`: python -m tools.documents.site (or make site).

Its pages are those of `docs/`, the documents of the checkout, and a reference from docstrings.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import dataflow
from tests.public_names.lists import ours

ROOT: Final = Path(__file__).parents[2]

_SOURCES: Final = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""Documents of the checkout, and which pages they become."""


def gather(folder: Path) -> None:
    """Puts the pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for source, page in _SOURCES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        for other, where in _SOURCES.items():
            text = text.replace(f"]({other}", f"]({where}")
        (folder / page).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    for path in (ROOT / "docs").glob("*.md"):
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "reference.md").write_text("\n".join(reference()), encoding="utf-8")


def reference() -> Iterator[str]:
    """What public functions and classes are, module by module, by their docstrings."""
    yield "# Reference"
    names = ours()
    module = ""
    for path, name in sorted(names.items(), key=lambda each: (each[0].rpartition(".")[0], each[0])):
        owner = path.rpartition(".")[0]
        if name.kind not in ("function", "class") or owner == "tf.raw_ops":
            continue
        if names[owner].kind != "module" if owner in names else owner != "tf":
            continue
        if owner != module:
            module = owner
            yield f"\n## {module}\n"
        told = inspect.getdoc(value(path)) or ""
        yield f"\n### `{path}`\n\n```text\n{path}{name.text}\n\n{told.replace('```', '')}\n```"


def value(path: str) -> object:
    """What a public name stands for."""
    found: object = dataflow
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    return found


def main() -> int:
    """Makes the site."""
    gather(ROOT / "build" / "docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
